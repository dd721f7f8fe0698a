import Foundation
import Larder
import LarderTestSupport
import Testing

/// The full-text index says what the table says, whatever changed the table.
@Suite struct SearchIndexTests {
  let db: BlockingStore

  init() throws { db = try Store(inMemoryFor: NewsItem.self, OddlyNamed.self).blocking }

  /// FTS5 compares the index with the table word by word, and fails where they differ:
  /// <https://www.sqlite.org/fts5.html#the_integrity_check_command>.
  private func checkIndex(of table: String, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(throws: Never.self, sourceLocation: sourceLocation) {
      let index = "_larder_search_\(table)"
      try db.sql("insert into \(name: index) (\(name: index), rank) values ('integrity-check', 1)")
    }
  }

  private func titles(_ pattern: String) throws -> [String] {
    try db.fetch(NewsItem.search(pattern).sorted(by: \.id)).map(\.title)
  }

  @Test("insert, save, update and delete keep the index in step")
  func verbs() throws {
    try db.insert(NewsItem(id: 1, title: "one apple"))
    try db.insert([NewsItem(id: 2, title: "two apples"), NewsItem(id: 3, title: "three pears")])
    checkIndex(of: "NewsItem")
    try db.save(NewsItem(id: 1, title: "one plum"))
    try db.save([NewsItem(id: 4, title: "four plums"), NewsItem(id: 2, title: "two plums", body: "apple")])
    #expect(try titles("apple*") == ["two plums"])
    #expect(try titles("plum*") == ["one plum", "two plums", "four plums"])
    try db.update(NewsItem(id: 2, title: "two pears", body: nil))
    #expect(try titles("apple*") == [])
    #expect(try titles("pears") == ["two pears", "three pears"])
    try db.delete(NewsItem.self, 3)
    try db.delete([NewsItem(id: 1, title: "another title")])
    #expect(try titles("pears OR plum") == ["two pears"])
    checkIndex(of: "NewsItem")
  }

  @Test("updateAll and deleteAll keep the index in step")
  func queries() throws {
    try db.insert(
      (1...20).map { NewsItem(id: $0, title: $0.isMultiple(of: 2) ? "even apple" : "odd apple", body: "text \($0)") })
    #expect(
      try db.updateAll(NewsItem.where { $0.id > 10 }) {
        $0.title.set { $0.title + " late" }; $0.views.increment(by: 1)
      } == 10)
    #expect(try titles("late").count == 10)
    #expect(try db.updateAll(NewsItem.search("odd AND late")) { $0.body.set(nil) } == 5)
    #expect(try db.deleteAll(NewsItem.search("even")) == 10)
    #expect(try titles("apple").count == 10)
    checkIndex(of: "NewsItem")
  }

  @Test("SQL keeps the index in step, a replaced row and a changed key included")
  func sql() throws {
    try db.insert([NewsItem(id: 1, title: "one"), NewsItem(id: 2, title: "two")])
    try db.sql("update \(NewsItem.self) set title = \("uno") where id = \(1)")
    try db.sql("update \(NewsItem.self) set id = \(9) where id = \(2)")
    try db.sql("insert into \(NewsItem.self) (id, title, section, views) values (\(5), \("five"), '', 0)")
    checkIndex(of: "NewsItem")
    try db.sql("insert or replace into \(NewsItem.self) (id, title, section, views) values (\(5), \("cinque"), '', 0)")
    #expect(try titles("one OR five") == [])
    #expect(try db.fetch(NewsItem.search("two")).map(\.id) == [9])
    #expect(try titles("cinque") == ["cinque"])
    try db.sql("delete from \(NewsItem.self) where id = \(1)")
    #expect(try titles("uno") == [])
    checkIndex(of: "NewsItem")
  }

  @Test("a row whose key is not a number is in the index by its hidden number")
  func identifiers() throws {
    var rows = (0..<5).map { OddlyNamed(text: "row \($0)") }
    try db.insert(rows)
    rows[3].text = "changed"
    try db.save(rows)
    try db.delete(rows[0])
    try db.sql(
      "update \(OddlyNamed.self) set \(name: OddlyNamed.columns.id) = \(UUID()) where \(OddlyNamed.columns.text) = \("row 1")"
    )
    #expect(try db.fetch(OddlyNamed.search("changed")) == [rows[3]])
    #expect(try db.count(OddlyNamed.search("row")) == 3)
    checkIndex(of: "the \"order\" table's")
  }

  @Test("a write that is rolled back leaves the index as it was")
  func rollback() throws {
    struct Refusal: Error {}
    try db.insert(NewsItem(id: 1, title: "kept"))
    #expect(throws: Refusal.self) {
      try db.write { db in
        try db.save(NewsItem(id: 1, title: "lost"))
        try db.insert(NewsItem(id: 2, title: "lost"))
        #expect(try db.count(NewsItem.search("lost")) == 2)
        throw Refusal()
      }
    }
    #expect(try titles("lost") == [])
    #expect(try titles("kept") == ["kept"])
    checkIndex(of: "NewsItem")
  }

  @Test("random changes never part the index from the table")
  func random() throws {
    let seed = TestSeed.value
    var generator = SplitMix64(seed: seed)
    let words = ["alpha", "beta", "gamma", "it's", "dé", "100%", "\u{0}x", ""]
    var model: [Int: NewsItem] = [:]
    for _ in 0..<300 {
      let item = NewsItem(
        id: Int.random(in: 1...15, using: &generator), title: generator.pick(words) + " " + generator.pick(words),
        body: generator.pickOrNil(words))
      switch Int.random(in: 0..<5, using: &generator) {
      case 0...1:
        try db.save(item)
        model[item.id] = item
      case 2:
        try db.delete(item)
        model[item.id] = nil
      case 3:
        try db.updateAll(NewsItem.where { $0.id < item.id }) { $0.title.set(item.title) }
        for id in model.keys where id < item.id { model[id]?.title = item.title }
      default:
        try db.sql(
          "insert or replace into \(NewsItem.self) (id, title, body, section, views) values (\(item.id), \(item.title), \(item.body), '', 0)"
        )
        model[item.id] = item
      }
      let word = generator.pick(["alpha", "beta", "gamma"])
      let expected = model.values.filter { $0.title.contains(word) || $0.body?.contains(word) == true }.map(\.id)
        .sorted()
      try #require(try db.fetch(NewsItem.search(word).sorted(by: \.id)).map(\.id) == expected, "seed \(seed)")
    }
    TestSeed.tried(300, .queries, "searches")
    checkIndex(of: "NewsItem")
  }
}
