import Foundation
import Larder
import Testing

@Model("Things")
private struct ExactThing: Hashable {
  var id: Int
  var price: Decimal?
  var real: Double?
  var single: Float?
  var text: String?
  var data: Data?
}

/// A value that a type does not hold as it is is refused with its place, and never cut.
@Suite struct ExactValueTests {
  private let file: StoreFile
  private let db: BlockingStore

  init() throws {
    file = try StoreFile()
    try file.sql(
      "create table Things (id INTEGER PRIMARY KEY, price BLOB, real BLOB, single BLOB, text BLOB, data BLOB)",
      creating: true)
    db = try Store(at: file.path, for: ExactThing.self, schema: .existing).blocking
  }

  private func read(_ column: String, _ sql: String) throws -> ExactThing? {
    try db.sql("delete from Things")
    try db.sql(SQL(raw: "insert into Things (id, \(column)) values (1, \(sql))"))
    return try db.find(ExactThing.self, 1)
  }

  private func expectRefusal(_ column: String, _ sql: String) {
    let error = #expect(throws: StoreError.self, "\(column) from \(sql)") { try read(column, sql) }
    #expect(error?.code == .invalidValue, "\(sql)")
    #expect(error?.property == column, "\(sql)")
  }

  @Test(
    "a text that only begins with a decimal number, or spells one that Decimal does not hold, is refused",
    arguments: [
      "2016-02-30", "1.2.3", "1-800-555", "12e3.5", "1e", "e5", ".", "+", "", "--1", "1 ", "1e400", "1e-400", "1,5",
      "12345678901234567890123456789012345678901.5", "0.1234567890123456789012345678901234567890123", "nan", "0x10",
    ])
  func decimals(_ text: String) {
    expectRefusal("price", "'\(text)'")
  }

  @Test("a decimal number is read to its last digit, however it is spelled")
  func decimalSpellings() throws {
    let texts = [
      "1.50": "1.5", "+7": "7", ".5": "0.5", "1e3": "1000", "-0": "0", "0e999": "0",
      "12345678901234567890.5": "12345678901234567890.5",
    ]
    for (text, number) in texts {
      #expect(try read("price", "'\(text)'")?.price == Decimal(string: number), "\(text)")
    }
    let zeros = "1." + String(repeating: "0", count: 60)
    #expect(try read("price", "'\(zeros)'")?.price == 1)
    #expect(try read("price", "0.1")?.price == Decimal(string: "0.1"))
    expectRefusal("price", "1e300")
    expectRefusal("price", "5e-324")
  }

  @Test(
    "a value that Double would round or not hold is refused",
    arguments: [
      "'nan'", "'inf'", "'0x10'", "'1e400'", "'1e-400'", "''", "' 1'", "9007199254740993", "'9007199254740993'",
      "-9223372036854775807",
    ])
  func reals(_ sql: String) {
    expectRefusal("real", sql)
  }

  @Test("a text that spells a Double is read as it, and so is an integer that one holds")
  func realSpellings() throws {
    #expect(try read("real", "'1.7976931348623157e308'")?.real == .greatestFiniteMagnitude)
    #expect(try read("real", "'0.1'")?.real == 0.1)
    #expect(try read("real", "'-1e3'")?.real == -1000)
    #expect(try read("real", "9007199254740992")?.real == 9_007_199_254_740_992)
    #expect(try read("real", "'9223372036854775808'")?.real == 9_223_372_036_854_775_808)
  }

  @Test("a number outside the range of Float is refused; one within it becomes the nearest")
  func singles() throws {
    for sql in ["1e300", "-1e300", "1e-300"] { expectRefusal("single", sql) }
    #expect(try read("single", "0.1")?.single == 0.1)
    #expect(try read("single", "9e999")?.single == .infinity)
  }

  @Test(
    "text that is not valid UTF-8 is refused with its place, by models and by rows of SQL",
    arguments: ["ff", "41ff42", "c0af", "eda080", "f0908d", "41f0908d", "e282", "f4908080", "c3"])
  func invalidText(_ bytes: String) throws {
    expectRefusal("text", "CAST(x'\(bytes)' AS TEXT)")
    let error = #expect(throws: StoreError.self) { try db.sql("select text from Things") }
    #expect(error?.code == .invalidValue)
    #expect(error?.message.contains("AS BLOB") == true)
    // Bytes are bytes.
    let data = try read("data", "CAST(x'\(bytes)' AS TEXT)")?.data
    #expect(data?.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == bytes)
  }

  @Test("valid text is read as it is, a replacement character of its own and a NUL included")
  func validText() throws {
    for text in [
      "\u{FFFD}", "a\u{FFFD}b", "é", "e\u{301}", "🐄", "a\u{0}b", "ﬀ\u{FEFF}",
      String(repeating: "ü\u{FFFD}", count: 4000),
    ] {
      try db.sql("delete from Things")
      try db.insert(ExactThing(id: 1, text: text))
      #expect(try db.find(ExactThing.self, 1)?.text.map { Array($0.utf8) } == Array(text.utf8))
    }
  }
}
