import Foundation
import Larder
import LarderTestSupport

enum Shade: String, Codable, Sendable, CaseIterable { case light, mid, dark }

enum Level: Int, Codable, Sendable, CaseIterable { case low = 1, middle = 5, high = 9 }

@Embeddable
struct Measure: Hashable {
  var width: Double = 0
  var unit: String? = nil
  var grade: Level = .low
}

struct Place: Codable, Hashable, Sendable {
  struct Spot: Codable, Hashable, Sendable {
    var row: Int
    var seats: [String]
  }

  var city: String
  var code: UUID?
  var spot: Spot?
}

/// One row with a property of every kind that conditions work on.
@Model
struct Specimen: Hashable {
  var id: Int
  var name: String
  var nickname: String?
  var alias: String?
  var amount: Int
  var rank: Int?
  var bonus: Int?
  var weight: Double
  var score: Double?
  var price: Decimal
  var fee: Decimal?
  var isLive: Bool
  var isKnown: Bool?
  var bornAt: Date
  var diedAt: Date?
  @Attribute(.iso8601) var seenAt: Date
  @Attribute(.iso8601) var leftAt: Date?
  var token: UUID
  var parent: UUID?
  var data: Data
  var shade: Shade
  var level: Level?
  @Embedded var measure: Measure
  var tags: [String]
  var notes: [String]?
  var marks: Set<Int>
  var scores: [String: Int]
  var place: Place
}

extension Specimen {
  /// What the values are taken from: few enough that rows share them, odd enough that each rule has its exception.
  enum Pool {
    static let texts = [
      "", "a", "A", "abc", "ABC", "abcabc", "b", "100%", "1000", "a_b", "axb", "it's", "\"quoted\"", "back\\slash",
      "😀 smile", "👩‍👩‍👧", "é", "e\u{301}",
      "É",
      "nul\u{0}inside", "nul", "straße", "STRASSE", "日本語", "[a]*?", "line\nbreak",
    ]
    static let plainTexts = ["", "a", "A", "abc", "ABC", "abcabc", "b", "100%", "a_b", "it's", "zebra"]
    static let integers = [0, 1, -1, 2, 3, 7, 100, -100]
    static let reals: [Double] = [0, 1, -1.5, 0.1, 0.2, 0.30000000000000004, 0.3, 1e300, -.infinity]
    static let decimals = [
      "0", "0.1", "0.2", "0.3", "1.5", "-2.75", "10", "9", "123456789012345678.123456789", "-0.000001",
    ].map {
      Decimal(string: $0) ?? .nan
    }
    static let dates = [0, -86_400, 86_400.5, 700_000_000.25, 700_000_000].map {
      Date(timeIntervalSinceReferenceDate: $0)
    }
    static let tokens = (0..<5).map {
      UUID(uuid: (UInt8($0) &* 63, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8($0)))
    }
    static let bytes = [Data(), Data([0]), Data([0, 1]), Data([255, 254]), Data("a".utf8)]
    static let words = ["red", "green", "blue", "it's", "50%", "a\"b", "ü", "x.y"]
  }

  init(number: Int, texts: [String] = Pool.texts, using generator: inout SplitMix64) {
    self.init(
      id: number, name: generator.pick(texts), nickname: generator.pickOrNil(texts), alias: generator.pickOrNil(texts),
      amount: generator.pick(Pool.integers), rank: generator.pickOrNil(Pool.integers),
      bonus: generator.pickOrNil(Pool.integers),
      weight: generator.pick(Pool.reals), score: generator.pickOrNil(Pool.reals), price: generator.pick(Pool.decimals),
      fee: generator.pickOrNil(Pool.decimals), isLive: generator.once(in: 2),
      isKnown: generator.pickOrNil([true, false]),
      bornAt: generator.pick(Pool.dates), diedAt: generator.pickOrNil(Pool.dates), seenAt: generator.pick(Pool.dates),
      leftAt: generator.pickOrNil(Pool.dates), token: generator.pick(Pool.tokens),
      parent: generator.pickOrNil(Pool.tokens),
      data: generator.pick(Pool.bytes), shade: generator.pick(Shade.allCases),
      level: generator.pickOrNil(Level.allCases),
      measure: Measure(
        width: generator.pick(Pool.reals), unit: generator.pickOrNil(["cm", "m", ""]),
        grade: generator.pick(Level.allCases)),
      tags: Pool.words.filter { _ in generator.once(in: 3) },
      notes: generator.once(in: 3) ? nil : Pool.words.filter { _ in generator.once(in: 4) },
      marks: Set(Pool.integers.filter { _ in generator.once(in: 3) }),
      scores: Dictionary(
        uniqueKeysWithValues: ["a", "b.c", "q\"r", "s t", "b\\s", ""].filter { _ in generator.once(in: 2) }.map {
          ($0, generator.pick(Pool.integers))
        }),
      place: Place(
        city: generator.pick(["Paris", "Köln", "O'Brien"]), code: generator.pickOrNil(Pool.tokens),
        spot: generator.once(in: 3)
          ? nil
          : Place.Spot(row: generator.pick(Pool.integers), seats: Pool.words.filter { _ in generator.once(in: 3) })))
  }
}
