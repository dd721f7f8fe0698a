import Foundation
import Larder
import LarderTestSupport
import Testing

/// Seeded random values of every storable type, extremes among them, written and read in every way that the library
/// has.
@Suite struct RoundTripTests {
  static let seeds: [UInt64] = [1, 0x5EED_0000_0000_0002]
  private static let count = 600

  @Test("A1: integers and Bool come back equal", arguments: seeds)
  func integers(seed: UInt64) throws {
    try check(Scalars.BoolRow.self, seed) { $0.bool() }
    try check(Scalars.IntRow.self, seed) { $0.integer() }
    try check(Scalars.Int8Row.self, seed) { $0.integer() }
    try check(Scalars.Int16Row.self, seed) { $0.integer() }
    try check(Scalars.Int32Row.self, seed) { $0.integer() }
    try check(Scalars.Int64Row.self, seed) { $0.integer() }
    try check(Scalars.UIntRow.self, seed) { $0.integer() }
    try check(Scalars.UInt8Row.self, seed) { $0.integer() }
    try check(Scalars.UInt16Row.self, seed) { $0.integer() }
    try check(Scalars.UInt32Row.self, seed) { $0.integer() }
    try check(Scalars.UInt64Row.self, seed) { $0.integer() }
  }

  @Test("A1: floating point and decimal numbers come back equal", arguments: seeds)
  func numbers(seed: UInt64) throws {
    try check(Scalars.DoubleRow.self, seed) { $0.double() }
    try check(Scalars.FloatRow.self, seed) { $0.float() }
    try check(Scalars.DecimalRow.self, seed) { $0.decimal() }
  }

  @Test("A1: text, bytes, dates, identifiers and URLs come back equal", arguments: seeds)
  func others(seed: UInt64) throws {
    try check(Scalars.StringRow.self, seed) { $0.string() }
    try check(Scalars.DataRow.self, seed) { $0.data() }
    try check(Scalars.DateRow.self, seed) { $0.date() }
    try check(Scalars.UUIDRow.self, seed) { $0.uuid() }
    try check(Scalars.URLRow.self, seed) { $0.url() }
  }

  @Test("A1: enums and structs with a raw value come back equal", arguments: seeds)
  func rawValues(seed: UInt64) throws {
    try check(Coded.SuitRow.self, seed, { Coded.Suit.allCases.randomElement(using: &$0) ?? .clubs }, read: Self.raw)
    try check(Coded.LevelRow.self, seed, { Coded.Level.allCases.randomElement(using: &$0) ?? .none }, read: Self.raw)
    try check(Coded.TagRow.self, seed, { Coded.Tag(rawValue: $0.string()) }, read: Self.raw)
  }

  @Test("A8: collections, nested structs and enums with payloads come back equal", arguments: seeds)
  func collections(seed: UInt64) throws {
    try check(Coded.ArrayRow.self, seed, { $0.array { $0.string() } }, read: Self.json)
    try check(Coded.OptionalsRow.self, seed, { $0.array { $0.optional { $0.integer() } } }, read: Self.json)
    try check(Coded.SetRow.self, seed, { Set($0.array(0...20) { $0.string() }) }, read: Self.json)
    try check(
      Coded.DictionaryRow.self, seed,
      { Dictionary($0.array { ($0.string(), $0.finiteDouble()) }, uniquingKeysWith: { first, _ in first }) },
      read: Self.json)
    try check(Coded.ShapeRow.self, seed, { $0.shape() }, read: Self.json)
    try check(Coded.DrawingRow.self, seed, { $0.drawing() }, read: Self.json)
  }

  // MARK: The body

  private static func raw<Sample: RawRepresentable>(_ value: Value) throws -> Sample?
  where Sample.RawValue: StoredValue {
    value.isNull ? nil : Sample(rawValue: try Sample.RawValue(storedValue: value))
  }

  private static func json<Sample: Decodable>(_ value: Value) throws -> Sample? {
    try value.text.map { try JSONDecoder().decode(Sample.self, from: Data($0.utf8)) }
  }

  private func check<Row: SampleRow>(
    _ type: Row.Type, _ seed: UInt64, sourceLocation: SourceLocation = #_sourceLocation,
    _ make: (inout SplitMix64) -> Row.Sample
  ) throws where Row.Sample: StoredValue {
    try check(type, seed, sourceLocation: sourceLocation, make, read: { try Row.Sample?(storedValue: $0) })
  }

  /// Inserts random rows, one by one and as an array, and compares what `find`, `fetch` and `rows` give back.
  private func check<Row: SampleRow>(
    _ type: Row.Type, _ seed: UInt64, sourceLocation: SourceLocation = #_sourceLocation,
    _ make: (inout SplitMix64) -> Row.Sample,
    read: (Value) throws -> Row.Sample?
  ) throws {
    let store = try Store(inMemoryFor: Row.self)
    var random = SplitMix64(seed: seed)
    let written = (0..<Self.count).map { Row(id: $0, value: make(&random), maybe: random.optional(make)) }
    for row in written.prefix(100) { try store.blocking.insert(row) }
    try store.blocking.save(Array(written.dropFirst(100)))

    func expectSame(_ found: Row?, _ row: Row, _ way: String) {
      #expect(
        found.map { isSame($0, row) } ?? false,
        "\(way) of \(Row.self), seed \(seed): wrote \(row), read \(found.map { "\($0)" } ?? "nothing")",
        sourceLocation: sourceLocation)
    }
    // The second time a statement is executed, its columns are read by what is known of them.
    for _ in 0..<3 {
      let fetched = try store.blocking.fetch(Row.all)
      try #require(fetched.count == written.count, sourceLocation: sourceLocation)
      for row in fetched { expectSame(row, written[row.id], "fetch") }
      try store.blocking.forEach(Row.all) { expectSame($0, written[$0.id], "forEach") }
    }
    for row in written { expectSame(try store.blocking.find(Row.self, row.id), row, "find") }
    for row in try store.blocking.rows(Row.all) {
      let id = try row.get("id", as: Int.self)
      let value = try read(try #require(row["value"])).map {
        Row(id: id, value: $0, maybe: try? read(row["maybe"] ?? .null))
      }
      expectSame(value, written[id], "rows")
    }
  }

  private func isSame<Row: SampleRow>(_ left: Row, _ right: Row) -> Bool {
    guard left.id == right.id, Row.isSame(left.value, right.value) else { return false }
    switch (left.maybe, right.maybe) {
    case (nil, nil): return true
    case (let left?, let right?): return Row.isSame(left, right)
    default: return false
    }
  }
}
