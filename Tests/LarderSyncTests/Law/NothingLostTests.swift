import Foundation
import Larder
import LarderRandom
import Testing

@testable import LarderSync

/// Everything that replicas write, remembered outside of them: what was written, and what its writer had before his eyes.
private struct Ledger {
  struct Write: Hashable {
    let row: RowKey
    /// Nil for what happens to a row as a whole.
    let property: String?
    let stamp: Stamp
  }

  private(set) var values: [Write: ReplicatedValue] = [:]
  /// The writes that somebody had before his eyes when he wrote to the same property, or deleted the row.
  private var overwritten: Set<Write> = []

  private func writes(_ state: RowState) -> [Write: ReplicatedValue] {
    var writes: [Write: ReplicatedValue] = [:]
    for property in state.properties {
      writes[Write(row: state.rowKey, property: property.name, stamp: property.stamp)] = property.value
    }
    return writes
  }

  /// Remembers what one call has changed in the state of a replica.
  mutating func record(from before: [RowKey: RowState], to after: [RowKey: RowState]) {
    for (rowKey, state) in after {
      let old = before[rowKey]
      let known = old.map(writes) ?? [:]
      let isAnotherLife = old.map { $0.causalLength != state.causalLength } ?? false
      for (write, value) in writes(state) where known[write] == nil {
        values[write] = value
        for former in known.keys where former.property == write.property { overwritten.insert(former) }
      }
      if isAnotherLife { overwritten.formUnion(known.keys) }
    }
  }

  /// Returns the writes of which no trace is left: they are neither the present value, nor overwritten by someone who
  /// saw them, nor listed as lost, nor equal to a value of which one of these holds.
  func missing(in state: [RowKey: RowState]) -> [Write] {
    var present: Set<Write> = overwritten
    for (rowKey, row) in state {
      present.formUnion(writes(row).keys)
      for loss in row.losses { present.insert(Write(row: rowKey, property: loss.property, stamp: loss.stamp)) }
    }
    struct Value: Hashable {
      let row: RowKey
      let property: String?
      let value: ReplicatedValue
    }
    let covered = Set(
      values.filter { present.contains($0.key) }.map {
        Value(row: $0.key.row, property: $0.key.property, value: $0.value)
      })
    return values.compactMap { write, value in
      if present.contains(write) { return nil }
      // A row that is deleted is listed as a whole, with the last of the changes.
      if let row = state[write.row], row.losses.contains(where: { $0.property == nil }) { return nil }
      return covered.contains(Value(row: write.row, property: write.property, value: value)) ? nil : write
    }
  }
}

@Suite("Sync: nothing is lost without a trace")
struct NothingLostTests {
  private static let seeds =
    0..<(ProcessInfo.processInfo.environment["LARDER_SYNC_SEEDS"].flatMap { UInt64($0) } ?? 4)

  private let names = ["a", "b", "c"]

  @Test("every value that was written is there, overwritten by someone who saw it, or listed", arguments: seeds)
  func trace(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    var ledger = Ledger()
    let replicas = try (0..<3).map { _ in try Replica() }
    for _ in 0..<50 {
      let replica = replicas[Int.random(in: 0..<3, using: &random)]
      if Int.random(in: 0..<4, using: &random) == 0 {
        let other = replicas[Int.random(in: 0..<3, using: &random)]
        if other.path != replica.path { try await replica.exchange(with: other) }
        continue
      }
      let before = try await replica.state()
      do {
        if Int.random(in: 0..<6, using: &random) == 0 {
          try await decide(replica, &random)
        } else {
          try await write(replica.store, &random)
        }
      } catch let error as StoreError where [.referenced, .duplicate, .notFound].contains(error.code) {}
      ledger.record(from: before, to: try await replica.state())
    }
    for _ in 0..<3 {
      for replica in replicas {
        for other in replicas where other.path != replica.path { try await replica.exchange(with: other) }
      }
    }
    try await expectEqual(replicas, "seed \(seed)")
    let missing = ledger.missing(in: try await replicas[0].state())
    #expect(missing.isEmpty, "seed \(seed)")
    #expect(ledger.values.count > 5, "seed \(seed)")
  }

  private func write(_ store: Store, _ random: inout SplitMix64) async throws {
    let name = names[Int.random(in: 0..<3, using: &random)]
    let number = Int.random(in: 0..<100, using: &random)
    let key = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number % 4)))
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1: try await store.save(SharedKind(id: name, title: "\(number)"))
    case 2: try await store.updateAll(SharedKind.where { $0.id == name }) { $0.title.set("u\(number)") }
    case 3: try await store.deleteAll(SharedKind.where { $0.id == name })
    case 4: try await store.save(SharedTag(id: key, name: name))
    case 5: try await store.updateAll(SharedTag.where { $0.id == key }) { $0.name.set("\(number % 3)") }
    case 6: try await store.save(SharedPage(id: name, title: "\(number)", views: number))
    case 7: try await store.updateAll(SharedPage.where { $0.id == name }) { $0.views.increment(by: number) }
    default: try await store.updateAll(SharedPage.where { $0.id == name }) { $0.title.set("u\(number)") }
    }
  }

  private func decide(_ replica: Replica, _ random: inout SplitMix64) async throws {
    let sync = replica.store.sync
    if Bool.random(using: &random) {
      let conflicts = try await sync.conflicts().sorted { $0.lostStamp < $1.lostStamp }
      guard let conflict = conflicts.randomElement(using: &random) else { return }
      if Bool.random(using: &random) { try await sync.restore(conflict) } else { try await sync.dismiss(conflict) }
    } else {
      let rows = try await sync.setAside().sorted { $0.rowKey < $1.rowKey }
      guard let row = rows.randomElement(using: &random) else { return }
      if Bool.random(using: &random) { try await sync.merge(row) } else { try await sync.discard(row) }
    }
  }
}
