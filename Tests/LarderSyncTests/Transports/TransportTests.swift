import Foundation
import Larder
import LarderTestSupport
import Synchronization
import Testing

@testable import LarderSync

/// A peer that counts how often it is asked, and fails as often as it is told to.
private final class CountingPeer: SyncPeer {
  struct Failure: Error {}

  private let peer: StoreSync
  private let failures: Atomic<Int>

  init(_ peer: StoreSync, failures: Int = 0) {
    self.peer = peer
    self.failures = Atomic(failures)
  }

  func replica() async throws -> ReplicaID {
    if failures.subtract(1, ordering: .relaxed).newValue >= 0 { throw Failure() }
    return try await peer.replica()
  }

  func cursor(of replica: ReplicaID) async throws -> ChangeCursor { try await peer.cursor(of: replica) }

  func changes(after cursor: ChangeCursor, for recipient: ReplicaID, limit: Int) async throws -> ChangeBatch {
    try await peer.changes(after: cursor, for: recipient, limit: limit)
  }

  func apply(_ batch: ChangeBatch) async throws -> Int { try await peer.apply(batch) }
}

@Suite("Sync: transports")
struct TransportTests {
  @Test("the same case goes over every transport, directly and through a third replica", arguments: Transport.allCases)
  func coverage(transport: Transport) async throws {
    for isRelayed in [false, true] {
      let route = try SyncRoute(transport, isRelayed: isRelayed)
      try await SyncRoute.$current.withValue(route) {
        let (a, b) = (try Replica(), try Replica())
        try await a.store.insert(SharedKind(id: "a", title: "t"))
        try await a.exchange(with: b)
        try await expectEqual([a, b])
        let neighbor = try a.neighbor(toward: b)
        #expect(try await neighbor.store.sync.cursor(of: a.store.sync.replica()).position > 0)
        #expect((neighbor.path != b.path) == isRelayed)
        #expect(try await (b.store.sync.cursor(of: a.store.sync.replica()).position == 0) == isRelayed)
      }
    }
  }

  @Test("a test of sync goes over one transport and through a third replica, or over all that the environment asks for")
  func routes() throws {
    func routes(_ name: String, _ environment: [String: String] = [:]) throws -> [String] {
      try EachTransport(isRelayed: true).routes(of: name, environment).map { transport, isRelayed in
        isRelayed ? "\(transport) relayed" : "\(transport)"
      }
    }
    let all = Transport.allCases.map(\.rawValue)
    let names = (0..<100).map { "test\($0)()" }
    for name in names { #expect(try routes(name).count == 2) }
    #expect(try Set(names.map { try routes($0)[0] }) == Set(all))
    #expect(try Set(names.map { try routes($0)[1] }) == ["inProcess relayed"])
    #expect(try routes("a()", ["LARDER_SYNC_TRANSPORT": "all"]) == all + ["inProcess relayed"])
    #expect(try routes("a()", ["LARDER_SYNC_TRANSPORT": "files"]) == ["files", "inProcess relayed"])
    let relayed = all.map { $0 + " relayed" }
    #expect(try routes("a()", ["LARDER_SYNC_TRANSPORT": "all", "LARDER_SYNC_RELAYS": "all"]) == all + relayed)
    #expect(try EachTransport(isRelayed: false).routes(of: "a()", [:]).count == 1)
    #expect(throws: UnknownTransport.self) { try routes("a()", ["LARDER_SYNC_TRANSPORT": "file"]) }
  }

  /// The number that SQLite changes with every commit of another connection, and the size of the log.
  private func version(_ replica: Replica) throws -> Data {
    try Data(contentsOf: URL(filePath: replica.path + "-wal"))
  }

  @Test("an exchange with nothing new writes nothing on either side")
  func silence() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await a.store.insert((0..<1000).map { SharedKind(id: "\($0)", title: "t") })
    try await b.store.insert(SharedKind(id: "b", title: "t"))
    for _ in 0..<3 { try await a.exchange(with: b) }
    let before = (try version(a), try version(b))
    let report = try await a.exchange(with: b)
    #expect(report == ExchangeReport())
    #expect(try version(a) == before.0)
    #expect(try version(b) == before.1)
    try await a.store.insert(SharedKind(id: "a", title: "t"))
    try await a.exchange(with: b)
    #expect(try version(b) != before.1)
  }

  @Test("an exchange with nothing new writes nothing, also after deletions were forgotten", arguments: [1, 2])
  func silenceAfterForgetting(sides: Int) async throws {
    let (a, b) = (try Replica(), try Replica())
    try await a.store.insert(SharedKind(id: "1", title: "t"))
    for replica in [a, b].prefix(sides) { try await replica.forgetOne() }
    for _ in 0..<4 { for (one, other) in [(a, b), (b, a)] { try await one.exchange(with: other) } }
    let before = (try version(a), try version(b))
    for (one, other) in [(a, b), (b, a)] { #expect(try await one.exchange(with: other) == ExchangeReport()) }
    #expect(try version(a) == before.0)
    #expect(try version(b) == before.1)
  }

  /// A peer to which something is written after each small batch.
  private struct BusyPeer: PassingPeer {
    let sync: StoreSync

    func changes(after cursor: ChangeCursor, for recipient: ReplicaID, limit: Int) async throws -> ChangeBatch {
      let batch = try await sync.changes(after: cursor, for: recipient, limit: limit <= 500 ? 1 : limit)
      try await sync.store.insert(SharedKind(id: UUID().uuidString, title: ""))
      return batch
    }
  }

  @Test("an edit that follows on what came beside a writer isn't taken for a conflict")
  func knowledgeBesideWriter() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await a.store.insert(["k", "l"].map { SharedKind(id: $0, title: "t") })
    try await b.store.sync.exchange(with: BusyPeer(sync: a.store.sync))
    try await b.setClock(past: a)
    try await b.store.updateAll(SharedKind.where { $0.id == "k" }) { $0.title.set("edited") }
    try await b.store.deleteAll(SharedKind.where { $0.id == "l" })
    for _ in 0..<2 { try await b.exchange(with: a) }
    try await expectEqual([a, b])
    #expect(try await a.store.sync.conflicts().isEmpty)
  }

  @Test("an edit that follows on what came isn't taken for a conflict, whatever the number of rows", .overEachTransport)
  func knowledge() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await a.store.insert((0..<500).map { SharedKind(id: "\($0)", title: "t") })
    try await a.exchange(with: b)
    try await b.setClock(past: a)
    try await b.store.updateAll(SharedKind.where { $0.id == "7" }) { $0.title.set("edited") }
    try await a.exchange(with: b)
    #expect(try await a.store.find(SharedKind.self, "7")?.title == "edited")
    #expect(try await a.store.sync.conflicts().isEmpty)
    #expect(try await b.store.sync.conflicts().isEmpty)
  }

  @Test("what is new is found by an index, whatever the number of rows")
  func lookup() async throws {
    let a = try Replica()
    let plan = try await a.store.sql(
      "EXPLAIN QUERY PLAN SELECT * FROM _larder_sync_rows WHERE position > 5 AND position <= 9 ORDER BY position")
    let text = plan.map { "\($0["detail"] ?? .null)" }.joined()
    #expect(text.contains("SEARCH") && text.contains("_larder_sync_rows_position"))
  }

  @Test("a run exchanges at once, and again when something changes on either side")
  func run() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await a.store.insert(SharedKind(id: "1", title: "t"))
    let task = Task { for await _ in a.store.sync.run(with: b.store.sync, every: .seconds(3600)) {} }
    var here = a.store.live(SharedKind.all).makeAsyncIterator()
    var there = b.store.live(SharedKind.all).makeAsyncIterator()
    while try await there.next()?.count != 1 {}
    try await a.store.insert(SharedKind(id: "2", title: "t"))
    while try await there.next()?.count != 2 {}
    try await b.store.insert(SharedKind(id: "3", title: "t"))
    while try await here.next()?.count != 3 {}
    task.cancel()
    await task.value
  }

  @Test("a run reports errors as values, waits longer after each, and goes on")
  func backoff() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await a.store.insert(SharedKind(id: "1", title: "t"))
    let waits = Mutex<[Duration]>([])
    let run = SyncRun(
      sync: a.store.sync, peer: CountingPeer(b.store.sync, failures: 4), interval: .seconds(5),
      sleep: { duration in waits.withLock { $0.append(duration) } })
    var failures: [Duration] = []
    for await status in run {
      switch status {
      case .exchanging: continue
      case .failed(let error, let delay):
        #expect(error is CountingPeer.Failure)
        failures.append(delay)
        continue
      case .upToDate(let report): #expect(report.sent == 1)
      }
      break
    }
    #expect(failures == [.seconds(1), .seconds(2), .seconds(4), .seconds(5)])
    #expect(waits.withLock { Array($0.prefix(4)) } == failures)
    #expect(try await b.store.count(SharedKind.all) == 1)
  }

  @Test("a run of a store without sync reports the remedy, and ends with its task")
  func withoutSync() async throws {
    let (plain, b) = (try Replica(configuration: .init()), try Replica())
    let task = Task { () -> (any Error)? in
      for await status in plain.store.sync.run(with: b.store.sync) {
        if case .failed(let error, _) = status { return error }
      }
      return nil
    }
    #expect((await task.value as? StoreError)?.code == .unsupported)
  }

  @Test("what others say of a replica doesn't keep changes from it")
  func relayedLie() async throws {
    let (a, b, liar) = (try Replica(), try Replica(), ReplicaID())
    try await a.store.insert(SharedKind(id: "a", title: "t"))
    let (own, other) = (try await a.store.sync.replica(), try await b.store.sync.replica())
    let now = try await a.store.readingModule { try ReplicaFile($0).clock().now }
    let stamp = try #require(Stamp(time: 1, replica: liar))
    let row = RowState(
      table: "SharedKind", key: [.init("lie")], causalLength: 1, stamp: stamp, insertion: stamp, properties: [])
    try await a.store.sync.apply(
      ChangeBatch(
        since: ChangeCursor(replica: liar, position: 0), upTo: ChangeCursor(replica: liar, position: 5),
        recipient: own, isLast: true, modelsDigest: Data(), rows: [row],
        knowledge: [Knowledge(replica: other, since: 1, origin: own, upTo: now)]))
    let file = try await a.store.sync.export(to: b.folder.file("file"), for: other)
    #expect(file.since.position == 0)
    try await b.store.sync.import(from: file.url)
    #expect(try await b.store.find(SharedKind.self, "a") != nil)
  }
}
