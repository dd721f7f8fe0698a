import Foundation
import Testing

@testable import Larder

/// A letter that joins the character before it makes one `Character` with a quotation mark; SQL still sees the mark.
@Suite struct QuotingTests {
  private static let joining = ["\u{301}", "\u{200D}", "\u{FE0F}", "\u{20E3}", "\u{1F3FD}", "\u{903}", ""]

  @Test("a quotation mark in a name or a text never ends it, whatever joins it")
  func quotes() throws {
    let db = try Store(inMemoryFor: NewsItem.self).blocking
    for mark in Self.joining {
      for text in ["it'\(mark)s", "'\(mark)", "'\(mark)'", "\u{600}'\(mark); select 1 --"] {
        let row = try #require(try db.sql(SQL(raw: "select \(Quoting.literal(text)) as value")).first)
        #expect(row["value"]?.text.map { Array($0.utf8) } == Array(text.utf8))
      }
      for name in ["a\"\(mark)b", "\"\(mark)", "x\"\(mark) (a); select 1 --"] {
        try db.sql("create table \(name: name) (a)")
        try db.sql("insert into \(name: name) values (\(1))")
        #expect(try db.sql("select a from \(name: name)").first?["a"] == 1)
        #expect(try db.sql("select count(*) as n from sqlite_master where name = \(name)").first?["n"] == 1)
        try db.sql("drop table \(name: name)")
      }
    }
  }

  @Test("a percent sign in a document's text has no meaning, whatever joins it")
  func wildcards() async throws {
    let store = try Store(inMemoryFor: NewsItem.self)
    let notes = store.documents("notes", of: [String: String].self)
    for mark in Self.joining {
      try await notes.save("a", ["text": "100%\(mark) of_\(mark) it"])
      try await notes.save("b", ["text": "100 and more of\(mark) it"])
      #expect(try await notes.keys { $0.text.contains("0%\(mark) of_\(mark)") } == ["a"])
    }
  }
}
