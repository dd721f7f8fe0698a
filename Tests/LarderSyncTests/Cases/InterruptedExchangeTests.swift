import Foundation
import Larder
import LarderRandom
import Testing

@testable import LarderSync

/// A peer whose transport fails after a number of calls, or whose task is cancelled then.
private struct FailingPeer: SyncPeer {
  struct Failure: Error {}

  let peer: StoreSync
  let calls: Counter

  actor Counter {
    private var rest: Int
    private let cancels: Bool

    init(_ rest: Int, cancels: Bool) {
      self.rest = rest
      self.cancels = cancels
    }

    func count() throws {
      rest -= 1
      if rest >= 0 { return }
      guard cancels else { throw Failure() }
      withUnsafeCurrentTask { $0?.cancel() }
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

  func wanted(among attachments: [NamedAttachment]) async throws -> [NamedAttachment: Int] {
    try await calls.count()
    return try await peer.wanted(among: attachments)
  }

  func attachment(_ attachment: NamedAttachment, from offset: Int) async throws -> Data? {
    try await calls.count()
    return try await peer.attachment(attachment, from: offset)
  }

  func take(_ piece: AttachmentPiece) async throws -> Int? {
    let next = try await peer.take(piece)
    try await calls.count()
    return next
  }

  func forgotten() async throws -> Int64 {
    try await calls.count()
    return try await peer.forgotten()
  }
}

@Suite("Sync: exchanges that end early")
struct InterruptedExchangeTests {
  @Test(
    "S19: an exchange that fails or is cancelled at any call is completed by the next one, nothing twice and nothing missing",
    arguments: [false, true])
  func failures(cancels: Bool) async throws {
    let (a, b) = (try Replica(), try Replica())
    var random = SplitMix64(seed: 5)
    for number in 0..<30 {
      let account = SharedAccount(name: "\(number)")
      let store = Bool.random(using: &random) ? a.store : b.store
      try await store.insert(account)
      try await store.insert(SharedCost(amount: number, account: ToOne(account)))
    }
    let images = (0..<2).map { randomBytes(300 << 10, seed: $0) }
    for (name, (replica, data)) in zip(["a", "b"], zip([a, b], images)) {
      try await replica.store.insert(SharedPicture(id: name, name: name, image: try await replica.store.attach(data)))
    }
    var calls = 0
    while true {
      let peer = FailingPeer(peer: b.store.sync, calls: FailingPeer.Counter(calls, cancels: cancels))
      do {
        _ = try await Task { try await a.store.sync.exchange(with: peer) }.value
        break
      } catch  where error is FailingPeer.Failure || error is CancellationError {
        calls += 1
        #expect(try await a.store.check().isHealthy)
        #expect(try await b.store.check().isHealthy)
      }
    }
    #expect(calls > 6)
    try await a.store.sync.exchange(with: b.store.sync)
    try await expectEqual([a, b])
    #expect(try await a.store.count(SharedCost.all) == 30)
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
