import Foundation
import Larder
import LarderTestSupport
import Testing

@Model
private struct Meter: Hashable {
  var id: Int
  var level: Float = 0
  var rate: Float = 0
  var spare: Float?
  @Relationship(inverse: \MeterReading.meter) var readings: ToMany<MeterReading> = []
  @Derived(.sum(\Meter.readings, \MeterReading.amount)) var total: Float = 0
}

@Model
private struct MeterReading: Hashable {
  var id: Int
  var amount: Float = 0
  var meter: ToOne<Meter>?
}

/// Numbers of type `Float`, which SQLite keeps and computes as doubles, beside plain Swift.
@Suite("Random numbers of type Float")
struct RandomFloatTests {
  private let store: Store
  private let context: Context
  private let writers: [any StoreWriter]

  init() throws {
    store = try Store(inMemoryFor: Meter.self, MeterReading.self)
    context = Context(store)
    writers = [store.blocking, context, context.child()]
  }

  private func expectRefusal(of property: String, key: Value, _ body: (any StoreWriter) throws -> Void) {
    for db in writers {
      let error = #expect(throws: StoreError.self) { try body(db) }
      #expect(error?.code == .invalidValue && error?.model == "Meter" && error?.property == property, "\(error as Any)")
      #expect(error?.key == [key], "\(type(of: db))")
    }
  }

  @Test("a computed number that Float can't hold is refused with the property and the row, and nothing is changed")
  func refused() throws {
    try store.blocking.insert([Meter(id: 1, level: 1), Meter(id: 2, level: 3e38, spare: 3e38)])
    expectRefusal(of: "level", key: 2) { _ = try $0.updateAll(Meter.all) { $0.level.multiply(by: 10) } }
    expectRefusal(of: "spare", key: 2) { _ = try $0.updateAll(Meter.all) { $0.spare.set { $0.spare * 2 } } }
    expectRefusal(of: "level", key: 2) { _ = try $0.updateAll(Meter.all) { $0.level.set { $0.level + $0.level } } }
    for db in writers { #expect(try db.fetch(Meter.all.sorted(by: \.id)).map(\.level) == [1, 3e38]) }
    for db in writers {
      #expect(try db.updateAll(Meter.where { $0.id == 1 }) { $0.level.set { $0.level * .infinity } } == 1)
    }
  }

  @Test("a sum of rows is a Float too, or is refused with the row")
  func sums() throws {
    try store.blocking.insert([Meter(id: 1), Meter(id: 2)])
    try store.blocking.insert([0.1, 0.2, 0.7].enumerated().map { MeterReading(id: $0, amount: $1, meter: ToOne(1)) })
    let total = try #require(try store.blocking.find(Meter.self, 1)).total
    for db in writers {
      #expect(try db.fetch(Meter.where { $0.total == total }).map(\.id) == [1])
      #expect(try db.sum(MeterReading.all, of: \.amount) == total)
    }
    let stored = try store.blocking.sql("select total from \(Meter.self) where id = 1", as: Double.self)
    #expect(stored == [Double(total)])
    expectRefusal(of: "total", key: 2) { db in
      try db.insert([
        MeterReading(id: 8, amount: 3e38, meter: ToOne(2)), MeterReading(id: 9, amount: 3e38, meter: ToOne(2)),
      ])
    }
    #expect(try store.blocking.verifyDerived() == [])
  }

  @Test("long sums of Float are computed, each step as Swift rounds it", arguments: [10, 88, 500])
  func long(_ count: Int) throws {
    try store.blocking.insert([Meter(id: 1, level: 0.1), Meter(id: 2, level: 0.3)])
    let sum = (0..<count).reduce(Meter.columns.level + 0) { sum, _ in sum + 0.1 }
    let expected = (0..<count).reduce(Float(0.1) + 0) { sum, _ in sum + 0.1 }
    #expect(try store.blocking.fetch(Meter.where { _ in sum == expected }).map(\.id) == [1])
  }

  // MARK: Random

  private static let numbers: [Float] = [
    0, 1, -1, 0.1, -0.3, 1 / 3, 16_777_216, 1e-30, .leastNonzeroMagnitude, -1e30, 3e38, -3e38, 2.5, 1e10, 0.7,
  ]

  private struct Change: Sendable {
    let name: String
    let assign: @Sendable (Assignments<Meter>, Float) -> Void
    let value: @Sendable (Meter, Float) -> Float
  }

  private static let changes = [
    Change(name: "increment", assign: { $0.level.increment(by: $1) }, value: { $0.level + $1 }),
    Change(name: "multiply", assign: { $0.level.multiply(by: $1) }, value: { $0.level * $1 }),
    Change(name: "add", assign: { assignments, number in assignments.level.set { $0.level + $0.rate } }) { row, _ in
      row.level + row.rate
    },
    Change(name: "subtract", assign: { assignments, number in assignments.level.set { number - $0.rate } }) {
      $1 - $0.rate
    },
    Change(name: "product", assign: { assignments, number in assignments.level.set { $0.level * $0.rate + number } }) {
      $0.level * $0.rate + $1
    },
    Change(name: "quotient", assign: { assignments, number in assignments.level.set { $0.rate / 3 } }) { row, _ in
      row.rate / 3
    },
    Change(name: "negation", assign: { assignments, number in assignments.level.set { -$0.rate } }) { row, _ in
      -row.rate
    },
    Change(name: "other", assign: { assignments, number in assignments.level.set { $0.spare.or(number) } }) {
      $0.spare ?? $1
    },
  ]

  @Test("random updates store the Float of plain Swift, or are refused where it is infinite; equal ones are found")
  func updates() throws {
    var generator = SplitMix64(seed: TestSeed.value &* 191)
    for number in 0..<60 {
      let rows = (1...4).map { id in
        Meter(
          id: id, level: generator.pick(Self.numbers), rate: generator.pick(Self.numbers),
          spare: generator.pickOrNil(Self.numbers))
      }
      let db = writers[number % 3]
      try db.deleteAll(Meter.all)
      try db.insert(rows)
      let change = generator.pick(Self.changes)
      let constant = generator.pick(Self.numbers)
      let place: Comment = "seed \(TestSeed.value), number \(number): \(change.name) \(constant) of \(rows)"
      let expected = rows.map { change.value($0, constant) }
      if let first = expected.firstIndex(where: { !$0.isFinite }) {
        let error = #expect(throws: StoreError.self, place) {
          try db.updateAll(Meter.all) { change.assign($0, constant) }
        }
        #expect(error?.property == "level" && error?.key == [.integer(Int64(rows[first].id))], place)
        #expect(try db.fetch(Meter.all.sorted(by: \.id)).map(\.level) == rows.map(\.level), place)
        continue
      }
      #expect(try db.updateAll(Meter.all) { change.assign($0, constant) } == 4, place)
      #expect(try db.fetch(Meter.all.sorted(by: \.id)).map(\.level) == expected, place)
      for value in Set(expected) {
        let ids = rows.indices.filter { expected[$0] == value }.map { rows[$0].id }
        #expect(try db.fetch(Meter.where { $0.level == value }.sorted(by: \.id)).map(\.id) == ids, place)
        let predicate = #Predicate<Meter> { $0.level == value }
        #expect(try db.fetch(Meter.where(predicate).sorted(by: \.id)).map(\.id) == ids, place)
      }
    }
    TestSeed.tried(60, .operations, "updates of Float")
  }

  @Test("random conditions on computed numbers are those of plain Swift, typed and as a #Predicate")
  func conditions() throws {
    var generator = SplitMix64(seed: TestSeed.value &* 193)
    let rows = (1...30).map { id in
      Meter(id: id, level: generator.pick(Self.numbers), rate: generator.pick(Self.numbers))
    }
    for row in rows { context.insert(row) }
    try context.save()
    for number in 0..<40 {
      let db = writers[number % 3]
      let row = generator.pick(rows)
      let factor = generator.pick(Self.numbers)
      let product = row.level * factor
      let sum = row.level + row.rate
      let place: Comment = "seed \(TestSeed.value), number \(number): \(factor), \(product), \(sum)"
      func check(_ query: Query<Meter>, _ predicate: Predicate<Meter>) throws {
        let expected = try rows.filter { try predicate.evaluate($0) }.map(\.id)
        #expect(try db.fetch(query.sorted(by: \.id)).map(\.id) == expected, place)
        #expect(try db.fetch(Meter.where(predicate).sorted(by: \.id)).map(\.id) == expected, place)
      }
      if product.isFinite {
        try check(Meter.where { $0.level * factor == product }, #Predicate { $0.level * factor == product })
        try check(Meter.where { $0.level * factor >= product }, #Predicate { $0.level * factor >= product })
      }
      if sum.isFinite {
        try check(Meter.where { $0.level + $0.rate == sum }, #Predicate { $0.level + $0.rate == sum })
        try check(Meter.where { $0.level - $0.rate < sum }, #Predicate { $0.level - $0.rate < sum })
      }
      if (rows.allSatisfy { ($0.level * $0.rate).isFinite }) {
        #expect(
          try db.fetch(Meter.all.sorted(by: \.id).select { $0.level * $0.rate }) == rows.map { $0.level * $0.rate },
          place)
      }
    }
    TestSeed.tried(40 * 8, .queries, "conditions on Float")
  }
}
