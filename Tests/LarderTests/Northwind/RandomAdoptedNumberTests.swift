import Foundation
import Larder
import LarderTestSupport
import Testing

@Model("measures")
private struct LooseMeasure: Hashable {
  var id: Int
  var d: Double?
  var e: Double?
}

/// Integers and real numbers of other programs in one column, beside plain Swift: an integer that no double is equal to
/// is refused wherever it would be rounded.
@Suite("Random numbers of adopted files")
struct RandomAdoptedNumberTests {
  private static let readable: [Value] = [
    .real(1.5), .real(-2.25), 3, -7, 0, 9_007_199_254_740_992, -9_007_199_254_740_992, .real(9_007_199_254_740_992),
  ]
  private static let unreadable: [Value] = [9_007_199_254_740_993, -9_007_199_254_740_993, .integer(.max)]

  /// Returns the value as a property of type `Double` holds it; nil if it can't.
  private static func double(_ value: Value) -> Double?? {
    switch value {
    case .null: .some(nil)
    case .integer(let integer): Double(exactly: integer).map { .some($0) }
    case .real(let real): .some(real)
    default: nil
    }
  }

  @Test("selections, sums, joins, unions and new values have the answer of plain Swift, or are refused")
  func questions() throws {
    var generator = SplitMix64(seed: TestSeed.value &* 199)
    var tried = 0
    for number in 0..<30 {
      let file = try StoreFile()
      let type = generator.pick(["", "NUMERIC", "BLOB"])
      try file.sql(SQL(raw: "create table measures (id integer primary key, d \(type), e \(type))"), creating: true)
      let isOdd = generator.once(in: 2)
      var values: [Value] = (0..<Int.random(in: 2...6, using: &generator)).map { _ in
        generator.once(in: 5) ? .null : generator.pick(Self.readable)
      }
      if isOdd { values.append(generator.pick(Self.unreadable)) }
      values.shuffle(using: &generator)
      for (id, value) in values.enumerated() {
        try file.sql(SQL(raw: "insert into measures values (?, ?, 0)", arguments: [.integer(Int64(id)), value]))
      }
      let store = try Store(at: file.path, for: LooseMeasure.self, schema: .existing)
      let context = Context(store)
      let child = context.child()
      let numbers = values.compactMap(Self.double)
      for db in [store.blocking, context, child] as [any StoreWriter] {
        let place =
          "seed \(TestSeed.value), number \(number), \(type.isEmpty ? "no type" : type), \(Swift.type(of: db)): \(values)"
        func ask<Answer: Equatable>(_ expected: Answer, _ body: () throws -> Answer) throws {
          tried += 1
          guard isOdd else {
            #expect(try body() == expected, "\(place)")
            return
          }
          let error = #expect(throws: StoreError.self, "\(place)") { _ = try body() }
          #expect(error?.code == .invalidValue && error?.property == "d", "\(place): \(error as Any)")
        }
        let some = numbers.compactMap { $0 }
        try ask(numbers) { try db.fetch(LooseMeasure.all.sorted(by: \.id).select(\.d)) }
        try ask(some.reduce(0, +)) { try db.sum(LooseMeasure.all, of: \.d) }
        try ask(some.map { $0 / 2 }) {
          try db.fetch(LooseMeasure.where { $0.d != nil }.sorted(by: \.id).select { $0.d.or(0) / 2 })
        }
        try ask(Set(numbers + [0])) { Set(try db.fetch(LooseMeasure.select(\.d).union(LooseMeasure.select(\.e)))) }
        try ask(numbers.filter { ($0 ?? 0) * 2 > 4 }.count) { try db.count(LooseMeasure.where { $0.d.or(0) * 2 > 4 }) }
        for value in Set(some) {
          // No rounding is needed to find an equal number.
          #expect(try db.count(LooseMeasure.where { $0.d == value }) == some.count { $0 == value }, "\(place)")
          tried += 1
        }
        guard (db as? Context) === child else { continue }
        try ask(numbers) {
          try db.updateAll(LooseMeasure.all) { $0.e.set { $0.d } }
          return try db.fetch(LooseMeasure.all.sorted(by: \.id).select(\.e))
        }
        if isOdd {
          #expect(try db.fetch(LooseMeasure.all.sorted(by: \.id).select(\.e)) == values.map { _ in 0 }, "\(place)")
        }
      }
    }
    TestSeed.tried(tried, .queries, "questions about numbers of other programs")
  }
}
