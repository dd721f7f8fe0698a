import Foundation
import Larder
import LarderTestSupport

/// Rows with many ties and nils, in a table whose key says nothing of the order in which they came.
@Model
struct PagedItem: Hashable {
  var id: UUID
  @Attribute(.indexed) var group: Int
  var rank: Int?
  var label: String?
  var price: Decimal
  var fee: Decimal?
  var at: Date?
  @Attribute(.iso8601) var day: Date?
  var word: String
  var level: Level?
  var scores: [String: Int]

  init(using generator: inout SplitMix64) {
    id = UUID(uuid: withUnsafeBytes(of: (generator.next(), generator.next())) { $0.load(as: uuid_t.self) })
    group = Int.random(in: 0..<4, using: &generator)
    rank = generator.pickOrNil([1, 2, 3])
    label = generator.pickOrNil(["a", "B", "b", "É", "e\u{301}", "file 9", "file 10", ""])
    price = generator.pick(["9", "10", "1.50", "0.1"].map { Decimal(string: $0) ?? 0 })
    fee = generator.pickOrNil(["9", "10", "-1"].map { Decimal(string: $0) ?? 0 })
    at = generator.pickOrNil(Specimen.Pool.dates)
    day = generator.pickOrNil(Specimen.Pool.dates)
    word = generator.pick(["x", "X", "y"])
    level = generator.pickOrNil(Level.allCases)
    scores = generator.once(in: 2) ? [:] : ["a": Int.random(in: 0..<3, using: &generator)]
  }
}

/// Rows whose key has two parts.
@Model
struct PagedPair: Hashable {
  @Attribute(.primaryKey) var house: String
  @Attribute(.primaryKey) var number: Int
  var rank: Int?
}
