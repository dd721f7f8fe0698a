import Foundation
import LarderRandom
import Testing

@testable import LarderSync

@Suite("Merging states")
struct MergingTests {
  /// A few states of one row, as replicas write them: stamps are never equal for two writes.
  private struct Writers {
    var random: SplitMix64
    var time: Int64 = 0
    let replicas: [ReplicaID]

    init(seed: UInt64) {
      var random = SplitMix64(seed: seed)
      replicas = (0..<3).map { _ in ReplicaID(using: &random) }
      self.random = random
    }

    mutating func stamp() throws -> Stamp {
      time += 1
      let replica = try #require(replicas.randomElement(using: &random))
      return try #require(Stamp(time: Int64.random(in: 0..<8, using: &random) << 16 + time, replica: replica))
    }

    mutating func state() throws -> RowState {
      let length = Int64.random(in: 1...5, using: &random)
      let (one, other) = (try stamp(), try stamp())
      let isThere = length % 2 == 1
      var properties: [PropertyState] = []
      for name in ["a", "b", "c"] where Bool.random(using: &random) {
        properties.append(
          PropertyState(
            name: name, value: .integer(Int64.random(in: 0..<3, using: &random)), stamp: try stamp(),
            causalLength: Int64.random(in: 1...length, using: &random)))
      }
      return RowState(
        table: "T", key: [.integer(1)], causalLength: length, stamp: isThere ? one : max(one, other),
        insertion: isThere ? one : min(one, other), properties: properties)
    }
  }

  @Test("merging is commutative, associative and idempotent", arguments: 0..<200 as Range<UInt64>)
  func laws(seed: UInt64) throws {
    var writers = Writers(seed: seed)
    let (a, b, c) = (try writers.state(), try writers.state(), try writers.state())
    #expect(a.merging(b) == b.merging(a))
    #expect(a.merging(b).merging(c) == a.merging(b.merging(c)))
    #expect(a.merging(b).merging(b) == a.merging(b))
    let merged = a.merging(b)
    #expect(merged.merging(merged) == merged)
    // An insertion starts the row anew: properties of former lives are none of it.
    let living = (a.properties + b.properties).filter { $0.causalLength >= merged.insertionLength }
    #expect(merged.properties.map(\.name) == Set(living.map(\.name)).sorted())
  }

  @Test("states merge to the same in every order and with repetitions", arguments: 0..<50 as Range<UInt64>)
  func order(seed: UInt64) throws {
    var writers = Writers(seed: seed)
    var states: [RowState] = []
    for _ in 0..<6 { states.append(try writers.state()) }
    let merged = states.dropFirst().reduce(states[0]) { $0.merging($1) }
    for _ in 0..<5 {
      let mixed = (states + states).shuffled(using: &writers.random)
      #expect(mixed.dropFirst().reduce(mixed[0]) { $0.merging($1) } == merged)
    }
  }

  @Test("a property of an earlier life of the row loses against a later life, whatever its stamp")
  func causalLength() throws {
    let (one, two) = (ReplicaID(), ReplicaID())
    func stamp(_ milliseconds: UInt64, _ replica: ReplicaID) throws -> Stamp {
      try #require(Stamp(milliseconds: milliseconds, counter: 0, replica: replica))
    }
    let edited = RowState(
      table: "T", key: [.integer(1)], causalLength: 1, stamp: try stamp(1, one), insertion: try stamp(1, one),
      properties: [PropertyState(name: "a", value: .integer(1), stamp: try stamp(9, one), causalLength: 1)])
    let again = RowState(
      table: "T", key: [.integer(1)], causalLength: 3, stamp: try stamp(5, two), insertion: try stamp(5, two),
      properties: [PropertyState(name: "a", value: .integer(2), stamp: try stamp(5, two), causalLength: 3)])
    #expect(edited.merging(again) == again)
    #expect(again.merging(edited) == again)
  }
}
