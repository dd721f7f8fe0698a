import Dispatch
import Foundation
import GRDBSQLite
import LarderTestSupport
import Logging
import Synchronization
import Testing

@testable import Larder

/// The write-ahead log stays short, whatever readers do.
@Suite(.timeLimit(.minutes(20))) struct WriteAheadLogTests {
  private func size(ofLogOf file: URL) -> Int64 {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path + "-wal")
    return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
  }

  /// Two readers of which one always reads, until the closure returns: each ends its read when the other one has begun
  /// the next.
  private func withOverlappingReaders(_ store: Store, _ body: () async throws -> Void) async throws {
    let isOver = Gate()
    let begun = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
    let readers = (0..<2).map { number in
      Task {
        for round in 0... {
          if isOver.isOpen { break }
          try await store.read { db in
            _ = try db.count(Parcel.all)
            // The second one begins inside the first one's first read, and ends inside its second.
            if number == 1, round == 0 { begun[0].wait() }
            begun[number].signal()
            begun[1 - number].wait()
          }
        }
        // The other one may still wait for a read that will not come.
        begun[number].signal()
      }
    }
    let result: Result<Void, any Error>
    do {
      result = .success(try await body())
    } catch {
      result = .failure(error)
    }
    isOver.open()
    for reader in readers { try await reader.value }
    try result.get()
  }

  @Test("while two readers always overlap, the log stays within bounds, and it is given back when they stop")
  func overlappingReaders() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("a.larder")
    let store = try Store(at: file, for: Parcel.self)
    let largest = Mutex<Int64>(0)
    try await withOverlappingReaders(store) {
      // 160 MB in all, in transactions of 2 MB.
      for round in 0..<80 {
        try await store.save(
          (0..<500).map { Parcel(id: $0, code: "\($0) " + String(repeating: "x", count: 4000) + "\(round)") })
        let size = size(ofLogOf: file)
        largest.withLock { $0 = max($0, size) }
      }
    }
    #expect(largest.withLock { $0 } <= 64 << 20)
    // The store gives the space back by itself; the next look at the file waits for its writer.
    while size(ofLogOf: file) > CheckpointPolicy.keptBytes { try await store.writer.perform { _ in } }
    #expect(try await store.count(Parcel.all) == 500)
  }

  @Test("a log that had grown behind one long reader shrinks when that is done, and what was written is there")
  func longReader() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("a.larder")
    let store = try Store(at: file, for: Parcel.self, configuration: .init(busyTimeout: .milliseconds(100)))
    let (begun, ended) = (Gate(), Gate())
    let reading = Task {
      try await store.read { db in
        let before = try db.count(Parcel.all)
        begun.open()
        try ended.waitBlocking()
        return (before, try db.count(Parcel.all))
      }
    }
    await begun.wait()
    for round in 0..<12 {
      try await store.save(
        (0..<500).map { Parcel(id: round * 500 + $0, code: "\(round) \($0) " + String(repeating: "x", count: 4000)) })
    }
    #expect(size(ofLogOf: file) > 20 << 20)
    ended.open()
    let (before, after) = try await reading.value
    #expect(before == 0 && after == 0)
    while size(ofLogOf: file) > CheckpointPolicy.keptBytes { try await store.writer.perform { _ in } }
    #expect(try await store.count(Parcel.all) == 6000)
  }

  @Test("checkpoint() empties the log, and says .busy while a reader uses it") func checkpoint() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("a.larder")
    let store = try Store(at: file, for: Parcel.self, configuration: .init(busyTimeout: .milliseconds(50)))
    try await store.insert((0..<100).map { Parcel(id: $0) })
    #expect(size(ofLogOf: file) > 0)
    try await store.checkpoint()
    #expect(size(ofLogOf: file) == 0)
    try await store.read { db in
      _ = try db.count(Parcel.all)
      try store.blocking.insert(Parcel(id: 1000))
      let error = #expect(throws: StoreError.self) { try store.blocking.checkpoint() }
      #expect(error?.code == .busy)
    }
    try store.blocking.checkpoint()
    #expect(size(ofLogOf: file) == 0)
    let inMemory = try Store(inMemoryFor: Parcel.self)
    try await inMemory.checkpoint()
  }

  @Test(
    "every connection that commits cuts the log off when it starts over: the writer's, its replacement's, a context's")
  func journalSizeLimit() async throws {
    func limit(_ connection: Connection) throws -> [Value?] {
      try connection.query("PRAGMA main.journal_size_limit").map { $0.first?.value }
    }
    let folder = try TemporaryFolder()
    let file = folder.file("a.larder")
    let store = try Store(at: file, for: Parcel.self)
    let expected = [Value.integer(CheckpointPolicy.keptBytes)]
    #expect(try store.writer.withConnection(limit) == expected)
    let first = try store.writer.withConnection { $0.handle }
    struct Sentinel: Error {}
    #expect(throws: Sentinel.self) {
      try store.writer.withConnection { connection in
        connection.forgetStatements()
        try connection.transaction {
          connection.refusesToRollBack()
          throw Sentinel()
        }
      }
    }
    #expect(try store.writer.withConnection { $0.handle } != first)
    #expect(try store.writer.withConnection(limit) == expected)
    let context = Context(store)
    #expect(try limit(context.open().connection.connection) == expected)
    withExtendedLifetime(context) {}
    // Another connection, which knows no limit, has let the log grow; the next that starts over cuts it off.
    try Self.grow(file, to: 6 << 20)
    #expect(size(ofLogOf: file) > 6 << 20)
    try await store.insert(Parcel(id: 1))
    #expect(size(ofLogOf: file) <= CheckpointPolicy.keptBytes)
  }

  /// Grows the log without shortening it, and moves it into the file so that the next commit starts it over.
  private static func grow(_ file: URL, to bytes: Int) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    let sql = """
      PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = -1;
      CREATE TABLE filler (bytes); INSERT INTO filler VALUES (zeroblob(\(bytes))); PRAGMA wal_checkpoint(RESTART)
      """
    #expect(sqlite3_open(file.path(percentEncoded: false), &handle) == SQLITE_OK)
    #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
  }

  @Test("a context's saves count as well: the log does not grow with them") func contexts() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("a.larder")
    let store = try Store(at: file, for: Parcel.self)
    var largest: Int64 = 0
    for round in 0..<30 {
      try Self.save(round, in: store)
      try await store.writer.perform { _ in }
      largest = max(largest, size(ofLogOf: file))
    }
    #expect(largest < 16 << 20)
    #expect(try await store.count(Parcel.all) == 300)
  }

  private static func save(_ round: Int, in store: Store) throws {
    let context = Context(store)
    for id in 0..<300 {
      try context.save(Parcel(id: id, code: "\(id) " + String(repeating: "x", count: 4000) + "\(round)"))
    }
    try context.save()
  }

  @Test("the policy waits for nobody while the log is small, then longer and longer, and begins anew with an empty log")
  func policy() {
    // The questions are answered outside of the macro, because the policy remembers them.
    func expect(_ isTrue: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
      #expect(isTrue, sourceLocation: sourceLocation)
    }
    var policy = CheckpointPolicy(pageSize: 4096, longestPatience: 5000)
    expect(!policy.isDue(999))
    expect(policy.isDue(1000))
    #expect(policy.attempt(1000).mode == .passive)
    policy.didNotEmpty(1000, .passive)
    expect(!policy.isDue(1999))
    expect(policy.isDue(2000))
    var patience: [Int32] = []
    var pages: Int32 = 4096
    while policy.bytes(pages) < CheckpointPolicy.reportedBytes {
      let attempt = policy.attempt(pages)
      #expect(attempt.mode == (policy.bytes(pages) < CheckpointPolicy.truncateBytes ? .restart : .truncate))
      patience.append(attempt.patience)
      policy.didNotEmpty(pages, attempt.mode)
      expect(!policy.isDue(pages))
      while !policy.isDue(pages) { pages += 1 }
    }
    #expect(patience == patience.sorted() && patience.first == 100 && (patience.last ?? 0) > 1000)
    expect(policy.isWorthReporting(pages))
    expect(!policy.isWorthReporting(pages + 1))
    expect(policy.isWorthReporting(pages * 2 + 1))
    expect(policy.isDue(pages))
    // Another process has emptied the log.
    expect(!policy.isDue(3))
    expect(policy.isDue(1000))
    policy.didNotEmpty(.max - 1, .truncate)
    expect(!policy.isDue(.max - 1))
  }
}
