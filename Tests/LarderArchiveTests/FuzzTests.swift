import Foundation
import LarderArchive
import LarderArchiveMutation
import Testing

@Suite("Archives: damage")
struct FuzzTests {
  @Test("D2: 5,000 damaged archives are values or thrown errors", arguments: 0..<5)
  func damage(_ part: Int) throws {
    let keyed = try [
      KeyedFixtures.creatures(isSecure: true), KeyedFixtures.creatures(isSecure: false), KeyedFixtures.creatures(isSecure: true, format: .xml),
    ]
    let fuzz = try Fuzz(keyed: keyed)
    var outcome = Fuzz.Outcome()
    for seed in 0..<1000 { fuzz.run(seed: UInt64(part * 1000 + seed), &outcome) }
    #expect(outcome.values + outcome.errors.values.reduce(0, +) == 1000)
    // Damage that is hidden from the checksum reaches what lies behind it.
    #expect(outcome.errors.count > 3, "\(outcome)")
  }
}
