import Foundation
import Larder
import Testing

/// Every comparison, on columns of every type, finds the rows that plain Swift finds.
@Suite struct ComparisonTests {
  let sample: SpecimenSample

  init() throws { sample = try SpecimenSample() }

  /// All six operators between a column and constants, on either side.
  private func checkAll<Value: Comparable & Sendable>(
    _ path: KeyPath<Specimen.Columns, Column<Specimen, Value>>, _ value: (Specimen) -> Value, _ constants: [Value],
    isEqual: (Value, Value) -> Bool = { $0 == $1 }, isLess: (Value, Value) -> Bool = { $0 < $1 },
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for constant in constants {
      func check(_ condition: (Column<Specimen, Value>) -> QueryExpression<Bool>, _ matches: (Value) -> Bool) throws {
        try sample.check({ condition($0[keyPath: path]) }, isTelling: false, sourceLocation: sourceLocation) {
          matches(value($0))
        }
      }
      try check({ $0 == constant }) { isEqual($0, constant) }
      try check({ constant == $0 }) { isEqual($0, constant) }
      try check({ $0 != constant }) { !isEqual($0, constant) }
      try check({ constant != $0 }) { !isEqual($0, constant) }
      try check({ $0 < constant }) { isLess($0, constant) }
      try check({ constant < $0 }) { isLess(constant, $0) }
      try check({ $0 <= constant }) { !isLess(constant, $0) }
      try check({ constant <= $0 }) { !isLess($0, constant) }
      try check({ $0 > constant }) { isLess(constant, $0) }
      try check({ constant > $0 }) { isLess($0, constant) }
      try check({ $0 >= constant }) { !isLess($0, constant) }
      try check({ constant >= $0 }) { !isLess(constant, $0) }
      try check({ $0 == nil }) { _ in false }
      try check({ $0 != nil }) { _ in true }
    }
  }

  /// The same for a column that may be nil: nil equals nil alone, and is neither less nor greater than anything.
  private func checkAll<Value: Comparable & Sendable>(
    optional path: KeyPath<Specimen.Columns, Column<Specimen, Value?>>, _ value: (Specimen) -> Value?,
    _ constants: [Value],
    isEqual: (Value, Value) -> Bool = { $0 == $1 }, isLess: (Value, Value) -> Bool = { $0 < $1 },
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for constant in constants {
      func check(
        _ condition: (Column<Specimen, Value?>) -> QueryExpression<Bool>, ofNil: Bool, _ matches: (Value) -> Bool
      ) throws {
        try sample.check({ condition($0[keyPath: path]) }, isTelling: false, sourceLocation: sourceLocation) {
          value($0).map(matches) ?? ofNil
        }
      }
      try check({ $0 == constant }, ofNil: false) { isEqual($0, constant) }
      try check({ constant == $0 }, ofNil: false) { isEqual($0, constant) }
      try check({ $0 != constant }, ofNil: true) { !isEqual($0, constant) }
      try check({ constant != $0 }, ofNil: true) { !isEqual($0, constant) }
      try check({ $0 < constant }, ofNil: false) { isLess($0, constant) }
      try check({ constant < $0 }, ofNil: false) { isLess(constant, $0) }
      try check({ $0 <= constant }, ofNil: false) { !isLess(constant, $0) }
      try check({ $0 > constant }, ofNil: false) { isLess(constant, $0) }
      try check({ $0 >= constant }, ofNil: false) { !isLess($0, constant) }
      try check({ !($0 < constant) }, ofNil: true) { !isLess($0, constant) }
      try check({ $0 == nil }, ofNil: true) { _ in false }
      try check({ nil == $0 }, ofNil: true) { _ in false }
      try check({ $0 != nil }, ofNil: false) { _ in true }
      try check({ !($0 == nil) }, ofNil: false) { _ in true }
    }
  }

  @Test("A4: text compares by its bytes")
  func text() throws {
    try checkAll(\.name, \.name, Specimen.Pool.texts, isEqual: { $0.isSame(as: $1) }, isLess: { $0.precedes($1) })
    try checkAll(
      optional: \.nickname, \.nickname, Specimen.Pool.texts, isEqual: { $0.isSame(as: $1) }, isLess: { $0.precedes($1) }
    )
  }

  @Test("A4: whole numbers compare by size")
  func integers() throws {
    try checkAll(\.amount, \.amount, Specimen.Pool.integers + [.max, .min])
    try checkAll(optional: \.rank, \.rank, Specimen.Pool.integers)
  }

  @Test("A4: real numbers compare by size, also where they differ in the last bit")
  func reals() throws {
    try checkAll(\.weight, \.weight, Specimen.Pool.reals + [.infinity])
    try checkAll(optional: \.score, \.score, Specimen.Pool.reals)
    try checkAll(\.measure.width, \.measure.width, Specimen.Pool.reals)
  }

  @Test("A4: decimals compare by their exact size, not as text and not as doubles")
  func decimals() throws {
    try checkAll(\.price, \.price, Specimen.Pool.decimals)
    try checkAll(optional: \.fee, \.fee, Specimen.Pool.decimals)
  }

  @Test("A4: dates compare by time, kept as seconds or as text")
  func dates() throws {
    try checkAll(\.bornAt, \.bornAt, Specimen.Pool.dates)
    try checkAll(optional: \.diedAt, \.diedAt, Specimen.Pool.dates)
    try checkAll(\.seenAt, \.seenAt, Specimen.Pool.dates)
    try checkAll(optional: \.leftAt, \.leftAt, Specimen.Pool.dates)
  }

  @Test("enums, Booleans, identifiers and data are equal or not")
  func equality() throws {
    for shade in Shade.allCases {
      try sample.check({ $0.shade == shade }) { $0.shade == shade }
      try sample.check({ shade != $0.shade }) { $0.shade != shade }
    }
    for level in Level.allCases {
      try sample.check({ $0.level == level }) { $0.level == level }
      try sample.check({ $0.level != level }) { $0.level != level }
      try sample.check({ $0.measure.grade == level }) { $0.measure.grade == level }
    }
    try sample.check({ $0.level == nil }) { $0.level == nil }
    for token in Specimen.Pool.tokens {
      try sample.check({ $0.token == token }) { $0.token == token }
      try sample.check({ $0.parent != token }) { $0.parent != token }
    }
    for data in Specimen.Pool.bytes {
      try sample.check({ $0.data == data }) { $0.data == data }
    }
    try sample.check({ $0.tags == ["red"] }, isTelling: false) { $0.tags == ["red"] }
    try sample.check({ $0.notes == nil }) { $0.notes == nil }
  }

  @Test("a Boolean property is a condition by itself")
  func booleans() throws {
    try sample.check({ $0.isLive }) { $0.isLive }
    try sample.check({ !$0.isLive }) { !$0.isLive }
    try sample.check({ $0.isLive == false }) { !$0.isLive }
    try sample.check({ $0.isLive && !$0.isLive }, isTelling: false) { _ in false }
    try sample.check({ $0.isLive && $0.amount > 1 }) { $0.isLive && $0.amount > 1 }
    try sample.check({ $0.amount > 1 || $0.isLive }) { $0.isLive || $0.amount > 1 }
    try sample.check({ $0.isKnown == true }) { $0.isKnown == true }
    try sample.check({ $0.isKnown != true }) { $0.isKnown != true }
    try sample.check({ $0.isKnown.or(false) }) { $0.isKnown ?? false }
    try sample.check({ $0.isLive == $0.isKnown }) { $0.isLive == $0.isKnown }
  }

  @Test("two columns compare as their values do, nil with nil included")
  func columns() throws {
    try sample.check({ $0.rank == $0.bonus }) { $0.rank == $0.bonus }
    try sample.check({ $0.rank != $0.bonus }) { $0.rank != $0.bonus }
    try sample.check({ $0.rank == $0.amount }) { $0.rank == $0.amount }
    try sample.check({ $0.amount != $0.rank }) { $0.rank != $0.amount }
    func isLess(_ left: Int?, _ right: Int?) -> Bool { left.flatMap { left in right.map { left < $0 } } ?? false }
    try sample.check({ $0.rank < $0.bonus }) { isLess($0.rank, $0.bonus) }
    try sample.check({ $0.rank < $0.amount }) { isLess($0.rank, $0.amount) }
    try sample.check({ $0.amount < $0.rank }) { isLess($0.amount, $0.rank) }
    try sample.check({ $0.amount >= $0.rank }) { row in row.rank.map { row.amount >= $0 } ?? false }
    try sample.check({ $0.rank <= $0.amount }) { row in row.rank.map { $0 <= row.amount } ?? false }
    try sample.check({ $0.rank > $0.amount }) { isLess($0.amount, $0.rank) }
    try sample.check({ $0.nickname == $0.alias }) { row in
      guard let nickname = row.nickname, let alias = row.alias else { return row.nickname == nil && row.alias == nil }
      return nickname.isSame(as: alias)
    }
    try sample.check({ $0.price == $0.fee }) { $0.price == $0.fee }
    try sample.check({ $0.seenAt == $0.leftAt }) { $0.seenAt == $0.leftAt }
    try sample.check({ $0.bornAt < $0.diedAt }) { row in row.diedAt.map { row.bornAt < $0 } ?? false }
    try sample.check({ $0.token == $0.parent }) { $0.token == $0.parent }
  }

  @Test("&&, || and ! know two truths alone, also where a side is nil")
  func logic() throws {
    try sample.check({ !($0.rank > 0) }) { !($0.rank.map { $0 > 0 } ?? false) }
    try sample.check({ !($0.rank > 0 && $0.bonus > 0) }) { !(($0.rank ?? 0) > 0 && ($0.bonus ?? 0) > 0) }
    try sample.check({ !($0.rank > 0 || $0.bonus > 0) }) { !(($0.rank ?? 0) > 0 || ($0.bonus ?? 0) > 0) }
    try sample.check({ !(!($0.rank > 0)) }) { ($0.rank ?? 0) > 0 }
    try sample.check({ ($0.rank > 0) == ($0.bonus > 0) }) { (($0.rank ?? 0) > 0) == (($0.bonus ?? 0) > 0) }
    try sample.check({ ($0.rank > 0) == false }) { !(($0.rank ?? 0) > 0) }
    try sample.check({ ($0.rank > 0) != $0.isLive }) { (($0.rank ?? 0) > 0) != $0.isLive }
    try sample.check({ ($0.nickname.contains("a")) == false }) { !($0.nickname?.holds("a") ?? false) }
  }

  @Test("a value is in a list of any length, with nil in it or without")
  func lists() throws {
    try sample.check({ $0.amount.isIn([1, 2, 3]) }) { [1, 2, 3].contains($0.amount) }
    try sample.check({ !$0.amount.isIn([1, 2, 3]) }) { ![1, 2, 3].contains($0.amount) }
    try sample.check({ $0.amount.isIn([]) }, isTelling: false) { _ in false }
    try sample.check({ !$0.rank.isIn([Int]()) }, isTelling: false) { _ in true }
    try sample.check({ $0.rank.isIn([1, nil]) }) { $0.rank == 1 || $0.rank == nil }
    try sample.check({ $0.rank.isIn([1, 2]) }) { $0.rank == 1 || $0.rank == 2 }
    try sample.check({ !$0.rank.isIn([1, 2]) }) { $0.rank != 1 && $0.rank != 2 }
    let few: Set<Int> = [1, 7]
    try sample.check({ $0.rank.isIn(few) }) { $0.rank.map(few.contains) ?? false }
    try sample.check({ $0.shade.isIn([.light, .dark]) }) { $0.shade != .mid }
    try sample.check({ $0.level.isIn([.low, nil]) }) { $0.level == .low || $0.level == nil }
    try sample.check({ $0.price.isIn([1.5, 10]) }) { [1.5, 10].contains($0.price) }
    try sample.check({ $0.seenAt.isIn([Specimen.Pool.dates[0], Specimen.Pool.dates[3]]) }) {
      [Specimen.Pool.dates[0], Specimen.Pool.dates[3]].contains($0.seenAt)
    }
  }

  @Test("a list may be longer than the number of parameters that SQLite allows", arguments: [33, 40_000])
  func longLists(_ length: Int) throws {
    let integers = Array(2..<length) + [-100]
    try sample.check({ $0.amount.isIn(integers) }) { $0.amount == -100 || (2..<length).contains($0.amount) }
    try sample.check({ $0.rank.isIn(integers.map(Optional.some) + [nil]) }) { row in
      row.rank.map { $0 == -100 || (2..<length).contains($0) } ?? true
    }
    try sample.check({ !$0.rank.isIn(integers) }) { row in
      row.rank.map { $0 != -100 && !(2..<length).contains($0) } ?? true
    }
    let texts = ["abc", "it's", "e\u{301}", "\"quoted\""]
    let fillers = integers.map { "text \($0)" }
    try sample.check({ $0.name.isIn(fillers + texts) }) { row in texts.contains { row.name.isSame(as: $0) } }
    try sample.check({ $0.name.isIn(fillers + ["nul\u{0}inside"]) }) { $0.name.isSame(as: "nul\u{0}inside") }
    let reals: [Double] = [0.30000000000000004, 0.1, -.infinity]
    try sample.check({ $0.weight.isIn(integers.map { Double($0) + 0.5 } + reals) }) { reals.contains($0.weight) }
    let decimals = Array(Specimen.Pool.decimals[3...6])
    try sample.check({ $0.price.isIn(integers.map { Decimal($0) + 1000 } + decimals) }) { decimals.contains($0.price) }
    let dates = Array(Specimen.Pool.dates[..<2])
    let days = integers.map { Date(timeIntervalSinceReferenceDate: Double($0) + 0.125) } + dates
    try sample.check({ $0.bornAt.isIn(days) }) { dates.contains($0.bornAt) }
    try sample.check({ $0.seenAt.isIn(days) }) { dates.contains($0.seenAt) }
    let tokens = Array(Specimen.Pool.tokens[..<2])
    try sample.check({ $0.token.isIn(integers.map { _ in UUID() } + tokens) }) { tokens.contains($0.token) }
  }

  @Test("isBetween takes both ends of a closed range and the lower end of a half-open one")
  func ranges() throws {
    try sample.check({ $0.amount.isBetween(0, 3) }) { (0...3).contains($0.amount) }
    try sample.check({ $0.amount.isBetween(0...3) }) { (0...3).contains($0.amount) }
    try sample.check({ $0.amount.isBetween(0..<3) }) { (0..<3).contains($0.amount) }
    try sample.check({ $0.amount.isBetween(3, 0) }, isTelling: false) { _ in false }
    try sample.check({ !$0.rank.isBetween(0...3) }) { !($0.rank.map { (0...3).contains($0) } ?? false) }
    try sample.check({ $0.rank.isBetween(0..<3) }) { $0.rank.map { (0..<3).contains($0) } ?? false }
    try sample.check({ $0.price.isBetween(0.1...9) }) { (0.1...9).contains($0.price) }
    let dates = Specimen.Pool.dates.sorted()
    try sample.check({ $0.seenAt.isBetween(dates[1]...dates[3]) }) { (dates[1]...dates[3]).contains($0.seenAt) }
    try sample.check({ $0.leftAt.isBetween(dates[1]...dates[3]) }) {
      $0.leftAt.map { (dates[1]...dates[3]).contains($0) } ?? false
    }
    try sample.check({ $0.nickname.isBetween("a"..."b") }) { row in
      row.nickname.map { !$0.precedes("a") && !"b".precedes($0) } ?? false
    }
  }

  @Test("a value that cannot be stored is refused with the property's name")
  func refusedConstants() throws {
    let error = try #require(throws: StoreError.self) { try sample.db.fetch(Specimen.where { $0.weight == .nan }) }
    #expect(error.code == .invalidValue)
    #expect(error.property == "weight")
    #expect(throws: StoreError.self) { try sample.db.count(Specimen.where { $0.amount > 1 && $0.price < Decimal.nan }) }
  }
}
