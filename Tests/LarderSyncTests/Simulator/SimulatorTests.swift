import Foundation
import Larder
import LarderRandom
import Testing

@testable import LarderSync

@Suite("Replicas that write and meet at random")
struct SimulatorTests {
  @Test("end with the same rows, and with those of the oracle", arguments: Simulator.seeds)
  func convergence(seed: UInt64) async throws {
    var simulator = try Simulator(seed: seed, replicaCount: 2 + Int(seed % 2))
    for _ in 0..<60 { try await simulator.step() }
    try await simulator.quiesce()
    try await expectEqual(simulator.replicas, "seed \(seed)")
  }
}

/// Replicas that write, exchange and lose messages at random.
struct Simulator {
  let replicas: [Replica]
  private var random: SplitMix64
  /// The seeds to run: a few, or as many as the environment asks for.
  static let seeds = 0..<(ProcessInfo.processInfo.environment["LARDER_SYNC_SEEDS"].flatMap { UInt64($0) } ?? 24)
  /// Keys that were used, by table, so that replicas write to the same rows.
  private var accounts: [UUID] = []
  private var costs: [UUID] = []
  private var categories: [UUID] = []
  private var tags: [UUID] = []

  init(seed: UInt64, replicaCount: Int) throws {
    random = SplitMix64(seed: seed)
    replicas = try (0..<replicaCount).map { _ in try Replica() }
  }

  mutating func step() async throws {
    let replica = replicas[Int.random(in: replicas.indices, using: &random)]
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<7:
      for _ in 0..<Int.random(in: 1...4, using: &random) { try await write(to: replica) }
    case 7 where Bool.random(using: &random): try await decide(replica)
    case 7: try await replica.advanceClock(by: Int64.random(in: 0..<100_000, using: &random))
    default:
      let other = replicas[Int.random(in: replicas.indices, using: &random)]
      if other.path != replica.path { try await meet(replica, other) }
    }
  }

  /// Exchanges, with batches lost, repeated and out of order.
  private mutating func meet(_ replica: Replica, _ other: Replica) async throws {
    let (sender, recipient) = (try await replica.store.sync.replica(), try await other.store.sync.replica())
    var cursor = try await other.store.sync.cursor(of: sender)
    var batches: [ChangeBatch] = []
    while true {
      let limit = Int.random(in: 1...20, using: &random)
      let batch = try await replica.store.sync.changes(after: cursor, for: recipient, limit: limit)
      batches.append(batch)
      if batch.isLast { break }
      cursor = batch.upTo
    }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: batches.removeLast()
    case 1: batches += batches
    case 2: batches.shuffle(using: &random)
    default: break
    }
    for batch in batches { try await other.store.sync.apply(batch) }
  }

  /// Exchanges until nobody has anything new.
  mutating func quiesce() async throws {
    for _ in 0..<3 {
      for replica in replicas {
        for other in replicas where other.path != replica.path { try await replica.exchange(with: other) }
      }
    }
  }

  // MARK: Deciding

  /// Decides about a conflict or a row that is set aside.
  private mutating func decide(_ replica: Replica) async throws {
    let sync = replica.store.sync
    do {
      // Rows that no exchange has looked at since they were written may have left the list when one is decided about.
      if Bool.random(using: &random) {
        let conflicts = try await sync.conflicts().sorted { $0.lostStamp < $1.lostStamp }
        guard let conflict = conflicts.randomElement(using: &random) else { return }
        if Bool.random(using: &random) { try await sync.restore(conflict) } else { try await sync.dismiss(conflict) }
      } else {
        let rows = try await sync.setAside().sorted { $0.rowKey < $1.rowKey }
        guard let row = rows.randomElement(using: &random) else { return }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: try await sync.discard(row)
        case 1: try await sync.restore(row)
        default: try await sync.merge(row)
        }
      }
    } catch let error as StoreError where [.notFound, .referenced].contains(error.code) {}
  }

  // MARK: Writing

  private mutating func key(_ keys: WritableKeyPath<Simulator, [UUID]>) -> UUID {
    let count = self[keyPath: keys].count
    if count > 4 || count > 0 && Int.random(in: 0..<3, using: &random) > 0 {
      return self[keyPath: keys][Int.random(in: self[keyPath: keys].indices, using: &random)]
    }
    let digits = ReplicaID(using: &random).description
    let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { range in
      String(digits.dropFirst(range.lowerBound).prefix(range.count))
    }
    let key = UUID(uuidString: parts.joined(separator: "-")) ?? UUID()
    self[keyPath: keys].append(key)
    return key
  }

  private mutating func number() -> Int { Int.random(in: 0..<5, using: &random) }

  /// Writes one row. What a rule of the models refuses, the user does not do.
  private mutating func write(to replica: Replica) async throws {
    do {
      try await writeOne(replica.store)
    } catch let error as StoreError where [.referenced, .duplicate, .notFound].contains(error.code) {}
  }

  private mutating func writeOne(_ store: Store) async throws {
    let (account, cost, category, tag) = (key(\.accounts), key(\.costs), key(\.categories), key(\.tags))
    let (one, other) = (number(), number())
    switch Int.random(in: 0..<22, using: &random) {
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
      try await store.save(
        SharedCategory(id: category, name: "\(one)", parent: other > 3 ? ToOne(key(\.categories)) : nil))
    case 11: try await store.deleteAll(SharedCategory.where { $0.id == category })
    case 12: try await store.save(SharedKind(id: "\(one)", title: "\(other)"))
    case 13: try await store.deleteAll(SharedKind.where { $0.id == "\(one)" })
    case 14: try await store.save(SharedTag(id: tag, name: "\(one)"))
    case 15: try await store.deleteAll(SharedTag.where { $0.id == tag })
    case 16:
      guard let found = try await store.find(SharedCost.self, cost),
        let linked = try await store.find(SharedTag.self, tag)
      else { return }
      if one > 1 {
        try await store.link(found, \.tags, linked)
      } else {
        try await store.unlink(found, \.tags, linked)
      }
    case 17: try await store.save(SharedPage(id: "\(one)", title: "\(other)", views: other, stars: Int8(60 + one)))
    case 18, 19:
      try await store.updateAll(SharedPage.where { $0.id == "\(one)" }) {
        $0.views.increment(by: other)
        $0.stars.increment(by: Int8(other * 20 - 30))
      }
    case 20: try await store.deleteAll(SharedPage.where { $0.id == "\(one)" })
    default:
      let slot = SharedSlot(
        shelf: "\(one % 2)", account: one > 1 ? ToOne(account) : nil, number: other, row: "\(number())",
        column: number())
      try await store.save(slot)
    }
  }
}
