import Foundation
import Larder
import LarderTestSupport

/// One property of each type whose values a file may hold in other forms.
@Model("Things")
struct AdoptedThing: Hashable {
  var id: Int
  var flag: Bool?
  var number: Int?
  var real: Double?
  var single: Float?
  var text: String?
  var data: Data?
  var date: Date?
  @Attribute(.iso8601) var stamp: Date?
  var mark: UUID?
  var price: Decimal?
}

/// A table with a random mixture of declared types and stored values.
struct RandomAdoptedTable {
  /// Bytes that a column holds as text, although they aren't valid UTF-8.
  static let invalidText = Value.blob(Data([0x41, 0xFF]))

  static let columns: [(name: String, readable: [Value], unreadable: [Value])] = [
    (
      "flag", [0, 1, -1, 2, "true", "false", "TRUE", "no", "Yes", "0", "1", .real(0), .real(0.5)],
      ["maybe", .blob(Data([0]))]
    ),
    (
      "number", [7, -3, 0, 12, 9_007_199_254_740_993, "7", "12", "-3", "007", .real(5), .real(-3)],
      ["x", .real(1.5), .blob(Data([7]))]
    ),
    (
      "real", [.real(1.5), .real(-0.25), .real(7), 7, -2, 3, "2.5", "1e3", "7", "-0.25"],
      ["nan", "0x10", "1e400", "", 9_007_199_254_740_993]
    ),
    ("single", [.real(1.5), .real(0.1), 2, -7, "2.5", .real(-0.5)], [.real(1e300), "x", .real(1e-300)]),
    (
      "text",
      ["abc", "Zeta", "", "10", "9", "7.50", "-x", "é", 12, 9, .real(3.5), .real(1e20), "ABC", "aBc", "abc ", "zeta"],
      [.blob(Data([1])), Self.invalidText, .blob(Data([0xC0, 0xAF]))]
    ),
    ("data", [.blob(Data([0, 255])), .blob(Data()), "abc", "", .blob(Data("abc".utf8)), "é"], [5, .real(0.5)]),
    (
      "date",
      [
        .real(0.5), 100, -7, "2001-01-01T00:01:40Z", "2016-07-04", "2016-07-04 02:00:00+02:00",
        "2016-07-04T10:15:00.250Z",
      ], ["someday"]
    ),
    (
      "stamp", ["2016-07-04", "2016-07-04T00:00:00Z", "2016-07-04 02:00:00+02:00", "2001-01-01", 100, .real(0.5)],
      ["soon", .blob(Data([1]))]
    ),
    (
      "mark",
      [
        .blob(Data(0..<16)), "00010203-0405-0607-0809-0A0B0C0D0E0F", "00010203-0405-0607-0809-0a0b0c0d0e0f",
        "7c9e6679-7425-40de-944b-e07fc1f90ae7", "7C9E6679-7425-40DE-944B-E07FC1F90AE7",
        .blob(Data(repeating: 9, count: 16)),
      ], ["x", .blob(Data([1])), 7]
    ),
    (
      "price",
      ["1.50", "1.5", "2", "-0.25", "10", "9", 3, .real(1.5), .real(0.1), -2, "12345678901234567890.5", "1e2"],
      ["1.2.3", "2016-02-30", "1-800-555", "12e3.5", .blob(Data([1]))]
    ),
  ]

  let file: StoreFile
  let declared: [String]

  init(using generator: inout SplitMix64) throws {
    file = try StoreFile()
    declared = Self.columns.map { _ in
      generator.pick(["", "INTEGER", "TEXT", "REAL", "NUMERIC", "BLOB", "VARCHAR(20)", "BOOLEAN"])
        + generator.pick(["", "", " COLLATE NOCASE", " COLLATE RTRIM"])
    }
    let list = zip(Self.columns, declared).map { "\($0.name) \($1)" }
    try file.sql(
      SQL(raw: "create table Things (id INTEGER PRIMARY KEY, \(list.joined(separator: ", ")))"), creating: true)
    // Each column takes a few of its values, so that some hold one kind alone; some hold what cannot be read.
    let pools = Self.columns.map { column in
      // Texts that a collation takes for equal.
      if column.name == "text", generator.once(in: 3) { return ["abc", "ABC", "abc ", "Zeta", "zeta"] as [Value] }
      let some = (0..<Int.random(in: 1...6, using: &generator)).map { _ in generator.pick(column.readable) }
      return generator.once(in: 12) ? some + [generator.pick(column.unreadable)] : some
    }
    let count = generator.once(in: 4) ? 130 : Int.random(in: 1...12, using: &generator)
    let rows = (1...count).map { id in
      // What is odd may come late.
      [Value.integer(Int64(id))]
        + pools.map { pool in generator.once(in: 6) ? .null : id < 110 && count > 12 ? pool[0] : generator.pick(pool) }
    }
    let marks = Array(repeating: "?", count: Self.columns.count + 1).joined(separator: ", ")
    let store = try Store(at: file.path, for: [], configuration: .init(schema: .existing))
    try store.blocking.write { db in
      for row in rows { try db.sql(SQL(raw: "insert into Things values (\(marks))", arguments: row)) }
      try db.sql("update Things set text = CAST(text AS TEXT) where text = \(Self.invalidText)")
    }
  }

  func open() throws -> BlockingStore {
    try Store(at: file.path, for: AdoptedThing.self, schema: .existing).blocking
  }
}
