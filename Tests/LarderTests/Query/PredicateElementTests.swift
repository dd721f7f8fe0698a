import Foundation
import LarderTestSupport
import Testing

@testable import Larder

/// Types that JSON holds in another form than columns do, beside those that have one form.
@Model
private struct Sample: Hashable {
  var id: Int
  var price: Decimal
  var token: UUID
  var data: Data
  var ratio: Float
  var isOn: Bool
  var day: Date
  var maybe: Decimal?
  var prices: [Decimal]
  var gaps: [Decimal?]
  var named: [String: Decimal]
  var grid: [[Decimal]]
  var tokens: [UUID]
  var blobs: [Data]
  var ratios: [Float]
  var flags: [Bool]
  var days: [Date]
}

@Suite("#Predicate: elements of collections against plain Swift")
struct PredicateElementTests {
  private let store: Store
  private let rows: [Sample]
  private let seed = TestSeed.value

  /// Decimals of which doubles make the same number, or other ones.
  private static let decimals = [
    "0.1", "0.10000000000000000001", "9007199254740993", "9007199254740992", "-3.3", "1e-20",
    "12345678901234567890.123456789", "0",
  ].compactMap { Decimal(string: $0) }
  private static let tokens = (0..<4).compactMap { UUID(uuidString: "0000000\($0)-0000-4000-8000-00000000000A") }
  private static let blobs = [Data(), Data([0]), Data([0, 255]), Data("a".utf8)]
  private static let ratios: [Float] = [0.1, 0.5, 1e-30, 3.4e38, -2]
  private static let days = [0, 0.1, 1e9 + 0.123456, -5].map { Date(timeIntervalSinceReferenceDate: $0) }

  init() throws {
    var generator = SplitMix64(seed: seed)
    func list<Element>(_ pool: [Element]) -> [Element] {
      (0..<Int.random(in: 0...3, using: &generator)).map { _ in generator.pick(pool) }
    }
    rows = (1...200).map { id in
      Sample(
        id: id, price: generator.pick(Self.decimals), token: generator.pick(Self.tokens),
        data: generator.pick(Self.blobs),
        ratio: generator.pick(Self.ratios), isOn: .random(using: &generator), day: generator.pick(Self.days),
        maybe: generator.pickOrNil(Self.decimals),
        prices: list(Self.decimals), gaps: list(Self.decimals + [nil]),
        named: Dictionary(list(Self.decimals).map { ("a", $0) }) { $1 },
        grid: [list(Self.decimals), list(Self.decimals)], tokens: list(Self.tokens), blobs: list(Self.blobs),
        ratios: list(Self.ratios),
        flags: list([true, false]), days: list(Self.days))
    }
    store = try Store(inMemoryFor: Sample.self)
    try store.blocking.insert(rows)
  }

  private func check(_ predicate: Predicate<Sample>, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let expected = try rows.filter { try predicate.evaluate($0) }.map(\.id)
    #expect(
      !expected.isEmpty && expected.count < rows.count, "tells nothing, seed \(seed)", sourceLocation: sourceLocation)
    let found = try store.blocking.fetch(Sample.where(predicate).sorted(by: \.id)).map(\.id)
    #expect(found == expected, "seed \(seed)", sourceLocation: sourceLocation)
    TestSeed.tried(1, .queries, "predicates on elements")
  }

  @Test("decimals have all of their digits")
  func decimals() throws {
    for number in Self.decimals {
      try check(#Predicate { $0.prices.contains { $0 == number } })
      try check(#Predicate { $0.prices.contains(number) })
      try check(#Predicate { $0.gaps.contains { $0 == number } })
      try check(#Predicate { $0.prices.first == number })
      try check(#Predicate { $0.prices.last != number })
      try check(#Predicate { $0.prices.count > 1 && $0.prices[1] == number })
      try check(#Predicate { $0.named["a"] == number })
      try check(#Predicate { $0.named["a", default: number] == number })
      try check(#Predicate { ($0.named["a"] ?? number) == number })
      try check(#Predicate { $0.grid.contains { $0.contains(number) } })
      try check(#Predicate { $0.grid.contains { $0.contains { $0 == number } } })
    }
    for number in Self.decimals.sorted().dropFirst().dropLast() {
      try check(#Predicate { $0.prices.contains { $0 > number } })
      try check(#Predicate { $0.prices.allSatisfy { $0 <= number } })
      try check(#Predicate { $0.prices.contains { $0 + 1 > number + 1 } })
      try check(#Predicate { $0.prices.contains { (number...number).contains($0) } })
    }
    let few = Array(Self.decimals.prefix(3))
    try check(#Predicate { $0.prices.contains { few.contains($0) } })
  }

  @Test("elements are compared with columns of their type, whatever form JSON has for it")
  func columns() throws {
    try check(#Predicate { row in row.prices.contains { $0 == row.price } })
    try check(#Predicate { row in row.prices.contains { $0 < row.price } })
    try check(#Predicate { $0.prices.contains($0.price) })
    try check(#Predicate { $0.gaps.contains($0.maybe) })
    try check(#Predicate { $0.prices.first == $0.maybe })
    try check(#Predicate { $0.tokens.contains($0.token) })
    try check(#Predicate { row in row.tokens.allSatisfy { $0 != row.token } })
    try check(#Predicate { row in row.tokens.first.flatMap { $0 == row.token } ?? false })
    try check(#Predicate { $0.blobs.contains($0.data) })
    try check(#Predicate { row in row.blobs.contains { $0 == row.data } })
    try check(#Predicate { $0.ratios.contains($0.ratio) })
    try check(#Predicate { row in row.ratios.contains { $0 >= row.ratio } })
    try check(#Predicate { $0.flags.contains($0.isOn) })
    try check(#Predicate { row in row.flags.contains { $0 == row.isOn } })
    try check(#Predicate { $0.days.contains($0.day) })
    try check(#Predicate { row in row.days.contains { $0 > row.day } })
  }

  @Test("elements are compared with constants of their type")
  func constants() throws {
    let (token, data, ratio, day) = (Self.tokens[1], Self.blobs[2], Self.ratios[0], Self.days[2])
    try check(#Predicate { $0.tokens.contains { $0 == token } })
    try check(#Predicate { $0.tokens.contains(token) })
    try check(#Predicate { $0.tokens.first == token })
    try check(#Predicate { $0.blobs.contains { $0 == data } })
    try check(#Predicate { $0.blobs.contains(data) })
    try check(#Predicate { $0.ratios.contains { $0 == ratio } })
    try check(#Predicate { $0.ratios.contains(ratio) })
    try check(#Predicate { $0.ratios.first == ratio })
    try check(#Predicate { $0.flags.contains { $0 } })
    try check(#Predicate { $0.flags.contains(true) })
    try check(#Predicate { $0.days.contains { $0 == day } })
    try check(#Predicate { $0.days.contains(day) })
  }

  @Test("a place in JSON is compared with a column as what it is taken for")
  func places() throws {
    func check(
      _ query: Query<Sample>, _ matches: (Sample) -> Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let expected = rows.filter(matches).map(\.id)
      #expect(!expected.isEmpty, sourceLocation: sourceLocation)
      #expect(
        try store.blocking.fetch(query.sorted(by: \.id)).map(\.id) == expected, "seed \(seed)",
        sourceLocation: sourceLocation)
      TestSeed.tried(1, .queries, "conditions on places in JSON")
    }
    let (token, data, ratio) = (Self.tokens[1], Self.blobs[2], Self.ratios[0])
    try check(Sample.where { $0.tokens[0].as(UUID.self) == $0.token }) { $0.tokens.first == $0.token }
    try check(Sample.where { $0.tokens[0].as(UUID.self) == token }) { $0.tokens.first == token }
    try check(Sample.where { $0.blobs[0].as(Data.self) == $0.data }) { $0.blobs.first == $0.data }
    try check(Sample.where { $0.blobs[0].as(Data.self) == data }) { $0.blobs.first == data }
    try check(Sample.where { $0.ratios[0].as(Float.self) == $0.ratio }) { $0.ratios.first == $0.ratio }
    try check(Sample.where { $0.ratios[0].as(Float.self) == ratio }) { $0.ratios.first == ratio }
    try check(Sample.where { $0.ratios[0] == ratio }) { $0.ratios.first == ratio }
    try check(Sample.where { $0.prices[0].as(Decimal.self) == $0.price }) { $0.prices.first == $0.price }
  }
}
