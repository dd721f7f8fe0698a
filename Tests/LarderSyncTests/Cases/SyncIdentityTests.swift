import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderSync

@Suite("Sync: copies of a file")
struct SyncIdentityTests {
  @Test("S17: a copy becomes a replica of its own, and no write of both is taken for one", .overEachTransport)
  func copies() async throws {
    let (a, c) = (try Replica(), try Replica())
    try await a.store.insert(SharedKind(id: "a", title: "A"))
    try await a.exchange(with: c)
    let original = try await a.store.sync.replica()
    let b = try await a.copied()
    try await a.store.updateAll(SharedKind.all) { $0.title.set("of the original") }
    try await b.store.insert(SharedKind(id: "b", title: "of the copy"))
    #expect(try await b.store.sync.replica() != original)
    #expect(try await a.store.sync.replica() == original)
    let stamps = Set(try await b.state().values.filter { $0.key == [.init("b")] }.map(\.stamp.replica))
    #expect(stamps == [try await b.store.sync.replica()])
    try await b.exchange(with: c)
    try await a.exchange(with: b)
    try await a.exchange(with: c)
    try await expectEqual([a, b, c])
    #expect(try await c.store.count(SharedKind.all) == 2)
  }

  @Test(
    "S17: a file that was restored from an older copy gets back what it had handed out, and sends what is new",
    .overEachTransport)
  func restored() async throws {
    let (a, c) = (try Replica(), try Replica())
    try await a.store.insert(SharedKind(id: "a", title: "A"))
    let old = try await a.copied()
    try await a.store.insert(SharedKind(id: "lost", title: "handed out"))
    try await a.exchange(with: c)
    try await old.store.insert(SharedKind(id: "new", title: "after the restoration"))
    try await old.exchange(with: c)
    try await c.exchange(with: old)
    try await expectEqual([old, c])
    #expect(Set(try await old.store.fetch(SharedKind.all).map(\.id)) == ["a", "lost", "new"])
  }

  @Test("a file of which another replica has more than it has written itself becomes a new replica")
  func rolledBack() async throws {
    let (a, c) = (try Replica(), try Replica())
    try await a.store.insert(SharedKind(id: "a", title: "A"))
    try await a.exchange(with: c)
    let before = try await a.store.sync.replica()
    // As if the clock had stood still while the file was put back in place.
    try await c.store.writingModule { connection in
      try connection.run("UPDATE \(SyncTables.replicas) SET received = received + (1 << 40) WHERE received > 0")
    }
    try await a.store.insert(SharedKind(id: "b", title: "B"))
    try await a.exchange(with: c)
    #expect(try await a.store.sync.replica() != before)
    try await expectEqual([a, c])
    #expect(try await c.store.count(SharedKind.all) == 2)
  }

  @Test("S17: each backup of a store in memory is a replica of its own")
  func backupsOfMemory() async throws {
    let store = try Store(inMemoryFor: SharedKind.self, configuration: Store.Configuration(sync: .on))
    try await store.insert(SharedKind(id: "a", title: "A"))
    var copies: [Replica] = []
    for number in 0..<2 {
      let folder = try TemporaryFolder()
      try await store.backup(to: folder.file("test.larder"))
      let copy = try Replica(folder: folder, [SharedKind.self])
      try await copy.store.insert(SharedKind(id: "\(number)", title: "of a copy"))
      copies.append(copy)
    }
    let identifiers: Set = [
      try await store.sync.replica(), try await copies[0].store.sync.replica(),
      try await copies[1].store.sync.replica(),
    ]
    #expect(identifiers.count == 3)
    try await copies[0].exchange(with: copies[1])
    try await copies[1].exchange(with: copies[0])
    try await expectEqual(copies)
    #expect(try await copies[0].kindKeys() == ["0", "1", "a"])
  }

  // MARK: Exchanges that begin anew

  /// A peer that becomes a new replica when it is handed the first changes, and refuses those.
  private actor RenewedPeer: SyncPeer {
    struct Refusal: Error {}

    private let peer: StoreSync
    private var isNew = false

    init(_ peer: StoreSync) {
      self.peer = peer
    }

    func replica() async throws -> ReplicaID { try await peer.replica() }

    func changes(after cursor: ChangeCursor, for recipient: ReplicaID, limit: Int) async throws -> ChangeBatch {
      try await peer.changes(after: cursor, for: recipient, limit: limit)
    }

    func apply(_ batch: ChangeBatch) async throws -> Int {
      if isNew { return try await peer.apply(batch) }
      isNew = true
      try await peer.store.writingModule { connection in
        try connection.transaction { try ReplicaFile(connection).becomeNewReplica() }
      }
      throw Refusal()
    }

    func cursor(of replica: ReplicaID) async throws -> ChangeCursor { try await peer.cursor(of: replica) }
  }

  @Test("S17: the report of an exchange that began anew has what was done before")
  func reportOfBoth() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await a.store.insert(SharedKind(id: "a", title: "A"))
    try await b.store.insert([SharedKind(id: "b", title: "B"), SharedKind(id: "c", title: "C")])
    let former = try await b.store.sync.replica()
    let report = try await a.store.sync.exchange(with: RenewedPeer(b.store.sync))
    #expect(try await b.store.sync.replica() != former)
    #expect(report.received == 2)
    #expect(report.sent >= 1)
    try await expectEqual([a, b])
  }

  // MARK: Files that were put back in place

  /// Exchanges along a chain, there and back.
  private func meet(_ chain: [Replica]) async throws {
    let pairs = Array(zip(chain, chain.dropFirst()))
    for (one, other) in pairs + pairs.reversed() { try await one.exchange(with: other) }
  }

  @Test(
    "S17: a file that was put back in place gets back what it had handed out, whether or not it has written since",
    arguments: [false, true], [false, true])
  func inPlace(writes: Bool, isRelayed: Bool) async throws {
    let a = try Replica()
    let others = try isRelayed ? [Replica(), Replica()] : [Replica()]
    try await a.store.insert(SharedKind(id: "old", title: "O"))
    try await meet([a] + others)
    let former = try await a.store.sync.replica()
    let old = try await a.bytes()
    try await a.store.insert(SharedKind(id: "lost", title: "handed out"))
    try await meet([a] + others)
    let restored = try await a.replacingFile(with: old)
    if writes {
      try await restored.setClock(past: others[0])
      try await restored.store.insert(SharedKind(id: "new", title: "after the restoration"))
    }
    try await meet([restored] + others)
    #expect(try await restored.store.sync.replica() != former)
    let expected: Set = writes ? ["lost", "new", "old"] : ["lost", "old"]
    #expect(try await restored.kindKeys() == expected)
    try await expectEqual([restored] + others)
  }

  @Test(
    "S17: a file that only answers, and was put back in place, becomes a new replica when someone has more of it",
    arguments: [false, true])
  func answering(writes: Bool) async throws {
    let (hub, clients) = (try Replica(), [try Replica(), try Replica()])
    try await hub.store.insert(SharedKind(id: "old", title: "O"))
    for client in clients { try await client.exchange(with: hub) }
    let former = try await hub.store.sync.replica()
    let old = try await hub.bytes()
    try await hub.store.insert(SharedKind(id: "lost", title: "handed out"))
    try await clients[0].store.insert(SharedKind(id: "client", title: "C"))
    for client in clients { try await client.exchange(with: hub) }
    let restored = try await hub.replacingFile(with: old)
    if writes {
      try await restored.setClock(past: clients[0])
      try await restored.store.insert(SharedKind(id: "new", title: "after the restoration"))
    }
    try await clients[0].exchange(with: restored)
    let new = try await restored.store.sync.replica()
    #expect(new != former)
    for client in clients + clients { try await client.exchange(with: restored) }
    #expect(try await restored.store.sync.replica() == new)
    let expected: Set = writes ? ["client", "lost", "new", "old"] : ["client", "lost", "old"]
    #expect(try await restored.kindKeys() == expected)
    try await expectEqual([restored] + clients)
  }

  @Test("S17: a file that was put back in place takes its later writes from a replica that has them from another one")
  func relayedWrites() async throws {
    let (a, b, c) = (try Replica(), try Replica(), try Replica())
    try await a.store.insert(SharedKind(id: "old", title: "O"))
    try await a.exchange(with: b)
    let former = try await a.store.sync.replica()
    let old = try await a.bytes()
    try await a.store.insert(SharedKind(id: "lost", title: "handed out"))
    try await a.exchange(with: b)
    try await b.exchange(with: c)
    let restored = try await a.replacingFile(with: old)
    try await restored.exchange(with: c)
    #expect(try await restored.store.sync.replica() != former)
    #expect(try await restored.kindKeys() == ["lost", "old"])
    try await restored.exchange(with: b)
    try await expectEqual([restored, b, c])
  }

  // MARK: Stores that can't write

  private func readOnly(_ replica: Replica) throws -> Store {
    try Store(at: replica.path, for: Replica.ledger, configuration: Store.Configuration(access: .readOnly))
  }

  /// Takes what a store hands out, as far as it does.
  private func pull(from store: Store, into replica: Replica) async throws {
    var cursor = try await replica.store.sync.cursor(of: store.sync.replica())
    while true {
      let batch = try await store.sync.changes(after: cursor, for: replica.store.sync.replica(), limit: 1)
      try await replica.store.sync.apply(batch)
      if batch.isLast { return }
      cursor = batch.upTo
    }
  }

  @Test("S17: a store that can't write hands out nothing that isn't recorded, and its file stays the same replica")
  func unrecorded() async throws {
    let (a, b, c) = (try Replica(), try Replica(), try Replica())
    try await a.store.insert([SharedKind(id: "1", title: "handed out"), SharedKind(id: "2", title: "handed out")])
    try await a.exchange(with: b)
    let own = try await a.store.sync.replica()
    try await a.store.insert(SharedKind(id: "3", title: "new"))
    await a.store.close()
    let reader = try readOnly(a)
    for peer in [b, c] {
      let error = await #expect(throws: StoreError.self) { try await pull(from: reader, into: peer) }
      #expect(error?.code == .readOnly)
      #expect(try await peer.kindKeys() == ["1", "2"])
    }
    let url = a.folder.file("changes")
    let error = await #expect(throws: StoreError.self) { try await reader.sync.export(to: url) }
    #expect(error?.code == .readOnly)
    #expect(!FileManager.default.fileExists(atPath: url.path))
    await reader.close()
    let writer = try Replica(folder: a.folder)
    for peer in [b, c] { try await writer.exchange(with: peer) }
    #expect(try await writer.store.sync.replica() == own)
    try await expectEqual([writer, b, c])
    #expect(try await c.kindKeys() == ["1", "2", "3"])
  }

  @Test("S17: a store that can't write hands out everything that is recorded, whatever came from the one that asks")
  func recorded() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await a.store.insert(SharedKind(id: "a", title: "A"))
    try await b.exchange(with: a)
    // Only b lacks nothing of this.
    try await b.store.insert(SharedKind(id: "b", title: "B"))
    try await b.exchange(with: a)
    await a.store.close()
    let reader = try readOnly(a)
    try await pull(from: reader, into: b)
    let other = try await b.store.sync.replica()
    let start = ChangeCursor(replica: try await reader.sync.replica(), position: 0)
    let file = try await reader.sync.export(to: a.folder.file("changes"), for: other, since: start)
    #expect(file.rows == 1)
    #expect(try await b.store.sync.import(from: file.url).changed == 0)
    let c = try Replica()
    let error = await #expect(throws: StoreError.self) { try await pull(from: reader, into: c) }
    #expect(error?.code == .readOnly)
    #expect(try await c.kindKeys() == ["a"])
    await reader.close()
  }

  // MARK: Imports

  @Test("S17: imports at the same time make a file that was put back in place one new replica")
  func importsAtOnce() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await a.store.insert(SharedKind(id: "old", title: "O"))
    try await a.exchange(with: b)
    let former = try await a.store.sync.replica()
    let old = try await a.bytes()
    try await a.store.insert((0..<1000).map { SharedKind(id: "\($0)", title: "handed out") })
    try await a.exchange(with: b)
    let restored = try await a.replacingFile(with: old)
    let url = try await b.store.sync.export(to: b.folder.file("changes")).url
    async let first = restored.store.sync.import(from: url)
    async let second = restored.store.sync.import(from: url)
    _ = try await (first, second)
    #expect(try await restored.store.sync.replica() != former)
    let replicas = try await restored.store.readingModule { connection in
      try connection.rows("SELECT id FROM \(SyncTables.replicas)") { $0.integer(0) }
    }
    // The former one, the new one and b.
    #expect(replicas.count == 3)
    #expect(try await restored.store.count(SharedKind.all) == 1001)
    try await restored.exchange(with: b)
    try await expectEqual([restored, b])
  }

  @Test("S17: a file of an earlier version, which hasn't recorded what it has handed out, stays the same at an import")
  func importIntoEarlierVersion() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await a.store.insert(SharedKind(id: "a", title: "A"))
    try await a.exchange(with: b)
    try await b.store.insert(SharedKind(id: "b", title: "B"))
    let own = try await a.store.sync.replica()
    let file = try await b.store.sync.export(to: b.folder.file("changes"), for: own)
    try await a.store.writingModule { connection in
      try connection.run("UPDATE \(SyncTables.clock) SET identified = 0")
      try connection.setInUse(SyncTables.version - 1, SyncFeature.self)
    }
    #expect(try await a.store.sync.import(from: file.url).changed == 1)
    #expect(try await a.store.sync.replica() == own)
    #expect(try await a.kindKeys() == ["a", "b"])
  }

  // MARK: What others claim

  @Test("who asks for changes that were never handed out makes a file a new replica once, and not again and again")
  func lyingCursor() async throws {
    let a = try Replica()
    var identifiers: Set<ReplicaID> = []
    for _ in 0..<3 {
      let own = try await a.store.sync.replica()
      identifiers.insert(own)
      let cursor = ChangeCursor(replica: own, position: try await a.now() + 1)
      let error = await #expect(throws: StoreError.self) {
        try await a.store.sync.changes(after: cursor, for: ReplicaID(), limit: 1)
      }
      #expect(error?.code == .invalidValue)
    }
    #expect(identifiers.count == 2)
  }

  @Test("a batch in another replica's name that ends at the end of time keeps nothing from anybody")
  func endOfTime() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await b.store.insert(SharedKind(id: "1", title: "t"))
    try await a.exchange(with: b)
    let (own, other) = (try await a.store.sync.replica(), try await b.store.sync.replica())
    let batch = try await b.store.sync.changes(after: .init(replica: other, position: 0), for: own, limit: 10)
    try await a.store.sync.apply(
      ChangeBatch(
        since: batch.since, upTo: ChangeCursor(replica: other, position: .max), recipient: own, isLast: true,
        modelsDigest: batch.modelsDigest, rows: batch.rows, knowledge: []))
    #expect(try await a.store.sync.cursor(of: other).position == .max)
    let known = try await a.store.readingModule { try ReplicaFile($0).knowledge(after: 0, upTo: .max) }
    let limit = try await a.store.readingModule { try WaitingChanges(ReplicaFile($0)).latestTime() }
    #expect(!known.isEmpty && known.allSatisfy { $0.upTo <= limit })
    try await b.store.insert(SharedKind(id: "2", title: "t"))
    try await a.exchange(with: b)
    #expect(try await a.kindKeys() == ["1", "2"])
    try await b.exchange(with: a)
    #expect(try await b.store.sync.replica() == other)
    try await expectEqual([a, b])
  }

  @Test("a file is the same replica after an exchange whose end it hasn't seen")
  func interrupted() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await a.store.insert(SharedKind(id: "a", title: "A"))
    let own = try await a.store.sync.replica()
    // The answer to the first batch is lost.
    let peer = FailingPeer(b.store.sync, Interruption(after: 3, cancels: false))
    await #expect(throws: Interruption.Failure.self) { try await a.store.sync.exchange(with: peer) }
    #expect(try await b.kindKeys() == ["a"])
    for _ in 0..<2 { try await a.store.sync.exchange(with: b.store.sync) }
    #expect(try await a.store.sync.replica() == own)
  }

  @Test("changes that were handed out before are handed out again without a write")
  func handedOut() async throws {
    let a = try Replica()
    try await a.store.insert(SharedKind(id: "a", title: "A"))
    let start = ChangeCursor(replica: try await a.store.sync.replica(), position: 0)
    let log = URL(filePath: a.path + "-wal")
    let unread = try Data(contentsOf: log)
    let batch = try await a.store.sync.changes(after: start, for: ReplicaID(), limit: 10)
    let read = try Data(contentsOf: log)
    #expect(read != unread)
    for cursor in [start, batch.upTo] {
      let next = try await a.store.sync.changes(after: cursor, for: ReplicaID(), limit: 10)
      #expect(next.upTo == batch.upTo)
    }
    #expect(try Data(contentsOf: log) == read)
  }

  // MARK: What a copy has

  @Test("a batch that was collected for the original doesn't end what a copy of its file lacks")
  func batchForOriginal() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await b.store.insert(SharedKind(id: "old", title: "O"))
    // A program without sync opens it, so it doesn't know yet that it is a copy.
    let restored = try await b.copied(configuration: .init())
    try await b.store.insert(SharedKind(id: "new", title: "N"))
    try await a.store.insert(SharedKind(id: "other", title: "X"))
    try await a.store.sync.import(from: b.store.sync.export(to: b.folder.file("changes")).url)
    let original = try await b.store.sync.replica()
    let batch = try await a.store.sync.changes(
      after: ChangeCursor(replica: a.store.sync.replica(), position: 0), for: original, limit: 100)
    #expect(batch.rows.map(\.key) == [[.init("other")]])
    try await restored.store.sync.apply(batch)
    #expect(try await restored.store.sync.replica() != original)
    try await restored.exchange(with: a)
    #expect(Set(try await restored.store.fetch(SharedKind.all).map(\.id)) == ["old", "new", "other"])
  }

  @Test("writes that left a file before it was copied have the same stamps everywhere")
  func writesOfBoth() async throws {
    for isGreater in [false, true] {
      let (a, b) = (try Replica(), try Replica())
      try await a.store.insert(SharedKind(id: "a", title: "A"))
      let original = try await a.store.sync.replica()
      // It doesn't know that its writes leave the original.
      var other = try await a.copied()
      while try await (other.store.sync.replica() > original) != isGreater { other = try await a.copied() }
      try await b.exchange(with: a)
      for replica in [other, a, other, a] { try await replica.exchange(with: b) }
      try await expectEqual([a, b, other])
      for replica in [a, other] {
        let report = try await replica.exchange(with: b)
        #expect(report.sent == 0 && report.received == 0)
      }
    }
  }

  @Test("a copy knows what its original knew: what it writes over that is no conflict", arguments: [true, false])
  func knowledgeOfCopies(exchangesFirst: Bool) async throws {
    let (a, b) = (try Replica(), try Replica())
    try await a.store.insert(SharedKind(id: "a", title: "A"))
    try await b.exchange(with: a)
    let copy = try await b.copied()
    if exchangesFirst { try await copy.exchange(with: a) }
    try await copy.store.updateAll(SharedKind.all) { $0.title.set("of the copy") }
    try await copy.exchange(with: a)
    try await b.exchange(with: a)
    try await expectEqual([a, b, copy])
    for replica in [a, b, copy] {
      #expect(try await replica.store.sync.conflicts().isEmpty)
      #expect(try await replica.store.first(SharedKind.all)?.title == "of the copy")
    }
    // The original's next write knows nothing of the copy's, and that of the copy nothing of the original's.
    try await b.store.updateAll(SharedKind.all) { $0.title.set("of the original") }
    try await copy.setClock(past: b)
    try await copy.store.updateAll(SharedKind.all) { $0.title.set("of the copy again") }
    for replica in [b, copy, b] { try await replica.exchange(with: a) }
    try await expectEqual([a, b, copy])
    #expect(try await a.store.sync.conflicts().map(\.lost) == [.text("of the original")])
  }

  @Test("S17: who asks for what comes after the own position of a file doesn't make it another replica")
  func ownPosition() async throws {
    let replica = try Replica()
    let own = try await replica.store.sync.replica()
    try await replica.store.insert(SharedKind(id: "k", title: ""))
    let cursor = try await replica.store.sync.cursor(of: own)
    let batch = try await replica.store.sync.changes(after: cursor, for: ReplicaID(), limit: 10)
    #expect(batch.rows.map(\.key) == [[.init("k")]])
    let next = try await replica.store.sync.changes(
      after: replica.store.sync.cursor(of: own), for: ReplicaID(), limit: 10)
    #expect(next.rows.isEmpty)
    #expect(try await replica.store.sync.replica() == own)
  }
}
