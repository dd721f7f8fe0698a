import Foundation
import Larder
import Testing

enum LandingPage {
  @Model
  struct Note {
    var id: UUID = .v7()
    var title: String
    var modifiedAt: Date = .now
  }
}

@Suite("Documentation: Larder")
struct LandingPageTests {
  private typealias Note = LandingPage.Note

  @Test("the smallest example prints the title that it saved")
  func example() async throws {
    let folder = try ArticleFolder()
    var printed: [String] = []
    func print(_ text: String) { printed.append(text) }
    // The example's relative path leads into the test's folder.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    func Store(at name: String, for model: any Model.Type) throws -> Larder.Store { try Larder.Store(at: folder.file(name), for: model) }

    let store = try Store(at: "notes.larder", for: Note.self)
    try await store.save(Note(title: "Milk"))
    for note in try await store.fetch(Note.where { $0.title.hasPrefix("M") }) {
      print(note.title)
    }

    #expect(printed == ["Milk"])
  }
}
