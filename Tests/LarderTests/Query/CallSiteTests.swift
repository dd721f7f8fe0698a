import Foundation
import Larder
import Testing

/// What people write without thinking compiles, in time, and means what it says.
@Suite struct CallSiteTests {
  let sample: SpecimenSample

  init() throws { sample = try SpecimenSample() }

  @Test("a long condition of many kinds is one expression")
  func long() throws {
    try sample.check(
      {
        ($0.name.contains("a") || $0.nickname == nil) && $0.amount > 0 && $0.price < 10 && !$0.tags.contains("red")
          && $0.shade != .dark
          && ($0.isLive || $0.level == .low || $0.rank > 1) && $0.measure.width < 2 && $0.bornAt > .distantPast
      }, isTelling: false
    ) { row in
      guard row.name.holds("a") || row.nickname == nil, row.amount > 0, row.price < 10, !row.tags.contains("red"),
        row.shade != .dark
      else {
        return false
      }
      return (row.isLive || row.level == .low || (row.rank ?? 0) > 1) && row.measure.width < 2
    }
  }

  @Test("literals of every kind stand beside a column")
  func literals() throws {
    try sample.check({ $0.weight > 0 && $0.weight < 1.5 }) { $0.weight > 0 && $0.weight < 1.5 }
    try sample.check({ $0.score == 0.1 || $0.score == 1 }) { $0.score == 0.1 || $0.score == 1 }
    try sample.check({ $0.price * 2 >= 3 }) { $0.price * 2 >= 3 }
    try sample.check({ $0.fee == 10 || $0.fee == nil }) { $0.fee == 10 || $0.fee == nil }
    try sample.check({ $0.rank == 1 }) { $0.rank == 1 }
    try sample.check({ $0.nickname == "a" }) { $0.nickname == "a" }
    try sample.check({ $0.level == .middle }) { $0.level == .middle }
    try sample.check({ $0.isKnown == false }) { $0.isKnown == false }
    try sample.check({ $0.measure.unit == "cm" && $0.measure.grade == .high }, isTelling: false) {
      $0.measure.unit == "cm" && $0.measure.grade == .high
    }
  }

  @Test("a condition may be chosen while the program runs, and conditions may be kept in an array")
  func chosen() throws {
    for isLive in [true, false] {
      try sample.check({ isLive ? $0.isLive.expression : !$0.isLive }) { $0.isLive == isLive }
    }
    let conditions: [QueryExpression<Bool>] = [Specimen.columns.amount > 0, Specimen.columns.name.contains("a")]
    let query = conditions.reduce(Specimen.all) { query, condition in query.where { _ in condition } }
    try sample.check(query) { $0.amount > 0 && $0.name.holds("a") }
  }

  @Test("A4: conditions chain: each narrows what the ones before it found")
  func chained() throws {
    try sample.check(Specimen.where { $0.amount > 0 }.where { $0.isLive }.where { $0.rank != nil }) {
      $0.amount > 0 && $0.isLive && $0.rank != nil
    }
    try sample.check(Specimen.where { $0.amount > 0 || $0.amount < 0 }.where { $0.isLive }) {
      $0.amount != 0 && $0.isLive
    }
  }
}
