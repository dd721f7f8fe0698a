import Foundation
import Larder
import LarderTestSupport

/// One row with a property of every kind that values of a query are computed from, in a tree, with a place that expires.
@Model
struct Haul: Hashable {
  var id: Int
  var code: String
  @Attribute(.unique) var label: String?
  var amount: Int
  var rank: Int?
  var price: Decimal
  var fee: Decimal?
  var weight: Double
  var at: Date
  var due: Date?
  @Attribute(.iso8601) var day: Date
  @Attribute(.iso8601) var left: Date?
  var isOpen: Bool
  var isKnown: Bool?
  var token: UUID?
  var shade: Shade
  var level: Level?
  var tags: Set<String>
  var marks: [Int: Set<String>]?
  @Embedded var measure: Measure
  var pier: ToOne<Pier>?
  @Relationship(deleteRule: .cascade) var parent: ToOne<Haul>?
  @Relationship(inverse: \Haul.parent) var children: ToMany<Haul> = []
}

/// A place that is there for a while. Its keys are texts that Swift takes for the same and a file does not.
@Model(expires: true)
struct Pier: Hashable {
  var id: String
  var name: String?
  var size: Int
  var toll: Decimal
  @Relationship(inverse: \Haul.pier) var hauls: ToMany<Haul> = []
}

/// Values with a name, which are reached through a reference as well.
extension Pier.Columns {
  var gauge: QueryExpression<Int> { hauls.count * 10 + size }
  var isNamed: QueryExpression<Bool> { name != nil }
  /// Neither true nor false to SQL where there is no name.
  var isHarbour: QueryExpression<Bool> { name.hasPrefix("H") }
  var greatest: QueryExpression<Int?> { hauls.max(\.amount) }
}

extension Haul.Columns {
  var isRoot: QueryExpression<Bool> { parent == nil }
}

extension Haul {
  static let codes = ["", "a", "B", "é", "e\u{301}", "nul\u{0}", "100%"]
  static let labels = ["x", "y", "é", "e\u{301}", "z", "X"]
  static let decimals = ["0", "0.1", "0.10", "9", "10", "-2.75", "12345678901234567890.5"].compactMap {
    Decimal(string: $0)
  }
  /// Among them the last and the first moment of a period, before and after the reference date.
  static let dates = [0, 0.25, -0.5, -86_400, 86_399.5, 31_536_000, 700_000_000.25].map {
    Date(timeIntervalSinceReferenceDate: $0)
  }
  static let words = ["red", "it's", "ü", "u\u{308}"]

  /// - Parameter hauls: The keys of the rows that may be its parent.
  init(id: Int, piers: [String], hauls: [Int], using generator: inout SplitMix64) {
    func set() -> Set<String> { Set(Self.words.filter { _ in generator.once(in: 3) }) }
    self.init(
      id: id, code: generator.pick(Self.codes), label: generator.once(in: 3) ? generator.pick(Self.labels) : nil,
      amount: Int.random(in: -3...4, using: &generator), rank: generator.pickOrNil([-1, 0, 1, 2, 3]),
      price: generator.pick(Self.decimals), fee: generator.pickOrNil(Self.decimals),
      weight: generator.pick([0, 0.5, -1.5, 1e15]), at: generator.pick(Self.dates),
      due: generator.pickOrNil(Self.dates), day: generator.pick(Self.dates), left: generator.pickOrNil(Self.dates),
      isOpen: .random(using: &generator), isKnown: generator.pickOrNil([true, false]),
      token: generator.pickOrNil(Array(Specimen.Pool.tokens.prefix(3))), shade: generator.pick(Shade.allCases),
      level: generator.pickOrNil(Level.allCases), tags: set(),
      marks: generator.pickOrNil([[:], [1: set(), 2: set(), 3: set()], [2: set()]]),
      measure: Measure(
        width: generator.pick([0, 1.5]), unit: generator.pickOrNil(["cm", ""]), grade: generator.pick(Level.allCases)),
      pier: piers.isEmpty ? nil : generator.pickOrNil(piers).map { ToOne($0) },
      parent: hauls.isEmpty ? nil : generator.pickOrNil(hauls).map { ToOne($0) })
  }
}

extension Pier {
  static let keys = ["", "a", "é", "e\u{301}", "B", "nul\u{0}"]

  init(id: String, using generator: inout SplitMix64) {
    self.init(
      id: id, name: generator.pickOrNil(Haul.codes), size: Int.random(in: -1...3, using: &generator),
      toll: generator.pick(Haul.decimals))
  }
}
