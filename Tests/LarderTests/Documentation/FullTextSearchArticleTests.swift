import Foundation
import Larder
import Testing

enum FullTextSearchArticle {
  @Model
  struct Page: Hashable {
    var id: Int
    @Attribute(.searchable) var title: String
    @Attribute(.searchable) var body: String
    var isDraft = false
  }
}

@Suite("Documentation: Full-text search")
@MainActor
struct FullTextSearchArticleTests {
  private typealias Page = FullTextSearchArticle.Page

  @Test("words are found, ranked and shown with what is around them")
  func search() async throws {
    let store = try Store(inMemoryFor: Page.self)
    try await store.save([
      Page(id: 1, title: "SQLite", body: "A small database in a file"),
      Page(
        id: 2, title: "Swift",
        body: "A language; it can talk to SQLite, among many, many other things that have nothing to do with files"),
      Page(id: 3, title: "Café", body: "Drinks"),
    ])
    let field = "sqli"

    let typed = Page.search(typed: field).where { !$0.isDraft }
    let pages = try await store.fetch(typed.ranked().limit(20))

    #expect(pages.map(\.id) == [1, 2])

    let query = Page.search("title : sqlite OR \"small database\"")
    let matches = try await store.matches(query, style: SnippetStyle(marks: (open: "<b>", close: "</b>"), words: 8))
    for match in matches {
      print(match.value.title, match.score, match.snippet)
    }

    #expect(matches.map(\.value.id) == [1])
    #expect(matches.first?.snippet.contains("<b>") == true)
    #expect(try await store.fetch(Page.search(typed: "cafe")).map(\.id) == [3])
  }
}
