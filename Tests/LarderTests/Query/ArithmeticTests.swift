import Foundation
import Larder
import Testing

@Suite struct ArithmeticTests {
  let sample: SpecimenSample

  init() throws { sample = try SpecimenSample() }

  @Test("whole numbers add, subtract, multiply, divide and leave remainders as in Swift")
  func integers() throws {
    try sample.check({ $0.amount + 3 > 5 }) { $0.amount + 3 > 5 }
    try sample.check({ 10 - $0.amount >= 9 }) { 10 - $0.amount >= 9 }
    try sample.check({ $0.amount * $0.amount == 1 }) { $0.amount * $0.amount == 1 }
    try sample.check({ $0.amount / 2 == 1 }) { $0.amount / 2 == 1 }
    try sample.check({ $0.amount % 2 == 1 }) { $0.amount % 2 == 1 }
    try sample.check({ $0.amount / 3 == -33 }) { $0.amount / 3 == -33 }
    try sample.check({ -$0.amount < 0 }) { -$0.amount < 0 }
    try sample.check({ 1 - (2 - $0.amount) > 1 }) { 1 - (2 - $0.amount) > 1 }
    try sample.check({ ($0.amount + 1) * 2 - 1 < $0.amount % 7 }) { ($0.amount + 1) * 2 - 1 < $0.amount % 7 }
  }

  @Test("a number computed from nil is nil")
  func optionals() throws {
    try sample.check({ $0.rank + $0.bonus > 1 }) { row in
      row.rank.flatMap { rank in row.bonus.map { rank + $0 > 1 } } ?? false
    }
    try sample.check({ $0.rank * 2 == nil }) { $0.rank == nil }
    try sample.check({ $0.rank.or(7) + $0.amount == 7 }) { ($0.rank ?? 7) + $0.amount == 7 }
    try sample.check({ $0.score.or(0) > $0.weight }) { ($0.score ?? 0) > $0.weight }
  }

  @Test("dividing by zero gives nil, which no comparison matches")
  func zero() throws {
    try sample.check({ 10 / $0.amount > 3 }) { $0.amount != 0 && 10 / $0.amount > 3 }
    try sample.check({ 1 / $0.price == nil }) { $0.price == 0 }
  }

  @Test("real numbers compute as doubles")
  func reals() throws {
    try sample.check({ $0.weight + 0.2 == 0.30000000000000004 }) { $0.weight + 0.2 == 0.30000000000000004 }
    try sample.check({ $0.weight * 2 < $0.measure.width }) { $0.weight * 2 < $0.measure.width }
    try sample.check({ $0.amount.double / 2 == 0.5 }) { Double($0.amount) / 2 == 0.5 }
    try sample.check({ $0.weight * $0.amount.double > 1 }) { row in
      let product = row.weight * Double(row.amount)
      return !product.isNaN && product > 1
    }
  }

  @Test("decimals compute exactly: a tenth and two tenths are three tenths")
  func decimals() throws {
    let twoTenths = try #require(Decimal(string: "0.2"))
    let threeTenths = try #require(Decimal(string: "0.3"))
    try sample.check({ $0.price + twoTenths == threeTenths }) { $0.price + twoTenths == threeTenths }
    try sample.check({ $0.price * 3 == threeTenths }) { $0.price * 3 == threeTenths }
    try sample.check({ $0.price - $0.price == 0 }, isTelling: false) { _ in true }
    try sample.check({ $0.price * $0.price > $0.price }) { $0.price * $0.price > $0.price }
    try sample.check({ $0.price / 2 < 1 }) { $0.price / 2 < 1 }
    try sample.check({ -$0.price > 0 }) { -$0.price > 0 }
    try sample.check({ $0.fee + $0.price > 10 }) { row in row.fee.map { $0 + row.price > 10 } ?? false }
    try sample.check({ $0.price.double > 1.5 }) { ($0.price as NSDecimalNumber).doubleValue > 1.5 }
    #expect(throws: StoreError.self) { try sample.db.count(Specimen.where { $0.price % 2 == 0 }) }
  }
}
