import Foundation
import Larder
import LarderTestSupport
import Testing

/// Dates that are kept as text, dates that are kept as seconds, and constants, mixed by `??`, `?:` and `or(_:)` to any
/// depth, beside plain Swift.
@Suite("Random expressions of dates that are kept in two forms")
struct RandomDateTests {
  private let db: BlockingStore
  private let rows: [Gauge]

  private static let days = [0, 0.25, 86_400, 172_800.5].map { Date(timeIntervalSinceReferenceDate: $0) }

  init() throws {
    var generator = SplitMix64(seed: TestSeed.value &* 83)
    rows = (1...30).map { id in
      Gauge(
        id: id, isOpen: .random(using: &generator), day: generator.pick(Self.days),
        textDay: generator.pickOrNil(Self.days), plainDay: generator.pickOrNil(Self.days))
    }
    db = try Store(inMemoryFor: Gauge.self).blocking
    try db.insert(rows)
  }

  @Test("#Predicate finds what plain Swift finds")
  func predicates() throws {
    var generator = SplitMix64(seed: TestSeed.value &* 89)
    var telling = 0
    for number in 0..<120 {
      let predicate = Predicate<Gauge> { row in
        PredicateTree(row: row, days: Self.days).condition(depth: 3, &generator)
      }
      let expected = try rows.filter { try predicate.evaluate($0) }.map(\.id)
      let found = try db.fetch(Gauge.where(predicate).sorted(by: \.id)).map(\.id)
      #expect(found == expected, "seed \(TestSeed.value), number \(number): \(predicate)")
      if !expected.isEmpty, expected.count < rows.count { telling += 1 }
    }
    TestSeed.tried(120, .queries, "conditions on dates")
    #expect(telling > 30, "seed \(TestSeed.value): too few conditions tell anything")
  }

  @Test("conditions and new values of queries are those of plain Swift")
  func queries() throws {
    var generator = SplitMix64(seed: TestSeed.value &* 97)
    for number in 0..<60 {
      let (left, right) = (DateTree(3, Self.days, &generator), DateTree(3, Self.days, &generator))
      let place = "seed \(TestSeed.value), number \(number): \(left.text), \(right.text)"
      let (a, b) = (left.expression, right.expression)
      #expect(
        try db.fetch(Gauge.where { _ in a == b }.sorted(by: \.id)).map(\.id)
          == rows.filter { left.value($0) == right.value($0) }.map(\.id), "\(place)")
      #expect(
        try db.fetch(Gauge.where { _ in a < b }.sorted(by: \.id)).map(\.id)
          == rows.filter { row in left.value(row).flatMap { a in right.value(row).map { a < $0 } } ?? false }.map(\.id),
        "\(place)")
      let store = try Store(inMemoryFor: Gauge.self)
      try store.blocking.insert(rows)
      let context = Context(store)
      for db in [store.blocking, context] as [any StoreWriter] {
        _ = try db.updateAll(Gauge.all) {
          $0.textDay.set { _ in a }
          $0.plainDay.set { _ in b }
        }
        #expect(
          try db.fetch(Gauge.all.sorted(by: \.id))
            == rows.map { row in
              var row = row
              (row.textDay, row.plainDay) = (left.value(row), right.value(row))
              return row
            }, "\(place)")
        // The context begins with the rows as they were.
        if !(db is Context) { try store.blocking.save(rows) }
      }
    }
    TestSeed.tried(240, .queries, "expressions of dates")
  }
}

/// Builds random expressions of `#Predicate`, whose types are known when the test runs.
private struct PredicateTree {
  typealias Root = PredicateExpressions.Variable<Gauge>
  typealias Expression<Output> = any StandardPredicateExpression<Output>

  let row: Root
  let days: [Date]

  func condition(depth: Int, _ generator: inout SplitMix64) -> Expression<Bool> {
    func dates() -> (Expression<Date>, Expression<Date>) {
      (date(depth: depth - 1, &generator), date(depth: depth - 1, &generator))
    }
    guard depth > 0 else { return path(\.isOpen) }
    switch Int.random(in: 0..<9, using: &generator) {
    case 0: return path(\.isOpen)
    case 1:
      return negation(condition(depth: depth - 1, &generator))
    case 2:
      return conjunction(condition(depth: depth - 1, &generator), condition(depth: depth - 1, &generator))
    case 3:
      return equality(optional(depth: depth - 1, &generator), optional(depth: depth - 1, &generator))
    case 4, 5:
      let (left, right) = dates()
      return equality(left, right)
    case 6:
      return membership(days.filter { _ in generator.once(in: 2) }, date(depth: depth - 1, &generator))
    default:
      let (left, right) = dates()
      return comparison(left, right, Int.random(in: 0..<4, using: &generator))
    }
  }

  private func date(depth: Int, _ generator: inout SplitMix64) -> Expression<Date> {
    switch depth > 0 ? Int.random(in: 0..<6, using: &generator) : Int.random(in: 0..<2, using: &generator) {
    case 0: path(\.day)
    case 1: PredicateExpressions.build_Arg(generator.pick(days))
    case 2:
      choice(
        condition(depth: depth - 1, &generator), date(depth: depth - 1, &generator), date(depth: depth - 1, &generator))
    default: coalescence(optional(depth: depth - 1, &generator), date(depth: depth - 1, &generator))
    }
  }

  private func optional(depth: Int, _ generator: inout SplitMix64) -> Expression<Date?> {
    switch depth > 0 ? Int.random(in: 0..<6, using: &generator) : Int.random(in: 0..<5, using: &generator) {
    case 0, 1: path(\.textDay)
    case 2, 3: path(\.plainDay)
    case 4: PredicateExpressions.build_Arg(generator.pickOrNil(days))
    default:
      choice(
        condition(depth: depth - 1, &generator), optional(depth: depth - 1, &generator),
        optional(depth: depth - 1, &generator))
    }
  }

  // MARK: Nodes

  private func path<Output>(_ path: any KeyPath<Gauge, Output> & Sendable) -> Expression<Output> {
    PredicateExpressions.build_KeyPath(root: row, keyPath: path)
  }

  private func choice<Output>(
    _ test: some StandardPredicateExpression<Bool>, _ yes: some StandardPredicateExpression<Output>,
    _ no: some StandardPredicateExpression<Output>
  ) -> Expression<Output> {
    PredicateExpressions.build_Conditional(test, yes, no)
  }

  private func coalescence(
    _ left: some StandardPredicateExpression<Date?>, _ right: some StandardPredicateExpression<Date>
  ) -> Expression<Date> {
    PredicateExpressions.build_NilCoalesce(lhs: left, rhs: right)
  }

  private func equality<Output: Equatable & Codable & Sendable>(
    _ left: some StandardPredicateExpression<Output>, _ right: some StandardPredicateExpression<Output>
  ) -> Expression<Bool> {
    PredicateExpressions.build_Equal(lhs: left, rhs: right)
  }

  private func comparison(
    _ left: some StandardPredicateExpression<Date>, _ right: some StandardPredicateExpression<Date>,
    _ op: Int
  ) -> Expression<Bool> {
    switch op {
    case 0: PredicateExpressions.build_Comparison(lhs: left, rhs: right, op: .lessThan)
    case 1: PredicateExpressions.build_Comparison(lhs: left, rhs: right, op: .lessThanOrEqual)
    case 2: PredicateExpressions.build_Comparison(lhs: left, rhs: right, op: .greaterThan)
    default: PredicateExpressions.build_Comparison(lhs: left, rhs: right, op: .greaterThanOrEqual)
    }
  }

  private func membership(_ list: [Date], _ date: some StandardPredicateExpression<Date>) -> Expression<Bool> {
    PredicateExpressions.build_contains(PredicateExpressions.build_Arg(list), date)
  }

  private func negation(_ condition: some StandardPredicateExpression<Bool>) -> Expression<Bool> {
    PredicateExpressions.build_Negation(condition)
  }

  private func conjunction(
    _ left: some StandardPredicateExpression<Bool>, _ right: some StandardPredicateExpression<Bool>
  ) -> Expression<Bool> {
    PredicateExpressions.build_Conjunction(lhs: left, rhs: right)
  }
}

/// A chain of `or(_:)`, as a query says it and as plain Swift says it.
private struct DateTree {
  let expression: QueryExpression<Date?>
  let value: (Gauge) -> Date?
  let text: String

  init(_ depth: Int, _ days: [Date], _ generator: inout SplitMix64) {
    let columns = Gauge.columns
    guard depth > 0, !generator.once(in: 3) else {
      if generator.once(in: 2) {
        (expression, value, text) = (columns.textDay.expression, { $0.textDay }, "textDay")
      } else {
        (expression, value, text) = (columns.plainDay.expression, { $0.plainDay }, "plainDay")
      }
      return
    }
    let (left, right) = (DateTree(depth - 1, days, &generator), DateTree(depth - 1, days, &generator))
    expression = left.expression.or(right.expression)
    value = { left.value($0) ?? right.value($0) }
    text = "(\(left.text) ?? \(right.text))"
  }
}
