import Foundation
import Larder
import Testing

enum LiveResultsArticle {
  @Model
  struct Note {
    var id: Int
    var title: String
    var modifiedAt: Date = .now
  }
}

@Suite("Documentation: Live results")
struct LiveResultsArticleTests {
  private typealias Note = LiveResultsArticle.Note

  @Test("the sequence gives the rows now, and again after a commit that concerns them")
  func live() async throws {
    let folder = try ArticleFolder()
    let store = try Store(at: folder.file("notes.larder"), for: Note.self)
    let (shown, continuation) = AsyncStream.makeStream(of: [String].self)
    @Sendable func show(_ notes: [Note]) { continuation.yield(notes.map(\.title)) }

    let newest = Note.all.sorted(by: \.modifiedAt, order: .reverse).limit(50)
    let task = Task {
      for try await notes in store.live(newest) {
        show(notes)
      }
    }

    var titles = shown.makeAsyncIterator()
    #expect(await titles.next() == [])
    try await store.save(Note(id: 1, title: "Milk"))
    #expect(await titles.next() == ["Milk"])
    task.cancel()
    try await task.value
  }
}
