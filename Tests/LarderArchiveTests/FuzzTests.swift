import Foundation
import LarderArchive
import LarderArchiveMutation
import Testing

@Suite("Archives: damage")
struct FuzzTests {
  private func fuzz() throws -> Fuzz {
    try Fuzz(keyed: [
      KeyedFixtures.creatures(isSecure: true), KeyedFixtures.creatures(isSecure: false),
      KeyedFixtures.creatures(isSecure: true, format: .xml),
    ])
  }

  @Test(
    "D2: 100 damaged archives and hostile graphs of each kind are values or thrown errors on a small thread",
    arguments: Fuzz.Kind.allCases)
  func damage(_ kind: Fuzz.Kind) throws {
    let temporary = try TemporaryFolder(isInMemory: true)
    let (fuzz, url) = (try fuzz(), temporary.url)
    let outcome = try SmallThread.run {
      var outcome = Fuzz.Outcome()
      for seed in 0..<100 { fuzz.run(kind, seed: UInt64(seed), in: url, &outcome) }
      return outcome
    }
    #expect(outcome.values + outcome.errors.values.reduce(0, +) == 100)
    // Hostile graphs and damage that is hidden from the checksum reach what lies behind it. Archives by Foundation differ
    // from process to process in the order of their objects, so that the same damage gives a kind of error more or less.
    let fewest: [Fuzz.Kind: Int] = [.packages: 2, .parts: 1, .graphs: 1, .decorated: 2, .keyed: 2, .xml: 2]
    #expect(outcome.errors.count >= fewest[kind, default: 4] && outcome.values > 0, "\(outcome)")
  }

  @Test(
    "D2: archives of thousands of levels, or of large texts over one another, are values or limitExceeded",
    arguments: NestedArchive.Format.allCases)
  func large(_ format: NestedArchive.Format) throws {
    let fuzz = try fuzz()
    let outcome = try SmallThread.run {
      var outcome = Fuzz.Outcome()
      for seed in 0..<10 { fuzz.runLarge(format, seed: UInt64(seed), &outcome) }
      return outcome
    }
    #expect(outcome.values + (outcome.errors["limitExceeded"] ?? 0) == 10)
    #expect(outcome.values > 0 && outcome.errors.count == 1, "\(outcome)")
  }
}
