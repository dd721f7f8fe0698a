import Foundation
import Testing

@testable import Larder

/// What a word is: for the index, for `search(typed:)`, and for indexes that were made by earlier rules.
@Suite struct SearchWordTests {
  /// The symbols that Swift knows.
  private static let symbols = (UInt32(0x80)...0x10FFFF).compactMap(Unicode.Scalar.init).filter { scalar in
    switch scalar.properties.generalCategory {
    case .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol: true
    default: false
    }
  }

  @Test("no symbol is a part of the word beside it, however new it is")
  func symbols() throws {
    let db = try Store(inMemoryFor: NewsItem.self).blocking
    #expect(Self.symbols.count > 8000)
    try db.insert(Self.symbols.enumerated().map { NewsItem(id: $0, title: "\($1)ok\($1)fine") })
    for text in ["ok", "fine", "fine ok", "fi o", "🌶ok", "🫩fine🫪ok"] {
      let found = Set(try db.fetch(NewsItem.search(typed: text)).map(\.id))
      let missing = Self.symbols.indices.filter { !found.contains($0) }.map {
        Self.symbols[$0].properties.age.map { "\($0.major).\($0.minor)" } ?? "?"
      }
      #expect(missing.isEmpty, "\(missing.count) symbols stick to words, of Unicode \(Set(missing).sorted())")
    }
    #expect(try db.count(NewsItem.search("ok AND fine")) == Self.symbols.count)
  }

  @Test("typed text is taken apart as the index does it, at every character of Unicode")
  func everyScalar() throws {
    let db = try Store(inMemoryFor: NewsItem.self).blocking
    try db.sql(
      SQL(
        raw:
          "create virtual table temp.words using fts5(a, content='', tokenize=\(Quoting.literal(.text(SearchWords.tokenizer))))"
      ))
    try db.sql(SQL(raw: "create virtual table temp.found using fts5vocab(temp, 'words', instance)"))
    let all = """
      insert into temp.words (rowid, a) with recursive n (v) as (select 1 union all select iif(v = 131072, 917504, v + 1) from n where v < 918000) \
      select v, 'xq' || char(v) || 'yq' from n where v not between 55296 and 57343
      """
    try db.sql(SQL(raw: all))
    let split = Set(try db.sql("select doc from temp.found where term = 'yq'").compactMap { $0["doc"]?.integer })
    // Beyond are letters, and characters that mean nothing yet.
    let different = (Array(UInt32(1)...0x20000) + Array(0xE0000...0xE01F0)).compactMap(Unicode.Scalar.init).filter {
      scalar in
      switch scalar.properties.generalCategory {
      // A typed word may hold what the index takes apart: the words of a phrase are found side by side.
      case .nonspacingMark, .spacingMark, .enclosingMark: false
      default: SearchWords.isSeparator(scalar) != split.contains(Int64(scalar.value))
      }
    }
    #expect(different.isEmpty, "\(different.prefix(20).map { String($0.value, radix: 16) })")
  }

  /// A file whose index was made before symbols were told apart.
  private func olderFile() async throws -> StoreFile {
    let file = try StoreFile()
    let db = try Store(at: file.path, for: NewsItem.self).blocking
    try db.insert([NewsItem(id: 1, title: "🌶ok"), NewsItem(id: 2, title: "ok")])
    let sql = try #require(
      try db.sql("select sql from sqlite_master where name = '_larder_search_NewsItem'").first?["sql"]?.text)
    let options = try #require(sql.range(of: "tokenize="))
    try db.sql("drop table _larder_search_NewsItem")
    try db.sql(SQL(raw: "\(sql[..<options.lowerBound])tokenize='\(SearchWords.firstTokenizer)')"))
    try db.sql("insert into _larder_search_NewsItem (_larder_search_NewsItem) values ('rebuild')")
    try db.sql("update _larder_models set schema = json_remove(schema, '$.words')")
    #expect(try db.count(NewsItem.search(typed: "ok")) == 1)
    await db.store.close()
    return file
  }

  private func index(_ db: BlockingStore) throws -> Row? {
    try db.sql("select sql, rootpage from sqlite_master where name = '_larder_search_NewsItem'").first
  }

  @Test("an index by earlier rules is made anew when its store is opened to be written, once")
  func renewal() async throws {
    let file = try await olderFile()
    let plan = try Store.plan(at: file.path, for: NewsItem.self)
    #expect(plan.steps.count == 1 && plan.steps[0].contains("full-text index of NewsItem anew"))
    for _ in 0..<2 {
      let db = try Store(at: file.path, for: NewsItem.self).blocking
      #expect(try db.count(NewsItem.search(typed: "ok")) == 2)
      try db.update(NewsItem(id: 1, title: "🌶fine"))
      #expect(try db.count(NewsItem.search("fine")) == 1)
      try db.update(NewsItem(id: 1, title: "🌶ok"))
      #expect(throws: Never.self) {
        try db.sql("insert into _larder_search_NewsItem (_larder_search_NewsItem, rank) values ('integrity-check', 1)")
      }
      #expect(
        try db.sql("select schema ->> 'words' as words from _larder_models").first?["words"]?.integer
          == Int64(SearchWords.version))
      await db.store.close()
      #expect(try Store.plan(at: file.path, for: NewsItem.self).steps.isEmpty)
    }
  }

  @Test(
    "a store that may change nothing searches an older index as before, and finds it whole", arguments: [true, false])
  func unchanged(isReadOnly: Bool) async throws {
    let file = try await olderFile()
    let configuration = isReadOnly ? Store.Configuration(access: .readOnly) : Store.Configuration(schema: .existing)
    let store = try Store(at: file.path, for: NewsItem.self, configuration: configuration)
    #expect(try await store.fetch(NewsItem.search(typed: "ok")).map(\.id) == [2])
    #expect(try await store.check().isHealthy)
    #expect(try index(store.blocking)?["sql"]?.text?.contains("separators") == false)
    await store.close()
    #expect(try Store(at: file.path, for: NewsItem.self).blocking.count(NewsItem.search(typed: "ok")) == 2)
  }

  @Test("an index that a newer program made stays as it is")
  func newer() async throws {
    let file = try await olderFile()
    do {
      let db = try Store(at: file.path, for: NewsItem.self).blocking
      try db.sql("update _larder_models set schema = json_set(schema, '$.words', 1000)")
      await db.store.close()
    }
    #expect(try Store.plan(at: file.path, for: NewsItem.self).steps.isEmpty)
    let db = try Store(at: file.path, for: NewsItem.self).blocking
    #expect(try db.sql("select schema ->> 'words' as words from _larder_models").first?["words"] == 1000)
  }

  @Test("pending rows of a context have their words taken apart in the same way")
  func pending() throws {
    let store = try Store(inMemoryFor: NewsItem.self)
    let context = Context(store)
    context.insert(NewsItem(id: 1, title: "🌶ok🫩fine"))
    #expect(try context.count(NewsItem.search(typed: "fine ok")) == 1)
  }
}
