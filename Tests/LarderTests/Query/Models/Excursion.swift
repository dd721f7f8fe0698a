import Foundation
import Larder
import LarderTestSupport

/// A journey of several days.
@Model
struct Excursion: Hashable {
  var id: Int
  var name: String
  var country: String?
  var price: Decimal
  var seats: Int
  var startsAt: Date
  var endsAt: Date?
  @Relationship(inverse: \Stopover.tour) var halts: ToMany<Stopover> = []
}

/// A place where a tour stays for some days. Its city is a name, and refers to nothing.
@Model
struct Stopover: Hashable {
  var id: Int
  var tour: ToOne<Excursion>?
  var city: String
  var days: Int
}

/// A city by its name.
@Model
struct Town: Hashable {
  var id: Int
  var name: String
  var isCapital: Bool
}

/// A tree.
@Model
struct Twig: Hashable {
  var id: Int
  var name: String
  @Relationship(deleteRule: .cascade) var parent: ToOne<Twig>?
}

extension Excursion {
  static func random(_ id: Int, _ generator: inout SplitMix64) -> Excursion {
    let start = Date(
      timeIntervalSinceReferenceDate: Double(Int.random(in: -90_000_000...900_000_000, using: &generator)))
    return Excursion(
      id: id, name: generator.pick(["Alps", "Fjords", "Rivers", "caf\u{e9}", "cafe\u{301}", ""]),
      country: generator.pickOrNil(["CH", "NO", "FR"]),
      price: generator.pick([Decimal(9), 10, 100, Decimal(string: "0.1") ?? 0, Decimal(string: "99.95") ?? 0]),
      seats: Int.random(in: 0...5, using: &generator), startsAt: start,
      endsAt: Bool.random(using: &generator) ? start + 86_400 : nil)
  }
}
