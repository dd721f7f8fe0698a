import Foundation
import Larder
import Testing

enum Readme {
  @Model
  struct Note {
    var id: UUID = .v7()
    var title: String
    var views = 0
    @Attribute(.indexed) var modifiedAt: Date = .now
  }
}

@Suite("Documentation: README")
struct ReadmeTests {
  private typealias Note = Readme.Note

  @Test("the quick start prints what the README says, on the first run and on the second")
  func quickStart() async throws {
    let folder = try ArticleFolder()
    var printed: [String] = []
    func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }
    // The README's relative path leads into the test's folder.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    func Store(at name: String, for model: any Model.Type) throws -> Larder.Store {
      try Larder.Store(at: folder.file(name), for: model)
    }

    func run() async throws {
      let store = try Store(at: "notes.larder", for: Note.self)

      try await store.save([Note(title: "Milk"), Note(title: "Bread", views: 3)])
      try await store.updateAll(Note.where { $0.title.hasPrefix("M") }) { $0.views.increment(by: 1) }

      let popular = Note.where { $0.views > 0 }.sorted(by: \.views, order: .reverse)
      for note in try await store.fetch(popular) {
        print(note.title, note.views)
      }
    }

    try await run()
    #expect(printed == ["Bread 3", "Milk 1"])
    printed = []
    try await run()
    #expect(printed == ["Bread 3", "Bread 3", "Milk 2", "Milk 1"])
  }
}
