import Foundation
import LarderRandom
import LarderSync
import Testing

@Suite("The values that travel")
struct SyncValuesTests {
  @Test("an identifier has 16 bytes, and they give it again")
  func identifierBytes() {
    var random = SplitMix64(seed: 1)
    for _ in 0..<100 {
      let replica = ReplicaID(using: &random)
      #expect(replica.bytes.count == ReplicaID.byteCount)
      #expect(ReplicaID(replica.bytes) == replica)
      #expect(replica.description.count == 32)
    }
    #expect(ReplicaID(Data(count: 15)) == nil)
    #expect(ReplicaID(Data(count: 17)) == nil)
  }

  @Test("identifiers are ordered as their bytes")
  func identifierOrder() {
    var random = SplitMix64(seed: 2)
    for _ in 0..<100 {
      let (left, right) = (ReplicaID(using: &random), ReplicaID(using: &random))
      #expect((left < right) == left.bytes.lexicographicallyPrecedes(right.bytes))
    }
  }

  @Test("a stamp is ordered by milliseconds, then counter, then replica")
  func stampOrder() throws {
    let low = try #require(ReplicaID(Data(repeating: 1, count: 16)))
    let high = try #require(ReplicaID(Data(repeating: 2, count: 16)))
    let stamps = [
      Stamp(milliseconds: 1, counter: .max, replica: high), Stamp(milliseconds: 2, counter: 0, replica: low),
      Stamp(milliseconds: 2, counter: 0, replica: high), Stamp(milliseconds: 2, counter: 1, replica: low),
    ].compactMap { $0 }
    #expect(stamps.count == 4)
    #expect(stamps.sorted() == stamps)
    #expect(stamps[0].milliseconds == 1)
    #expect(stamps[0].counter == .max)
  }

  @Test("a stamp before 1970 or past 47 bits of milliseconds is refused")
  func stampLimits() {
    let replica = ReplicaID()
    #expect(Stamp(time: -1, replica: replica) == nil)
    #expect(Stamp(milliseconds: Stamp.greatestMilliseconds, counter: .max, replica: replica)?.time == .max)
    #expect(Stamp(milliseconds: Stamp.greatestMilliseconds + 1, counter: 0, replica: replica) == nil)
  }

  @Test("reals are equal by their bits, and storage classes are never equal")
  func valueEquality() {
    #expect(ReplicatedValue.real(0.0) != .real(-0.0))
    #expect(ReplicatedValue.real(.nan) == .real(.nan))
    #expect(ReplicatedValue.integer(1) != .real(1))
    #expect(ReplicatedValue.text(Data([0x31])) != .blob(Data([0x31])))
    let values: [ReplicatedValue] = [.null, .integer(-1), .integer(2), .real(0), .text(Data([1])), .blob(Data())]
    for (index, value) in values.enumerated() {
      for other in values[(index + 1)...] { #expect(value < other && !(other < value)) }
    }
  }
}
