import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderSync

@Suite("Sync: deletions are kept for a while")
struct SyncRetentionTests {
  private let a: Replica
  private let b: Replica
  private let kept = SharedKind(id: "kept", title: "K")
  private let deleted = SharedKind(id: "deleted", title: "D")
  private let edited = SharedKind(id: "edited", title: "E")

  init() throws {
    a = try Replica()
    b = try Replica()
  }

  private func meet(_ others: Replica...) async throws {
    for _ in 0..<2 {
      for replica in [a, b] + others {
        for other in [a, b] + others where other.path != replica.path { try await replica.exchange(with: other) }
      }
    }
    try await expectEqual([a, b] + others)
  }

  /// `b` has three rows, and is away while `a` deletes two of them and forgets that it did.
  private func partForLong() async throws {
    try await a.store.insert([kept, deleted, edited])
    try await meet()
    try await a.store.deleteAll(SharedKind.where { $0.id != "kept" })
    try await a.store.sync.setRetention(.seconds(3600))
    #expect(try await a.store.sync.forgetDeletions() == 0)
    #expect(try await a.store.sync.forgetDeletions(at: Date(timeIntervalSinceNow: 7200)) == 2)
    #expect(try await a.state().count == 1)
  }

  @Test(
    "S23: who was away for longer starts afresh, keeps what it had not sent, and brings nothing back",
    .overEachTransport)
  func away() async throws {
    try await partForLong()
    try await b.store.insert(SharedKind(id: "new", title: "N"))
    try await b.store.updateAll(SharedKind.where { $0.id == "edited" }) { $0.title.set("Edited") }
    try await b.store.updateAll(SharedKind.where { $0.id == "kept" }) { $0.title.set("Changed") }
    let report = try await b.exchange(with: a)
    #expect(report.startedAfresh)
    try await meet()
    for replica in [a, b] {
      #expect(Set(try await replica.store.fetch(SharedKind.all).map(\.title)) == ["Changed", "N"])
      #expect(try await replica.store.sync.conflicts().map(\.kind) == [.deletedRow])
    }
    try await a.store.sync.restore(try #require(try await a.store.sync.conflicts().first))
    try await meet()
    #expect(try await b.store.find(SharedKind.self, "edited")?.title == "Edited")
    #expect(try await !b.exchange(with: a).startedAfresh)
  }

  @Test(
    "S23: a replica that has forgotten deletions takes none of the rows back, whoever begins the exchange",
    .overEachTransport)
  func recognition() async throws {
    try await partForLong()
    let c = try Replica()
    try await c.exchange(with: b)
    #expect(try await c.store.count(SharedKind.all) == 3)
    #expect(try await a.exchange(with: b).peerMustStartAfresh)
    try await a.exchange(with: c)
    #expect(try await a.store.fetch(SharedKind.all).map(\.id) == ["kept"])
    try await b.exchange(with: a)
    try await meet(c)
    #expect(try await c.store.fetch(SharedKind.all).map(\.id) == ["kept"])
  }

  /// A peer whose connection breaks after it has handed out, or has taken, some batches.
  private actor Breaking: PassingPeer {
    struct Broken: Error {}
    let sync: StoreSync
    private var handedOut: Int
    private var taken: Int

    init(_ sync: StoreSync, handingOut handedOut: Int = .max, taking taken: Int = .max) {
      self.sync = sync
      (self.handedOut, self.taken) = (handedOut, taken)
    }

    func changes(after cursor: ChangeCursor, for recipient: ReplicaID, limit: Int) async throws -> ChangeBatch {
      handedOut -= 1
      if handedOut < 0 { throw Broken() }
      return try await sync.changes(after: cursor, for: recipient, limit: 1)
    }

    func apply(_ batch: ChangeBatch) async throws -> Int {
      taken -= 1
      if taken < 0 { throw Broken() }
      return try await sync.apply(batch)
    }
  }

  @Test("S23: a fresh start that is interrupted anywhere begins again", arguments: 0..<4)
  func interruption(batches: Int) async throws {
    try await partForLong()
    try await a.store.insert([SharedKind(id: "1", title: ""), SharedKind(id: "2", title: "")])
    await #expect(throws: Breaking.Broken.self) {
      try await b.store.sync.exchange(with: Breaking(a.store.sync, handingOut: batches))
    }
    #expect(try await b.exchange(with: a).startedAfresh)
    try await meet()
    #expect(Set(try await b.store.fetch(SharedKind.all).map(\.id)) == ["kept", "1", "2"])
  }

  @Test(
    "S19, S23: whoever exchanges with a replica whose fresh start broke off, or was cancelled, finds that it must go on",
    arguments: [false, true])
  func interruptionOfRecipient(cancels: Bool) async throws {
    for calls in 0... {
      let isDone = try await SyncRetentionTests().interruptRecipient(
        Interruption(after: calls, cancels: cancels), "after \(calls) calls")
      if isDone { return }
    }
  }

  /// - Returns: Whether the exchange came to its end before it was interrupted.
  private func interruptRecipient(_ interruption: Interruption, _ comment: Comment) async throws -> Bool {
    try await partForLong()
    try await a.store.insert((0..<10).map { SharedKind(id: "\($0)", title: "") })
    let attempt = Task { try await b.store.sync.exchange(with: FailingPeer(a.store.sync, interruption)) }
    let isDone = if case .success = await attempt.result { true } else { false }
    // By a batch, as a transport carries it, which is refused as long as deletions may be missing.
    let (own, other) = (try await a.store.sync.replica(), try await b.store.sync.replica())
    let batch = try await a.store.sync.changes(after: b.store.sync.cursor(of: own), for: other, limit: 100)
    do {
      try await b.store.sync.apply(batch)
    } catch let error as StoreError {
      #expect(error.code == .notFound, comment)
      #expect(!isDone, comment)
    }
    if try await a.store.sync.exchange(with: b.store.sync).peerMustStartAfresh {
      #expect(!isDone, comment)
      try await b.store.sync.exchange(with: a.store.sync)
    }
    try await a.store.sync.exchange(with: b.store.sync)
    try await expectEqual([a, b], comment)
    #expect(try await b.store.count(SharedKind.all) == 11, comment)
    #expect(try await b.store.find(SharedKind.self, "deleted") == nil, comment)
    return isDone
  }

  @Test("S23: after a fresh start that broke off, the file with everything starts afresh as well")
  func interruptionBeforeFile() async throws {
    try await partForLong()
    let peer = FailingPeer(a.store.sync, Interruption(after: 6, cancels: false))
    await #expect(throws: Interruption.Failure.self) { try await b.store.sync.exchange(with: peer) }
    let file = try await a.store.sync.export(to: a.folder.file("all"))
    #expect(try await b.store.sync.import(from: file.url).startedAfresh)
    try await a.store.sync.exchange(with: b.store.sync)
    try await b.store.sync.import(from: try await a.store.sync.export(to: a.folder.file("all")).url)
    try await expectEqual([a, b])
    #expect(try await b.store.fetch(SharedKind.all).map(\.id) == ["kept"])
  }

  @Test("S23: a peer that keeps nothing from before a replica's cursor is refused, and nothing is offered to it")
  func forgetfulTransport() async throws {
    try await partForLong()
    let before = try await b.state()
    let error = await #expect(throws: StoreError.self) {
      try await b.store.sync.exchange(with: Trimming(sync: a.store.sync))
    }
    #expect(error?.code == .invalidValue)
    #expect(try await b.state() == before)
    #expect(try await b.exchange(with: a).startedAfresh)
    try await meet()
    #expect(try await b.store.fetch(SharedKind.all).map(\.id) == ["kept"])
  }

  /// A peer whose transport has thrown away what was read.
  private struct Trimming: PassingPeer {
    let sync: StoreSync

    func changes(after cursor: ChangeCursor, for recipient: ReplicaID, limit: Int) async throws -> ChangeBatch {
      if cursor.position > 0 { return try await sync.changes(after: cursor, for: recipient, limit: limit) }
      return ChangeBatch(
        since: cursor, upTo: cursor, recipient: recipient, isLast: true, modelsDigest: Data(), rows: [], knowledge: [])
    }
  }

  @Test("S23: what a peer deletes and forgets while it hands out everything doesn't stay", arguments: [1, 10])
  func forgettingWhileHandingOut(times: Int) async throws {
    try await partForLong()
    try await a.store.insert((1...20).map { SharedKind(id: "\($0)", title: "") })
    let peer = Forgetting(a, times: times)
    #expect(try await b.store.sync.exchange(with: peer).startedAfresh)
    for _ in 0..<3 { try await b.store.sync.exchange(with: a.store.sync) }
    #expect(try await b.rows() == a.rows())
    #expect(try await b.store.count(SharedKind.all) == 21)
  }

  @Test("S19, S23: a first exchange with someone who only answers goes on where it broke off")
  func interruptedBeginning() async throws {
    try await a.store.insert((0..<1200).map { SharedKind(id: "\($0)", title: "") })
    try await a.forgetOne()
    for _ in 0..<2 {
      await #expect(throws: Breaking.Broken.self) {
        try await a.store.sync.exchange(with: Breaking(b.store.sync, taking: 1))
      }
    }
    #expect(try await b.store.count(SharedKind.all) > 0)
    let report = try await a.store.sync.exchange(with: b.store.sync)
    #expect(!report.peerMustStartAfresh && report.sent > 0)
    #expect(try await b.store.count(SharedKind.all) == 1200)
    try await meet()
    // What is forgotten from now on may be missed.
    try await a.store.deleteAll(SharedKind.where { $0.id == "1" })
    try await a.store.insert(SharedKind(id: "later", title: ""))
    try await a.forgetAll()
    #expect(try await a.store.sync.exchange(with: b.store.sync).peerMustStartAfresh)
    try await meet()
  }

  @Test("S19, S23: who begins with someone who has forgotten deletions goes on where it broke off")
  func interruptedPull() async throws {
    try await a.store.insert((0..<10).map { SharedKind(id: "\($0)", title: "") })
    try await a.forgetOne()
    for _ in 0..<2 {
      await #expect(throws: Breaking.Broken.self) {
        try await b.store.sync.exchange(with: Breaking(a.store.sync, handingOut: 3))
      }
    }
    #expect(try await b.store.count(SharedKind.all) > 3)
    #expect(try await !b.store.sync.exchange(with: a.store.sync).startedAfresh)
    try await meet()
    #expect(try await b.store.count(SharedKind.all) == 10)
  }

  @Test("S23: deletions that are forgotten while someone starts afresh aren't missed")
  func forgettingMeanwhile() async throws {
    try await partForLong()
    try await a.store.insert((1...4).map { SharedKind(id: "\($0)", title: "") })
    let peer = Forgetting(a)
    #expect(try await b.store.sync.exchange(with: peer).startedAfresh)
    #expect(await peer.hasForgotten)
    try await meet()
    #expect(try await b.store.find(SharedKind.self, "1") == nil)
  }

  /// A peer that deletes a row after it has handed it out, and forgets that it did.
  private actor Forgetting: PassingPeer {
    private let replica: Replica
    nonisolated var sync: StoreSync { replica.store.sync }
    private var rest: Int
    private(set) var hasForgotten = false

    /// - Parameter times: How often it does so.
    init(_ replica: Replica, times: Int = 1) {
      (self.replica, rest) = (replica, times)
    }

    func changes(after cursor: ChangeCursor, for recipient: ReplicaID, limit: Int) async throws -> ChangeBatch {
      let batch = try await sync.changes(after: cursor, for: recipient, limit: 2)
      if rest > 0,
        case .text(let bytes)? = batch.rows.first(where: { $0.key != [.init("kept")] })?.key.first
      {
        (rest, hasForgotten) = (rest - 1, true)
        let id = String(decoding: bytes, as: UTF8.self)
        try await replica.store.deleteAll(SharedKind.where { $0.id == id })
        try await replica.store.insert(SharedKind(id: "new \(rest)", title: "new \(rest)"))
        try await replica.forgetAll()
      }
      return batch
    }
  }

  @Test("S10, S23: a batch that came too early, and may lack deletions, is asked for once more")
  func early() async throws {
    let (own, other) = (try await a.store.sync.replica(), try await b.store.sync.replica())
    try await a.store.insert([kept, deleted])
    let start = ChangeCursor(replica: own, position: 0)
    let first = try await a.store.sync.changes(after: start, for: other, limit: 1)
    try await b.store.sync.apply(first)
    let second = try await a.store.sync.changes(after: first.upTo, for: other, limit: 10)
    try await a.store.deleteAll(SharedKind.where { $0.id == "deleted" })
    try await a.forgetAll()
    try await a.store.insert(SharedKind(id: "new", title: "N"))
    let third = try await a.store.sync.changes(after: second.upTo, for: other, limit: 10)
    try await b.store.sync.apply(third)
    try await b.store.sync.apply(second)
    try await meet()
    #expect(Set(try await b.store.fetch(SharedKind.all).map(\.id)) == ["kept", "new"])
  }

  @Test("S10, S23: a batch from before deletions were forgotten brings no row to someone who began afterwards")
  func outdated() async throws {
    let (own, other) = (try await a.store.sync.replica(), try await b.store.sync.replica())
    try await a.store.insert([kept, deleted])
    let old = try await a.store.sync.changes(after: .init(replica: own, position: 0), for: other, limit: 10)
    let file = try await a.store.sync.export(to: a.folder.file("old"))
    try await a.store.deleteAll(SharedKind.where { $0.id == "deleted" })
    try await a.store.insert(SharedKind(id: "new", title: "N"))
    try await a.forgetAll()
    try await b.exchange(with: a)
    #expect(try await b.store.sync.apply(old) == 0)
    #expect(try await b.store.sync.import(from: file.url).changed == 0)
    #expect(try await b.store.count(SharedKind.all) == 2)
    try await meet()
  }

  @Test("S10, S14, S23: such a file still brings the bytes of attachments that are missing")
  func outdatedBytes() async throws {
    let image = try await a.store.attach(Data("bytes".utf8))
    try await a.store.insert(SharedPicture(id: "p", name: "p", image: image))
    try await a.store.insert(deleted)
    let file = try await a.store.sync.export(to: a.folder.file("old"), attachments: .eager)
    try await a.store.delete(deleted)
    try await a.forgetAll()
    try await b.store.sync.exchange(with: a.store.sync, attachments: .onDemand)
    await #expect(throws: StoreError.self) { try await b.data(of: "p") }
    #expect(try await b.store.sync.import(from: file.url).changed == 0)
    #expect(try await b.data(of: "p") == Data("bytes".utf8))
    try await meet()
    #expect(try await b.store.count(SharedKind.all) == 0)
  }

  @Test("S23: batches of a sender that has forgotten deletions are refused until an exchange starts afresh")
  func batches() async throws {
    try await partForLong()
    try await a.store.insert(SharedKind(id: "1", title: ""))
    let (own, other) = (try await a.store.sync.replica(), try await b.store.sync.replica())
    let cursor = try await b.store.sync.cursor(of: own)
    for start in [cursor, ChangeCursor(replica: own, position: 0)] {
      let batch = try await a.store.sync.changes(after: start, for: other, limit: 10)
      let bytes = try batch.encoded()
      let error = await #expect(throws: StoreError.self) {
        try await b.store.sync.apply(ChangeBatch(decoding: bytes))
      }
      #expect(error?.code == .notFound)
    }
    // As a file, which is a batch in the same form.
    let file = a.folder.file("batch")
    try await a.store.sync.changes(after: cursor, for: other, limit: 10).encoded().write(to: file)
    let refusal = await #expect(throws: StoreError.self) { try await b.store.sync.import(from: file) }
    #expect(refusal?.code == .notFound)
    #expect(try await b.store.count(SharedKind.all) == 3)
    #expect(try await b.store.sync.cursor(of: own) == cursor)
    #expect(try await b.exchange(with: a).startedAfresh)
    try await meet()
    #expect(Set(try await b.store.fetch(SharedKind.all).map(\.id)) == ["kept", "1"])
    try await a.store.insert(SharedKind(id: "2", title: ""))
    let next = try await a.store.sync.changes(after: b.store.sync.cursor(of: own), for: other, limit: 10)
    #expect(try await b.store.sync.apply(next) == 1)
  }

  @Test("S23: who begins with a sender that has forgotten deletions takes all batches, and hears of later deletions")
  func beginning() async throws {
    try await partForLong()
    try await a.store.insert((1...5).map { SharedKind(id: "\($0)", title: "") })
    let own = try await a.store.sync.replica()
    func batch(for replica: Replica) async throws -> ChangeBatch {
      let other = try await replica.store.sync.replica()
      return try await a.store.sync.changes(after: replica.store.sync.cursor(of: own), for: other, limit: 2)
    }
    let (c, d) = (try Replica(), try Replica())
    for _ in 0..<3 { try await c.store.sync.apply(try await batch(for: c)) }
    #expect(try await c.store.count(SharedKind.all) == 6)
    try await d.store.sync.apply(try await batch(for: d))
    try await a.store.deleteAll(SharedKind.where { $0.id.isIn(["kept", "1"]) })
    #expect(try await a.store.sync.forgetDeletions(at: Date(timeIntervalSinceNow: 7200)) == 2)
    for late in [c, d] {
      let next = try await batch(for: late)
      let error = await #expect(throws: StoreError.self) { try await late.store.sync.apply(next) }
      #expect(error?.code == .notFound)
      #expect(try await late.exchange(with: a).startedAfresh)
      #expect(Set(try await late.store.fetch(SharedKind.all).map(\.id)) == ["2", "3", "4", "5"])
    }
  }

  @Test("a file of an earlier version of the package gets what it lacks to know which deletions were forgotten")
  func earlierVersion() async throws {
    try await partForLong()
    try await b.store.writingModule { connection in
      for column in ["begun_after", "sent_after", "is_unrecorded"] {
        try connection.execute("ALTER TABLE \(SyncTables.replicas) DROP COLUMN \(column)")
      }
      try connection.setInUse(SyncTables.version - 1, SyncFeature.self)
    }
    let (own, other) = (try await a.store.sync.replica(), try await b.store.sync.replica())
    let batch = try await a.store.sync.changes(after: b.store.sync.cursor(of: own), for: other, limit: 10)
    let error = await #expect(throws: StoreError.self) { try await b.store.sync.apply(batch) }
    #expect(error?.code == .notFound)
    #expect(try await b.exchange(with: a).startedAfresh)
    #expect(try await b.store.fetch(SharedKind.all).map(\.id) == ["kept"])
  }

  @Test("S23: no file is exported for a replica that was away for longer")
  func file() async throws {
    try await partForLong()
    let url = a.folder.file("changes")
    let (own, other) = (try await a.store.sync.replica(), try await b.store.sync.replica())
    let cursor = try await b.store.sync.cursor(of: own)
    let error = await #expect(throws: StoreError.self) {
      try await a.store.sync.export(to: url, for: other, since: cursor)
    }
    #expect(error?.code == .notFound)
    #expect(!FileManager.default.fileExists(atPath: url.path))
    try await a.store.sync.export(to: url)
  }

  @Test("what somebody may want back is kept: conflicts, and rows that others refer to")
  func wanted() async throws {
    let account = SharedAccount(name: "Cash")
    try await a.store.insert(account)
    try await a.store.insert(edited)
    try await meet()
    try await a.store.delete(account)
    try await a.store.delete(edited)
    try await b.store.insert(SharedCost(amount: 1, account: ToOne(account)))
    try await b.store.updateAll(SharedKind.all) { $0.title.set("Edited") }
    try await meet()
    try await a.store.sync.setRetention(.zero)
    #expect(try await a.store.sync.forgetDeletions(at: Date(timeIntervalSinceNow: 60)) == 0)
    try await a.store.sync.restore(try #require(try await a.store.sync.setAside().first))
    try await a.store.sync.restore(try #require(try await a.store.sync.conflicts().first))
    try await meet()
    #expect(try await b.store.count(SharedCost.all) == 1)
    #expect(try await b.store.find(SharedKind.self, "edited")?.title == "Edited")
  }

  @Test("deletions are kept for 90 days, unless someone sets another time")
  func setting() async throws {
    #expect(try await a.store.sync.retention() == .seconds(90 * 24 * 60 * 60))
    try await a.store.sync.setRetention(.seconds(5))
    #expect(try await a.store.sync.retention() == .seconds(5))
    try await a.store.sync.setRetention(.seconds(Int64.max))
    await #expect(throws: StoreError.self) { try await a.store.sync.setRetention(.seconds(-1)) }
    #expect(try await a.store.sync.forgetDeletions() == 0)
  }
}
