import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderSync

@Suite("Replicas that write and meet at random")
struct SimulatorTests {
  /// The seeds to run: a few, or as many as the environment asks for.
  static let seeds = 0..<(ProcessInfo.processInfo.environment["LARDER_SYNC_SEEDS"].flatMap { UInt64($0) } ?? 24)

  @Test("end with the same rows, and with those of the oracle", arguments: seeds)
  func convergence(seed: UInt64) async throws {
    let simulation = SyncSimulation(for: Replica.ledger, replicas: 2 + Int(seed % 2)) { store, random in
      var writer = LedgerWriter(store: store, random: random)
      defer { random = writer.random }
      try await writer.write()
    }
    try await simulation.run(seed: seed) { stores in
      for store in stores {
        let replica = try Replica(store)
        let (expected, shown) = (try await replica.expectedRows(), try await replica.shownRows())
        #expect(shown == expected, "seed \(seed)")
      }
    }
  }

  private struct Unsteady: Error {}

  @Test("a simulation finds tables that differ, and names the seed")
  func findings() async throws {
    let simulation = SyncSimulation(for: [SharedKind.self], replicas: 2, steps: 10) { store, random in
      // Behind the back of the tracking.
      try await store.writingModule { connection in
        try connection.execute("UPDATE _larder_sync_clock SET is_applying = 1")
        try connection.execute("INSERT INTO SharedKind (id, title) VALUES (lower(hex(randomblob(8))), 'hidden')")
        try connection.execute("UPDATE _larder_sync_clock SET is_applying = 0")
      }
      _ = random.next()
    }
    let failure = await #expect(throws: SyncSimulationFailure.self) { try await simulation.run(seed: 7) }
    #expect(failure?.seed == 7)
    #expect(failure?.problem.contains("SharedKind") == true)
    let erring = SyncSimulation(for: [SharedKind.self]) { _, _ in throw Unsteady() }
    let error = await #expect(throws: SyncSimulationFailure.self) { try await erring.run(seed: 8) }
    #expect(error?.description.contains("seed 8") == true && error?.problem.contains("Unsteady") == true)
  }
}

/// Writes to a ledger with all methods, and few keys.
private struct LedgerWriter {
  let store: Store
  var random: SplitMix64

  private mutating func number() -> Int { Int.random(in: 0..<5, using: &random) }

  private mutating func key() -> UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number())))
  }

  mutating func write() async throws {
    let (account, cost, category, tag) = (key(), key(), key(), key())
    let (one, other) = (number(), number())
    switch Int.random(in: 0..<25, using: &random) {
    case 0, 1: try await store.save(SharedAccount(id: account, name: "\(one)", limit: Double(other)))
    case 2: try await store.updateAll(SharedAccount.where { $0.id == account }) { $0.name.set("n\(one)") }
    case 3: try await store.deleteAll(SharedAccount.where { $0.id == account })
    case 4, 5:
      try await store.save(
        SharedCost(
          id: cost, amount: one, note: "\(other)", receipt: Data([UInt8(one)]), account: ToOne(account),
          category: other > 2 ? ToOne(category) : nil, kind: one > 3 ? ToOne("\(other)") : nil))
    case 6: try await store.updateAll(SharedCost.where { $0.id == cost }) { $0.amount.set(one) }
    case 7: try await store.updateAll(SharedCost.where { $0.id == cost }) { $0.account.set(ToOne(account)) }
    case 8: try await store.updateAll(SharedCost.where { $0.id == cost }) { $0.category.set(ToOne(category)) }
    case 9: try await store.deleteAll(SharedCost.where { $0.id == cost })
    case 10:
      let parent = other > 3 ? ToOne<SharedCategory>(key()) : nil
      try await store.save(SharedCategory(id: category, name: "\(one)", parent: parent))
    case 11: try await store.deleteAll(SharedCategory.where { $0.id == category })
    case 12: try await store.save(SharedKind(id: "\(one)", title: "\(other)"))
    case 13: try await store.deleteAll(SharedKind.where { $0.id == "\(one)" })
    case 14: try await store.save(SharedTag(id: tag, name: "\(one)"))
    case 15: try await store.deleteAll(SharedTag.where { $0.id == tag })
    case 16: try await link(cost, tag, isLinked: one > 1)
    case 17:
      try await store.write { db in
        try db.insert(SharedKind(id: "both \(one)", title: "\(other)"))
        try db.updateAll(SharedAccount.where { $0.id == account }) { $0.limit.set(nil) }
      }
    case 18: try await store.save(SharedPage(id: "\(one)", title: "\(other)", views: other, stars: Int8(60 + one)))
    case 19, 20: try await count(SharedPage.where { $0.id == "\(one)" }, other)
    case 21: try await store.deleteAll(SharedPage.where { $0.id == "\(one)" })
    case 22: try await decideConflict()
    case 23: try await decideSetAside()
    default:
      let slot = SharedSlot(
        shelf: "\(one % 2)", account: one > 1 ? ToOne(account) : nil, number: other, row: "\(number())",
        column: number())
      try await store.save(slot)
    }
  }

  private func count(_ pages: Query<SharedPage>, _ number: Int) async throws {
    try await store.updateAll(pages) { $0.views.increment(by: number) }
    do {
      try await store.updateAll(pages) { $0.stars.increment(by: Int8(number * 20 - 30)) }
    } catch let error as StoreError where error.code == .invalidValue {
      // What is shown would leave the range.
    }
  }

  // MARK: Deciding

  private mutating func decideConflict() async throws {
    let conflicts = try await store.sync.conflicts().sorted { $0.lostStamp < $1.lostStamp }
    guard let conflict = conflicts.randomElement(using: &random) else { return }
    if Bool.random(using: &random) {
      try await store.sync.restore(conflict)
    } else {
      try await store.sync.dismiss(conflict)
    }
  }

  private mutating func decideSetAside() async throws {
    let rows = try await store.sync.setAside().sorted { $0.rowKey < $1.rowKey }
    guard let row = rows.randomElement(using: &random) else { return }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: try await store.sync.discard(row)
    case 1: try await store.sync.restore(row)
    default: try await store.sync.merge(row)
    }
  }

  private func link(_ cost: UUID, _ tag: UUID, isLinked: Bool) async throws {
    guard let found = try await store.find(SharedCost.self, cost),
      let linked = try await store.find(SharedTag.self, tag)
    else { return }
    if isLinked {
      try await store.link(found, \.tags, linked)
    } else {
      try await store.unlink(found, \.tags, linked)
    }
  }
}
