import Foundation
import Larder
import Testing

@Suite struct SearchTests {
  let db: BlockingStore

  static let items = [
    NewsItem(
      id: 1, title: "Milk and bread", body: "Swift cows give milk, milk and more milk", section: "food", views: 5),
    NewsItem(id: 2, title: "Swift and SQLite", body: "A database in every pocket", section: "code", views: 7),
    NewsItem(id: 3, title: "Crème brûlée", body: nil, section: "food", views: 5),
    NewsItem(
      id: 4, title: "SQL for everyone", body: "Select what you need. SQLite3 is fine, milk is not needed",
      section: "code", views: 1),
    NewsItem(id: 5, title: "日本語 emoji 😀 100%", body: "naïve café", section: "other"),
  ]

  init() throws {
    db = try Store(inMemoryFor: NewsItem.self, OddlyNamed.self, Unsearchable.self).blocking
    try db.insert(Self.items)
  }

  private func ids(_ query: Query<NewsItem>) throws -> [Int] {
    try db.fetch(query.sorted(by: \.id)).map(\.id)
  }

  @Test("words, phrases, prefixes, columns and operators are FTS5's")
  func patterns() throws {
    #expect(try ids(NewsItem.search("milk")) == [1, 4])
    #expect(try ids(NewsItem.search("swift AND sqlite*")) == [2])
    #expect(try ids(NewsItem.search("swift OR café")) == [1, 2, 5])
    #expect(try ids(NewsItem.search("milk NOT bread")) == [4])
    #expect(try ids(NewsItem.search("\"milk and\"")) == [1])
    #expect(try ids(NewsItem.search("title : milk")) == [1])
    #expect(try ids(NewsItem.search("{body} : milk")) == [1, 4])
    #expect(try ids(NewsItem.search("^swift")) == [1, 2])
    #expect(try ids(NewsItem.search("NEAR(select need, 3)")) == [4])
    #expect(try ids(NewsItem.search("nothing")) == [])
  }

  @Test("no typed text throws: also where a quotation mark is one character together with what joins it")
  func joinedQuotes() throws {
    for joining in ["\u{301}", "\u{200D}", "\u{20E3}", "\u{FE0F}", "\u{600}", "\u{110BD}", "\u{1F3FD}"] {
      for text in [
        "milk\(joining)\"", "milk\"\(joining)", "\(joining)\"milk", "\"\(joining)", joining, "milk \"\(joining)bread",
        "e\(joining)\"x",
      ] {
        #expect(throws: Never.self, "\(text.unicodeScalars.map { String($0.value, radix: 16) })") {
          try db.fetch(NewsItem.search(typed: text))
        }
      }
    }
    #expect(try ids(NewsItem.search(typed: "milk\"\u{301} bread")) == [1])
    #expect(try ids(NewsItem.search(typed: "cre\u{300}me")) == [3])
  }

  @Test("a NUL in a pattern or in the marks of a snippet is refused")
  func nulls() throws {
    for pattern in ["milk\0bread", "\0"] {
      let error = #expect(throws: StoreError.self) { try db.fetch(NewsItem.search(pattern)) }
      #expect(error?.code == .invalidValue && error?.model == "NewsItem")
      #expect(throws: StoreError.self) { try db.count(NewsItem.search(pattern).ranked()) }
      #expect(throws: StoreError.self) { try db.matches(NewsItem.search(pattern)) }
    }
    let styles = [SnippetStyle(marks: ("[\0", "]")), SnippetStyle(marks: ("[", "\0]")), SnippetStyle(ellipsis: ".\0.")]
    for style in styles {
      let error = #expect(throws: StoreError.self) { try db.matches(NewsItem.search("milk"), style: style) }
      #expect(error?.code == .invalidValue)
    }
    #expect(try ids(NewsItem.search(typed: "milk\0bread")) == [1])
  }

  @Test("neither case nor accents count")
  func folding() throws {
    #expect(try ids(NewsItem.search("creme BRULEE")) == [3])
    #expect(try ids(NewsItem.search("cafe")) == [5])
    #expect(try ids(NewsItem.search(typed: "CRÈME")) == [3])
    #expect(try ids(NewsItem.search(typed: "cre\u{300}me")) == [3])
    #expect(try ids(NewsItem.search(typed: "日本")) == [5])
  }

  @Test("typed text finds beginnings of its words in any order, and no character has a meaning")
  func typed() throws {
    #expect(try ids(NewsItem.search(typed: "sql")) == [2, 4])
    #expect(try ids(NewsItem.search(typed: "bre mil")) == [1])
    #expect(try ids(NewsItem.search(typed: "milk\u{0}bread")) == [1])
    #expect(try ids(NewsItem.search(typed: "100%")) == [5])
    #expect(try ids(NewsItem.search(typed: "emoji 😀")) == [5])
    #expect(try ids(NewsItem.search(typed: "and")) == [1, 2])
    #expect(try ids(NewsItem.search(typed: "AND")) == [1, 2])
    #expect(try ids(NewsItem.search(typed: "title:milk")) == [])
  }

  @Test(
    "hostile text is text",
    arguments: [
      "\"", "'", "\"\"\"", "milk\"", "*", "milk* OR", "AND", "NOT", "NEAR(", "NEAR(milk", "^", "(", ")", "{title} :",
      "title :", "-milk", "milk -",
      "+", ":", "a:b:c",
      "😀", "\u{0}", "\u{0}\u{0}milk", "'; drop table NewsItem; --", "\u{301}", "\\", "milk\\", "%_",
      String(repeating: "(", count: 5000), "ⓐ", "½",
      String(repeating: "word ", count: 300),
    ])
  func hostile(_ text: String) throws {
    _ = try db.fetch(NewsItem.search(typed: text))
    _ = try db.fetch(NewsItem.search(typed: text).ranked().limit(3))
    _ = try db.matches(NewsItem.search(typed: "milk " + text))
    #expect(try db.count(NewsItem.all) == Self.items.count)
  }

  @Test("without a word every row matches", arguments: ["", " ", "?!", "😀", "\u{0}", "\"'*-"])
  func wordless(_ text: String) throws {
    #expect(try ids(NewsItem.search(typed: text)) == [1, 2, 3, 4, 5])
    #expect(try db.count(NewsItem.search(typed: text).where { $0.views == 5 }) == 2)
  }

  @Test(
    "a pattern that FTS5 cannot read is an invalid value",
    arguments: ["\"", "AND", "milk AND", "(", "nothing : milk", "*milk", "NEAR(a b, x)", "", "milk + ", "a:b:c", "'"])
  func badPatterns(_ pattern: String) throws {
    for query in [
      NewsItem.search(pattern), NewsItem.search(pattern).ranked(),
      NewsItem.search(pattern).where { $0.views > 0 }.limit(2),
    ] {
      let error = try #require(throws: StoreError.self) { try db.fetch(query) }
      #expect(error.code == .invalidValue, "\(error)")
      #expect(error.model == "NewsItem")
      #expect(throws: StoreError.self) { try db.count(query) }
      #expect(throws: StoreError.self) { try db.first(query) }
      #expect(throws: StoreError.self) { try db.deleteAll(query) }
    }
    #expect(try db.count(NewsItem.all) == Self.items.count)
  }

  @Test("a model without a searchable property says so")
  func unsearchable() throws {
    let error = try #require(throws: StoreError.self) { try db.fetch(Unsearchable.search("x")) }
    #expect(error.code == .unsupported)
    #expect(error.model == "Unsearchable")
  }

  @Test("ranked puts the best match first, in every verb")
  func ranked() throws {
    let best = NewsItem.search("milk").ranked()
    #expect(try db.fetch(best).map(\.id) == [1, 4])
    #expect(try db.first(best)?.id == 1)
    #expect(try db.fetch(best.limit(1, offset: 1)).map(\.id) == [4])
    #expect(try db.count(best) == 2)
    #expect(try db.count(best.limit(1)) == 1)
    #expect(try db.sum(best.limit(1), of: \.views) == 5)
    #expect(try db.exists(best))
    #expect(try db.rows(best).map { try $0.get("id", as: Int.self) } == [1, 4])
    #expect(try db.fetch(best.where { $0.section == "code" }).map(\.id) == [4])
    #expect(try db.fetch(best.where { $0.title.contains("SQL") }).map(\.id) == [4])
    #expect(
      try db.fetch(best.grouped(by: \.section) { ($0.key, $0.count, $0.max(\.title)) }).map(\.0) == ["code", "food"])
    #expect(NewsItem.all.ranked() == NewsItem.all)
    let error = try #require(throws: StoreError.self) { try db.fetch(best.after(Self.items[0])) }
    #expect(error.code == .unsupported)
  }

  @Test("equal ranks are put in order by the sorts")
  func rankedTies() throws {
    try db.insert((10..<14).map { NewsItem(id: $0, title: "identical words", views: 20 - $0) })
    #expect(try db.fetch(NewsItem.search("identical").ranked().sorted(by: \.views)).map(\.id) == [13, 12, 11, 10])
  }

  @Test("a search is a condition as any other: narrowed, sorted, paged, counted, changed")
  func combined() throws {
    let query = NewsItem.search("milk OR creme OR swift")
    #expect(try ids(query) == [1, 2, 3, 4])
    #expect(try ids(query.where { $0.section == "food" }) == [1, 3])
    let sorted = query.sorted(by: \.views, order: .reverse)
    #expect(try db.fetch(sorted).map(\.id) == [2, 3, 1, 4])
    #expect(try db.fetch(sorted.limit(2, offset: 1)).map(\.id) == [3, 1])
    #expect(try db.fetch(sorted.after(Self.items[2])).map(\.id) == [1, 4])
    #expect(try db.count(sorted.after(Self.items[2])) == 2)
    #expect(try db.updateAll(query.where { $0.section == "food" }) { $0.views.set(0) } == 2)
    #expect(try db.updateAll(NewsItem.search("milk").ranked().limit(1)) { $0.section.set("best") } == 1)
    #expect(try db.find(NewsItem.self, 1)?.section == "best")
    #expect(try db.deleteAll(NewsItem.search("sqlite*")) == 2)
    #expect(try db.count(NewsItem.all) == 3)
  }

  @Test("matches come ranked, with a score and the words that were found marked")
  func matches() throws {
    let matches = try db.matches(NewsItem.search("milk"))
    #expect(matches.map(\.id) == [1, 4])
    #expect(matches.map(\.value) == [Self.items[0], Self.items[3]])
    #expect(matches[0].score > matches[1].score)
    #expect(matches[0].snippet.contains("[milk]") || matches[0].snippet.contains("[Milk]"))
    let style = SnippetStyle(marks: ("<b>", "</b>"), ellipsis: "...", words: 4)
    let short = try db.matches(NewsItem.search("needed"), style: style)
    #expect(short.count == 1)
    #expect(short[0].snippet.hasSuffix("<b>needed</b>"))
    #expect(short[0].snippet.hasPrefix("..."))
    #expect(try db.matches(NewsItem.search("milk").where { $0.section == "code" }.limit(5)).map(\.id) == [4])
    #expect(try db.matches(NewsItem.search("milk").limit(1)).map(\.id) == [1])
    let error = try #require(throws: StoreError.self) { try db.matches(NewsItem.all) }
    #expect(error.code == .unsupported)
  }

  @Test("tables and columns may have any name")
  func names() throws {
    let rows = [OddlyNamed(text: "milk for all", other: "bread"), OddlyNamed(text: "bread"), OddlyNamed(text: "water")]
    try db.insert(rows)
    #expect(try db.fetch(OddlyNamed.search("milk")) == [rows[0]])
    #expect(try Set(db.fetch(OddlyNamed.search(typed: "BRE").ranked())) == Set(rows[..<2]))
    #expect(try db.matches(OddlyNamed.search("\"select\" : bread")).map(\.value) == [rows[0]])
    #expect(try db.updateAll(OddlyNamed.search("water")) { $0.text.set("wine") } == 1)
    #expect(try db.fetch(OddlyNamed.search("wine")).map(\.id) == [rows[2].id])
    #expect(try db.deleteAll(OddlyNamed.search("bread").ranked().limit(1)) == 1)
    #expect(try db.count(OddlyNamed.all) == 2)
  }
}
