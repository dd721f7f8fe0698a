import Foundation
import Larder
import Testing

@Embeddable
struct Font: Hashable {
  var name: String = "Serif"
  var size: Double = 12
}

struct PlacedImage: Codable, Hashable, Sendable {
  var file: String
  var x: Int
}

enum Color: String, Codable, Sendable { case black, red }

@Model
struct Note: Hashable {
  var id: UUID = .v7()
  @Attribute(.searchable) var title: String
  @Attribute(.searchable) var body: String = ""
  @Embedded var font: Font = Font()
  var textColor: Color = .black
  var images: [PlacedImage] = []
  var tags: Set<String> = []
  var price: Decimal? = nil
  var views = 0
  var createdAt: Date = .now
  @Attribute(.indexed) var modifiedAt: Date = .now
  @Transient var isSelected = false
}

@Suite struct QuickStartTests {
  @Test("A1: a struct's table comes into being from its properties, and its values come back equal")
  func roundTrip() async throws {
    let store = try Store(inMemoryFor: Note.self)
    var note = Note(
      title: "Milk \u{0} and % bread", images: [PlacedImage(file: "a", x: 3)], tags: ["x", "y"], price: 12.5)
    try await store.insert(note)
    #expect(try await store.find(Note.self, note.id) == note)
    note.font.size = 20
    try await store.save(note)
    #expect(try await store.fetch(Note.where { $0.font.size == 20 && $0.title.contains("Milk") }) == [note])
    #expect(
      try await store.fetch(Note.where { $0.tags.contains("x") && $0.textColor == .black && $0.price > 9 }) == [note])
    #expect(
      try await store.fetch(Note.where(#Predicate<Note> { $0.title.contains("bread") && $0.views == 0 })) == [note])
    #expect(try await store.fetch(Note.search(typed: "mil").ranked()) == [note])
    #expect(try await store.sum(Note.all, of: \.price) == 12.5)
    #expect(
      try await store.updateAll(Note.all) {
        $0.views.increment(by: 2); $0.font.name.set("Mono")
      } == 1)
    #expect(try await store.rows(Note.all).first?["font_name"] == "Mono")
    let groups = try await store.fetch(Note.all.grouped(by: \.textColor) { ($0.key, $0.sum(\.views), $0.count) })
    #expect(groups.count == 1)
    #expect(groups[0] == (.black, 2, 1))
    let names = try await store.sql("select title, views from \(Note.self) where views = \(2)", as: (String, Int).self)
    #expect(names.count == 1)
    #expect(try await store.deleteAll(Note.all) == 1)
    #expect(try await store.count(Note.all) == 0)
  }
}
