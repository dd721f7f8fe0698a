import Foundation
import Larder
import LarderRandom
import LarderTestSupport
import Synchronization
import Testing

@testable import LarderSync

@Suite("Sync: exchanges that end early")
struct InterruptedExchangeTests {
  @Test(
    "S19: an exchange that fails or is cancelled at any call is completed by the next one, nothing twice and nothing missing",
    .overEachTransport, arguments: [false, true])
  func failures(cancels: Bool) async throws {
    let (a, b) = (try Replica(), try Replica())
    var random = SplitMix64(seed: 5)
    for number in 0..<14 {
      let account = SharedAccount(name: "\(number)")
      let store = Bool.random(using: &random) ? a.store : b.store
      try await store.insert(account)
      try await store.insert(SharedCost(amount: number, account: ToOne(account)))
    }
    let images = (0..<2).map { randomBytes(300 << 10, seed: $0) }
    for (name, (replica, data)) in zip(["a", "b"], zip([a, b], images)) {
      try await replica.store.insert(SharedPicture(id: name, name: name, image: try await replica.store.attach(data)))
    }
    let route = try #require(SyncRoute.current)
    var calls = 0
    while true {
      let interruption = Interruption(after: calls, cancels: cancels)
      do {
        _ = try await Task { try await route.exchange(a, b, interruption) }.value
        break
      } catch  where error is Interruption.Failure || error is CancellationError {
        calls += 1
        #expect(try await a.store.check().isHealthy)
        #expect(try await b.store.check().isHealthy)
      }
    }
    #expect(calls > 4)
    try await a.exchange(with: b)
    try await expectEqual([a, b])
    #expect(try await a.store.count(SharedCost.all) == 14)
    for replica in [a, b] {
      #expect(try await replica.data(of: "a") == images[0])
      #expect(try await replica.data(of: "b") == images[1])
      #expect(try replica.attachmentFiles().arriving.isEmpty)
    }
  }

  @Test("a cancelled exchange leaves both sides whole")
  func cancellation() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await b.store.insert((0..<2000).map { SharedKind(id: "\($0)", title: "t") })
    let task = Task { try await a.exchange(with: b) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await a.store.check().isHealthy)
    try await a.exchange(with: b)
    try await expectEqual([a, b])
  }

  @Test("live results show what an exchange has changed")
  func liveResults() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await b.store.insert(SharedKind(id: "a", title: "A"))
    var results = a.store.live(SharedKind.all).makeAsyncIterator()
    #expect(try await results.next()?.isEmpty == true)
    try await a.exchange(with: b)
    #expect(try await results.next()?.map(\.title) == ["A"])
  }

  @Test("all other ways to observe hear of what an exchange brought, too")
  @MainActor
  func observers() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await b.store.insert((0..<3).map { SharedKind(id: "\($0)", title: "t") })
    var changes = a.store.changes(SharedKind.all.sorted(by: \.id)).makeAsyncIterator()
    #expect(try await changes.next()?.values.isEmpty == true)
    let list = LiveList(SharedKind.all.sorted(by: \.id), in: a.store)
    let context = Context(a.store)
    var pending = context.live(SharedKind.all.sorted(by: \.id)).makeAsyncIterator()
    #expect(try await pending.next()?.isEmpty == true)
    #expect(try context.count(SharedKind.all) == 0)
    try await a.exchange(with: b)
    #expect(try await changes.next()?.values.map(\.id) == ["0", "1", "2"])
    #expect(try await pending.next()?.map(\.id) == ["0", "1", "2"])
    while list.count != 3 { await Task.yield() }
    #expect(try context.fetch(SharedKind.all.sorted(by: \.id)).map(\.id) == ["0", "1", "2"])
    let results = try await a.store.results(SharedKind.all.sorted(by: \.id))
    #expect(results[1]?.title == "t")
    // What a file brings is heard of as well.
    try await b.store.updateAll(SharedKind.where { $0.id == "1" }) { $0.title.set("edited") }
    let file = a.folder.file("changes")
    try await b.store.sync.export(to: file)
    try await a.store.sync.import(from: file)
    #expect(try await changes.next()?.values.map(\.title) == ["t", "edited", "t"])
    #expect(try await pending.next()?.map(\.title) == ["t", "edited", "t"])
    #expect(results[1]?.title == "edited")
    while list[1].title != "edited" { await Task.yield() }
    #expect(try context.find(SharedKind.self, "1")?.title == "edited")
  }

  /// How often something was read and written beside an exchange.
  private final class Pace: Sendable {
    private let state = Mutex((reads: 0, writes: 0, isOver: false))

    var isOver: Bool { state.withLock { $0.isOver } }
    var counts: (reads: Int, writes: Int) { state.withLock { ($0.reads, $0.writes) } }

    func noteRead() { state.withLock { $0.reads += 1 } }
    func noteWrite() { state.withLock { $0.writes += 1 } }
    func end() { state.withLock { $0.isOver = true } }
  }

  /// A peer that hands out each batch only after something was read and written since the one before.
  private struct PacedPeer: SyncPeer {
    let peer: StoreSync
    let pace: Pace

    func replica() async throws -> ReplicaID { try await peer.replica() }

    func changes(after cursor: ChangeCursor, for recipient: ReplicaID, limit: Int) async throws -> ChangeBatch {
      let before = pace.counts
      while pace.counts.reads < before.reads + 2 || pace.counts.writes < before.writes + 2 {
        try await Task.sleep(for: .milliseconds(1))
      }
      return try await peer.changes(after: cursor, for: recipient, limit: min(limit, 500))
    }

    func apply(_ batch: ChangeBatch) async throws -> Int { try await peer.apply(batch) }

    func cursor(of replica: ReplicaID) async throws -> ChangeCursor { try await peer.cursor(of: replica) }
  }

  /// A peer on whose side, and on the other, more is written between two batches than a batch takes.
  private final class HastyPeer: SyncPeer {
    let peer: StoreSync
    let other: Store
    let count = Mutex(0)

    init(peer: StoreSync, other: Store) {
      (self.peer, self.other) = (peer, other)
    }

    func replica() async throws -> ReplicaID { try await peer.replica() }

    func changes(after cursor: ChangeCursor, for recipient: ReplicaID, limit: Int) async throws -> ChangeBatch {
      let batch = try await peer.changes(after: cursor, for: recipient, limit: min(limit, 40))
      try await write(to: peer.store)
      return batch
    }

    func apply(_ batch: ChangeBatch) async throws -> Int {
      try await write(to: other)
      return try await peer.apply(batch)
    }

    func cursor(of replica: ReplicaID) async throws -> ChangeCursor { try await peer.cursor(of: replica) }

    /// Inserts more rows than a batch has. It stops once an exchange should long have ended.
    private func write(to store: Store) async throws {
      let number = count.withLock { count in
        count += 1
        return count
      }
      if number <= 60 { try await store.insert((0..<600).map { SharedKind(id: "\(number) \($0)", title: "") }) }
    }
  }

  @Test("an exchange ends though both sides write faster than it carries, and has carried what there was")
  func hasty() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await a.store.insert((0..<700).map { SharedKind(id: "a \($0)", title: "") })
    try await b.store.insert((0..<100).map { SharedKind(id: "b \($0)", title: "") })
    let peer = HastyPeer(peer: b.store.sync, other: a.store)
    try await a.store.sync.exchange(with: peer)
    // The end is asked for after the first batch, beside which 600 rows were written: 18 batches of 40, and 3 of 500.
    #expect(peer.count.withLock { $0 } < 30)
    #expect(try await a.store.count(SharedKind.where { $0.id.hasPrefix("b ") }) == 100)
    #expect(try await b.store.count(SharedKind.where { $0.id.hasPrefix("a ") }) == 700)
    try await a.store.sync.exchange(with: b.store.sync)
    #expect(try await a.store.count(SharedKind.all) == b.store.count(SharedKind.all))
  }

  @Test("readers see whole commits during an exchange of thousands of rows, and writers go on")
  func beside() async throws {
    let (a, b) = (try Replica(), try Replica())
    let accounts = (0..<40).map { SharedAccount(name: "\($0)") }
    try await b.store.insert(accounts)
    try await b.store.insert((0..<3000).map { SharedCost(amount: $0, account: ToOne(accounts[$0 % 40].id)) })
    let (store, pace) = (a.store, Pace())
    let reading = Task {
      var sizes: Set<Int> = []
      while !pace.isOver {
        let (costs, accounts) = try await store.read { db in
          (try db.fetch(SharedCost.all), try db.fetch(SharedAccount.all))
        }
        let sums = Dictionary(grouping: costs, by: \.account.id).mapValues { $0.map(\.amount).reduce(0, +) }
        #expect(Set(sums.keys).isSubset(of: accounts.map(\.id)))
        #expect(accounts.allSatisfy { $0.balance == sums[$0.id] ?? 0 })
        sizes.insert(costs.count)
        pace.noteRead()
      }
      return sizes
    }
    let writing = Task {
      // An exchange ends when there is nothing new.
      while !pace.isOver, pace.counts.writes < 500 {
        try await store.insert(SharedKind(id: "\(pace.counts.writes)", title: "t"))
        pace.noteWrite()
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    try await store.sync.exchange(with: PacedPeer(peer: b.store.sync, pace: pace))
    pace.end()
    try await writing.value
    let sizes = try await reading.value
    #expect(sizes.contains { $0 > 0 && $0 < 3000 }, "\(sizes)")
    try await a.exchange(with: b)
    try await expectEqual([a, b])
    #expect(try await b.store.count(SharedKind.all) == pace.counts.writes)
    #expect(try await a.store.count(SharedCost.all) == 3000)
  }

  @Test("a context with unsaved changes is told of a row that an exchange has changed")
  func context() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await a.store.insert(SharedKind(id: "a", title: "A"))
    try await a.exchange(with: b)
    try await b.store.updateAll(SharedKind.all) { $0.title.set("B") }
    let context = Context(a.store)
    var kind = try #require(try context.find(SharedKind.self, "a"))
    kind.title = "C"
    context.update(kind)
    try await a.exchange(with: b)
    #expect {
      try context.save()
    } throws: { error in
      (error as? StoreError)?.code == .conflict
    }
  }
}
