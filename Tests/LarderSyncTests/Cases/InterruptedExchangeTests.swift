import Foundation
import Larder
import LarderRandom
import Testing

@testable import LarderSync

/// A peer whose transport fails after a number of calls.
private struct FailingPeer: SyncPeer {
  struct Failure: Error {}

  let peer: StoreSync
  let calls: Counter

  actor Counter {
    var rest: Int

    init(_ rest: Int) { self.rest = rest }

    func count() throws {
      rest -= 1
      if rest < 0 { throw Failure() }
    }
  }

  func replica() async throws -> ReplicaID {
    try await calls.count()
    return try await peer.replica()
  }

  func changes(after cursor: ChangeCursor, for recipient: ReplicaID, limit: Int) async throws -> ChangeBatch {
    try await calls.count()
    return try await peer.changes(after: cursor, for: recipient, limit: min(limit, 7))
  }

  func apply(_ batch: ChangeBatch) async throws -> Int {
    let changed = try await peer.apply(batch)
    // The peer has the batch, but the answer is lost.
    try await calls.count()
    return changed
  }

  func cursor(of replica: ReplicaID) async throws -> ChangeCursor {
    try await calls.count()
    return try await peer.cursor(of: replica)
  }
}

@Suite("Sync: exchanges that end early")
struct InterruptedExchangeTests {
  @Test("S19: an exchange that fails at any call is completed by the next one, nothing twice and nothing missing")
  func failures() async throws {
    let (a, b) = (try Replica(), try Replica())
    var random = SplitMix64(seed: 5)
    for number in 0..<30 {
      let account = SharedAccount(name: "\(number)")
      let store = Bool.random(using: &random) ? a.store : b.store
      try await store.insert(account)
      try await store.insert(SharedCost(amount: number, account: ToOne(account)))
    }
    var calls = 0
    while true {
      let peer = FailingPeer(peer: b.store.sync, calls: FailingPeer.Counter(calls))
      do {
        try await a.store.sync.exchange(with: peer)
        break
      } catch is FailingPeer.Failure {
        calls += 1
        #expect(try await a.store.check().isHealthy)
        #expect(try await b.store.check().isHealthy)
      }
    }
    #expect(calls > 3)
    try await expectEqual([a, b])
    #expect(try await a.store.count(SharedCost.all) == 30)
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
