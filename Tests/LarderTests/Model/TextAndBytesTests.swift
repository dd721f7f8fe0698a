import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite struct TextAndBytesTests {
  private static let texts = [
    "", " ", "\0", "before\0after", "\0\0\0", "'; drop table x; --", "\"quoted\"", "100 % _ \\", "line\r\nline\n",
    "👩‍👩‍👧‍👦🥛🇨🇳", "e\u{301}", "\u{10FFFF}",
    "\u{FFFD}",
    "null", "123", "1e5", "NaN", String(repeating: "x", count: 1_023), String(repeating: "y", count: 1_024),
    String(repeating: "z", count: 1_025),
  ]

  @Test("text comes back with the same bytes", arguments: texts)
  func text(_ text: String) throws {
    let store = try Store(inMemoryFor: Scalars.StringRow.self)
    try store.blocking.insert(Scalars.StringRow(id: 1, value: text, maybe: text))
    let found = try #require(try store.blocking.find(Scalars.StringRow.self, 1))
    #expect(found.value.utf8.elementsEqual(text.utf8))
    #expect(found.maybe.map { $0.utf8.elementsEqual(text.utf8) } == true)
    #expect(try store.blocking.fetch(Scalars.StringRow.where { $0.value == text }).count == 1)
    #expect(
      try store.blocking.sql("select typeof(value) as type from \(Scalars.StringRow.self)").first?["type"] == "text")
  }

  @Test("text and bytes of several megabytes come back, next to small ones") func large() throws {
    let text = String(repeating: "Larder 🥛 ", count: 400_000)
    let data = Data((0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    try withTemporaryStore(for: Scalars.StringRow.self, Scalars.DataRow.self) { store in
      for id in 0..<3 {
        try store.blocking.insert(Scalars.StringRow(id: id, value: id == 1 ? text : "small \(id)", maybe: nil))
        try store.blocking.insert(Scalars.DataRow(id: id, value: id == 1 ? data : Data([UInt8(id)]), maybe: nil))
      }
      #expect(try store.blocking.find(Scalars.StringRow.self, 0)?.value == "small 0")
      #expect(try store.blocking.find(Scalars.StringRow.self, 1)?.value == text)
      #expect(try store.blocking.find(Scalars.DataRow.self, 1)?.value == data)
      #expect(try store.blocking.find(Scalars.DataRow.self, 2)?.value == Data([2]))
    }
  }

  @Test("empty bytes are not NULL, and nil is") func empty() throws {
    let store = try Store(inMemoryFor: Scalars.DataRow.self, Scalars.StringRow.self)
    try store.blocking.insert(Scalars.DataRow(id: 1, value: Data(), maybe: Data()))
    try store.blocking.insert(Scalars.DataRow(id: 2, value: Data(), maybe: nil))
    try store.blocking.insert(Scalars.StringRow(id: 1, value: "", maybe: ""))
    try store.blocking.insert(Scalars.StringRow(id: 2, value: "", maybe: nil))
    #expect(try store.blocking.fetch(Scalars.DataRow.all).map(\.maybe) == [Data(), nil])
    #expect(try store.blocking.fetch(Scalars.StringRow.all).map(\.maybe) == ["", nil])
    #expect(try store.blocking.rows(Scalars.DataRow.all).map { $0["maybe"] } == [.blob(Data()), .null])
    #expect(try store.blocking.count(Scalars.StringRow.where { $0.maybe == nil }) == 1)
  }

  @Test("a slice of Data is stored as its own bytes alone") func slice() throws {
    let store = try Store(inMemoryFor: Scalars.DataRow.self)
    let slice = Data([0, 1, 2, 3, 4])[2...3]
    try store.blocking.insert(Scalars.DataRow(id: 1, value: slice, maybe: nil))
    #expect(try store.blocking.find(Scalars.DataRow.self, 1)?.value == Data([2, 3]))
  }

  @Test("a URL is kept as its absolute text") func urls() throws {
    let store = try Store(inMemoryFor: Scalars.URLRow.self)
    let base = try #require(URL(string: "https://example.org/a/"))
    let relative = try #require(URL(string: "b?q=1", relativeTo: base))
    let mail = try #require(URL(string: "mailto:a@example.org"))
    try store.blocking.insert(Scalars.URLRow(id: 1, value: relative, maybe: mail))
    let found = try #require(try store.blocking.find(Scalars.URLRow.self, 1))
    #expect(found.value.absoluteString == "https://example.org/a/b?q=1")
    #expect(found.maybe == mail)
  }
}
