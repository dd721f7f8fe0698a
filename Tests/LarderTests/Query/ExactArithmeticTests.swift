import Foundation
import Larder
import LarderTestSupport
import Testing

@Model
struct Gauge: Hashable {
  var id: Int
  var big: Int = 0
  var small: Int8 = 0
  var optionalSmall: Int16?
  var unsigned: UInt = 0
  var name: String = "a"
  var nickname: String?
  var isOpen: Bool = true
  var day: Date = Date(timeIntervalSinceReferenceDate: 0)
  @Attribute(.iso8601) var textDay: Date?
  var plainDay: Date?
}

/// Integers at the edges of their types, and expressions across optionals.
@Suite struct ExactArithmeticTests {
  private let db: BlockingStore

  init() throws {
    db = try Store(inMemoryFor: Gauge.self).blocking
  }

  @Test("integers that no Double holds are multiplied and divided exactly, in conditions, updates and contexts")
  func large() throws {
    let store = try Store(inMemoryFor: Gauge.self)
    try store.blocking.insert(Gauge(id: 1, big: 1_152_921_504_606_846_807))
    let context = Context(store)
    for db in [store.blocking, context, context.child()] as [any StoreWriter] {
      #expect(try db.count(Gauge.where { ($0.big - 1) * 3 / 4 == 864_691_128_455_135_104 }) == 1)
      #expect(try db.count(Gauge.where { ($0.big - 1) * 3 / 4 > 864_691_128_455_135_104 }) == 0)
    }
    try context.updateAll(Gauge.all) { $0.big.set { ($0.big - 1) * 3 / 4 } }
    try context.save()
    #expect(try store.blocking.find(Gauge.self, 1)?.big == 864_691_128_455_135_104)
  }

  @Test("an unsigned or small integer that an update would take out of its range is refused in contexts as well")
  func rangesOfContexts() throws {
    let store = try Store(inMemoryFor: Gauge.self)
    let row = Gauge(id: 1, optionalSmall: 32_000, unsigned: 0)
    try store.blocking.insert(row)
    let context = Context(store)
    for db in [context, context.child()] {
      for (property, update) in [
        ("unsigned", { $0.unsigned.set { $0.unsigned - 1 } }),
        ("optionalSmall", { $0.optionalSmall.increment(by: 1000) }),
      ] as [(String, (Assignments<Gauge>) -> Void)] {
        let error = #expect(throws: StoreError.self) { try db.updateAll(Gauge.all, update) }
        #expect(error?.code == .invalidValue && error?.model == "Gauge" && error?.property == property)
        db.rollback()
        #expect(try db.find(Gauge.self, 1) == row)
      }
    }
  }

  @Test(
    "an update that would store what its property cannot hold is refused, with model and property, and nothing is changed"
  )
  func ranges() throws {
    let row = Gauge(id: 1, big: .max, small: 100, optionalSmall: 32_000, unsigned: 0, nickname: "n")
    try db.insert([row, Gauge(id: 2)])
    let updates: [(String, (Assignments<Gauge>) -> Void)] = [
      ("small", { $0.small.increment(by: 100) }), ("small", { $0.small.set { $0.small + $0.small } }),
      ("small", { $0.small.multiply(by: 3) }),
      ("optionalSmall", { $0.optionalSmall.increment(by: 1000) }),
      ("unsigned", { $0.unsigned.set { $0.unsigned - 1 } }),
      (
        "unsigned",
        {
          $0.name.set("b"); $0.unsigned.set { -$0.unsigned - 1 }
        }
      ), ("big", { $0.big.increment(by: 1) }),
      (
        "big",
        {
          $0.small.set(1); $0.big.set { $0.big * 2 / 4 }
        }
      ),
    ]
    for (property, update) in updates {
      let error = #expect(throws: StoreError.self) { try db.updateAll(Gauge.all, update) }
      #expect(error?.code == .invalidValue)
      #expect(error?.model == "Gauge")
      #expect(error?.property == property)
      #expect(try db.find(Gauge.self, 1) == row)
    }
    #expect(
      try db.updateAll(Gauge.where { $0.id == 1 }) {
        $0.small.increment(by: 27); $0.unsigned.increment(by: 5)
      } == 1)
    #expect(try db.find(Gauge.self, 1)?.small == 127)
    let error = #expect(throws: StoreError.self) {
      try db.updateAll(Gauge.where { $0.big + 1 > 0 }) {
        $0.name.set("x"); $0.small.set { $0.small }
      }
    }
    #expect(error?.code == .invalidValue)
    #expect(error?.property == nil)
  }

  @Test("the same in a context")
  func contexts() throws {
    let store = try Store(inMemoryFor: Gauge.self)
    let context = Context(store)
    context.insert(Gauge(id: 1, small: 100))
    let error = #expect(throws: StoreError.self) { try context.updateAll(Gauge.all) { $0.small.increment(by: 100) } }
    #expect(error?.property == "small")
    try context.save()
    #expect(try store.blocking.find(Gauge.self, 1)?.small == 100)
  }

  @Test("random integer arithmetic is that of Int, or an error where Int would trap")
  func random() throws {
    var generator = SplitMix64(seed: TestSeed.value)
    let pool = [0, 1, -1, 2, 3, 4, 7, .max, .min, .max - 1, .min + 1, 1 << 53 + 1, 1 << 31, 4_611_686_018_427_387_904]
    var exact = 0
    for number in 0..<400 {
      let (big, first, second, third) = (
        generator.pick(pool), generator.pick(pool), generator.pick(pool), generator.pick(pool)
      )
      let operators = (0..<3).map { _ in Int.random(in: 0..<5, using: &generator) }
      try db.save(Gauge(id: 1, big: big))
      func compute(_ left: Int?, _ right: Int, _ op: Int) -> (value: Int?, overflow: Bool) {
        guard let left, op < 3 || right != 0 else { return (nil, false) }
        let result =
          switch op {
          case 0: left.addingReportingOverflow(right)
          case 1: left.subtractingReportingOverflow(right)
          case 2: left.multipliedReportingOverflow(by: right)
          case 3: left.dividedReportingOverflow(by: right)
          default: left.remainderReportingOverflow(dividingBy: right)
          }
        // What is left of a division by -1 is zero, always.
        return op == 4 ? (right == -1 ? 0 : result.partialValue, false) : (result.partialValue, result.overflow)
      }
      func expression(_ left: QueryExpression<Int>, _ right: Int, _ op: Int) -> QueryExpression<Int> {
        switch op {
        case 0: left + right
        case 1: left - right
        case 2: left * right
        case 3: left / right
        default: left % right
        }
      }
      var expected: (value: Int?, overflow: Bool) = (big, false)
      for (operand, op) in zip([first, second, third], operators) where !expected.overflow {
        expected = compute(expected.value, operand, op)
      }
      let place = "seed \(TestSeed.value), number \(number): \(big), \(operators), \(first) \(second) \(third)"
      let query = Gauge.where { row in
        zip([first, second, third], operators).reduce(row.big.expression) { expression($0, $1.0, $1.1) }
          == expected.value
      }
      do {
        #expect(try db.count(query) == 1 && !expected.overflow, "\(place)")
        exact += 1
      } catch let error as StoreError {
        #expect(error.code == .invalidValue && expected.overflow, "\(place): \(error)")
      }
    }
    TestSeed.tried(400, .queries, "of rows")
    #expect(exact > 100)
  }

  @Test("sums of small integers are Int")
  func sums() throws {
    try db.insert((1...4).map { Gauge(id: $0, small: 100, optionalSmall: $0 == 1 ? nil : 30_000) })
    #expect(try db.sum(Gauge.all, of: \.small) == 400)
    #expect(try db.sum(Gauge.all, of: \.optionalSmall) == 90_000)
    let sums = try db.fetch(
      Gauge.all.grouped(by: \.name) {
        ($0.sum(\.small), $0.sum(\.optionalSmall), $0.min(\.optionalSmall), $0.max(\.nickname))
      })
    #expect(sums.map(\.0) == [400] && sums.map(\.1) == [90_000])
    let (least, greatest): ([Int16?], [String?]) = (sums.map(\.2), sums.map(\.3))
    #expect(least == [30_000] && greatest == [nil])
    #expect(try db.fetch(Gauge.all.grouped(by: \.isOpen) { ($0.key, $0.sum { $0.big }) }.having { $0.key }).count == 1)
  }

  @Test(
    "optional text is joined, or(_:) takes what the database computes, and an optional property is set from what is never nil"
  )
  func optionals() throws {
    try db.insert([Gauge(id: 1, name: "x", nickname: "n"), Gauge(id: 2, name: "y")])
    #expect(try db.fetch(Gauge.where { $0.nickname + "!" == "n!" }).map(\.id) == [1])
    #expect(try db.fetch(Gauge.where { "~" + $0.nickname == nil }).map(\.id) == [2])
    #expect(try db.fetch(Gauge.where { $0.name + $0.nickname == "xn" }).map(\.id) == [1])
    #expect(try db.fetch(Gauge.where { $0.nickname + $0.name == nil }).map(\.id) == [2])
    #expect(try db.fetch(Gauge.where { $0.nickname.or($0.name) == "y" }).map(\.id) == [2])
    #expect(
      try db.updateAll(Gauge.all) {
        $0.nickname.set { $0.name + "1" }; $0.optionalSmall.set(3)
      } == 2)
    #expect(try db.fetch(Gauge.all.sorted(by: \.id)).map(\.nickname) == ["x1", "y1"])
  }

  @Test("dates that are kept as text and as seconds are compared as dates, through ?? and ?: as well")
  func dates() throws {
    var generator = SplitMix64(seed: TestSeed.value)
    let days = (0..<4).map { Date(timeIntervalSinceReferenceDate: Double($0) * 86_400) }
    let rows = (1...40).map { id in
      Gauge(
        id: id, isOpen: .random(using: &generator), day: generator.pick(days), textDay: generator.pickOrNil(days),
        plainDay: generator.pickOrNil(days)
      )
    }
    try db.insert(rows)
    func check(_ predicate: Predicate<Gauge>, line: Int = #line, _ isMatch: (Gauge) -> Bool) throws {
      #expect(
        try db.fetch(Gauge.where(predicate).sorted(by: \.id)).map(\.id) == rows.filter(isMatch).map(\.id),
        "seed \(TestSeed.value), line \(line)")
    }
    for bound in days {
      try check(#Predicate { ($0.textDay ?? $0.day) == bound }) { ($0.textDay ?? $0.day) == bound }
      try check(#Predicate { ($0.plainDay ?? $0.day) >= bound }) { ($0.plainDay ?? $0.day) >= bound }
      try check(#Predicate { ($0.textDay ?? $0.day) < bound }) { ($0.textDay ?? $0.day) < bound }
      try check(#Predicate { ($0.textDay ?? bound) == $0.day }) { ($0.textDay ?? bound) == $0.day }
      try check(#Predicate { ($0.isOpen ? $0.textDay : $0.plainDay) == bound }) {
        ($0.isOpen ? $0.textDay : $0.plainDay) == bound
      }
      try check(#Predicate { ($0.isOpen ? $0.plainDay : $0.textDay) == bound }) {
        ($0.isOpen ? $0.plainDay : $0.textDay) == bound
      }
      try check(#Predicate { (($0.isOpen ? $0.textDay : $0.plainDay) ?? $0.day) > bound }) {
        (($0.isOpen ? $0.textDay : $0.plainDay) ?? $0.day) > bound
      }
      let both = [bound, days[0]]
      try check(#Predicate { both.contains($0.textDay ?? $0.day) }) { both.contains($0.textDay ?? $0.day) }
      #expect(
        try db.fetch(Gauge.where { $0.textDay.or($0.day) == bound }.sorted(by: \.id)).map(\.id)
          == rows.filter { ($0.textDay ?? $0.day) == bound }.map(\.id))
      #expect(
        try db.fetch(Gauge.where { $0.plainDay.or($0.textDay) == bound }.sorted(by: \.id)).map(\.id)
          == rows.filter { ($0.plainDay ?? $0.textDay) == bound }.map(\.id))
    }
  }
}
