import Foundation
import GRDBSQLite
import Larder
import LarderTestSupport
import Synchronization
import Testing

@testable import LarderSync

/// What a message can cost who takes it.
@Suite("Sync: batches that are made to cost much")
struct CostlyBatchTests {
  private let replica: Replica
  private let liar = Messages()
  private let mine = RowKey(table: "SharedKind", key: [.init("mine")])

  init() throws {
    replica = try Replica([SharedKind.self])
  }

  // MARK: Offers

  /// Where the row is among the changes to send.
  private func position() async throws -> Int64 {
    let mine = mine
    return try await replica.store.readingModule { connection in
      try #require(try ReplicaFile(connection).row(mine)?.position)
    }
  }

  /// A batch of someone who says to have known everything here before he has forgotten deletions.
  private func batch(
    _ rows: [RowState] = [], upTo: Int64 = 1, isLast: Bool = false, forgotten: Int64
  ) async throws -> ChangeBatch {
    let own = try await replica.store.sync.replica()
    // Nobody knows what was never handed out.
    try await replica.store.writingModule { connection in
      try connection.transaction { try ReplicaFile(connection).confirmIdentity() }
    }
    let known = Knowledge(replica: liar.sender, since: 0, origin: own, upTo: try await replica.now())
    return liar.batch(rows, upTo: upTo, knowledge: [known], isLast: isLast, forgotten: forgotten)
  }

  @Test("S22, S23: who has forgotten a deletion of which it can't have heard is refused")
  func impossibleDeletions() async throws {
    try await replica.store.insert(SharedKind(id: "mine", title: ""))
    let before = try await position()
    let impossible: [(upTo: Int64, isLast: Bool, forgotten: Int64)] = [
      (0, true, 1), (0, false, 1), (5, true, 6), (5, false, -1),
    ]
    for (upTo, isLast, forgotten) in impossible {
      let batch = try await batch(upTo: upTo, isLast: isLast, forgotten: forgotten)
      let error = await #expect(throws: StoreError.self) { try await replica.store.sync.apply(batch) }
      #expect(error?.code == .invalidValue)
    }
    #expect(try await position() == before)
  }

  @Test("S22, S23: a sender has rows offered once for what it has forgotten, also if its batches can't be merged")
  func failingBatches() async throws {
    try await replica.store.insert(SharedKind(id: "mine", title: ""))
    try await replica.store.writingModule { connection in
      try connection.execute(
        """
        CREATE TRIGGER refusing BEFORE INSERT ON SharedKind WHEN new.id = 'bad' BEGIN SELECT RAISE(ABORT, 'bad'); END
        """)
    }
    let bad = try liar.row("SharedKind", .init("bad"), values: ["title": .init("")])
    var positions = [try await position()]
    for forgotten in [5, 5, 4, 6] as [Int64] {
      let batch = try await batch([bad], forgotten: forgotten)
      await #expect(throws: StoreError.self) { try await replica.store.sync.apply(batch) }
      positions.append(try await position())
    }
    #expect(positions[1] > positions[0])
    #expect(positions[2] == positions[1] && positions[3] == positions[1])
    #expect(positions[4] > positions[3])
  }

  @Test("S22, S23: a file that comes again has rows offered once")
  func files() async throws {
    try await replica.store.insert(SharedKind(id: "mine", title: ""))
    let url = replica.folder.file("changes")
    try await batch(forgotten: 5).encoded().write(to: url)
    let before = try await position()
    #expect(try await replica.store.sync.import(from: url).startedAfresh)
    let offered = try await position()
    #expect(offered > before)
    for _ in 0..<2 { #expect(try await !replica.store.sync.import(from: url).startedAfresh) }
    #expect(try await position() == offered)
  }

  @Test("S23: who has been offered rows, and begins with older batches, misses no deletion that was forgotten since")
  func olderBeginning() async throws {
    try await replica.store.insert(SharedKind(id: "mine", title: ""))
    let sender = liar.sender
    let header = try await batch(upTo: 10, forgotten: 5).header
    try await replica.store.writingModule { connection in
      try connection.transaction { try ReplicaFile(connection).recordOffer(header) }
    }
    let row = try liar.row("SharedKind", .init("theirs"), values: ["title": .init("")])
    try await replica.store.sync.apply(liar.batch([row], upTo: 3))
    #expect(try await replica.store.sync.cursor(of: sender).position == 3)
    let error = await #expect(throws: StoreError.self) {
      try await replica.store.sync.apply(liar.batch([], since: 3, upTo: 10, forgotten: 5))
    }
    #expect(error?.code == .notFound)
  }

  // MARK: Collections

  private func document(_ collection: String) throws -> RowState {
    try liar.row("_larder_documents:\(collection)", .init("k"), values: [".a": .init("1")])
  }

  @Test("S15, S22: a batch with documents of too many collections that aren't here is refused whole")
  func manyCollections() async throws {
    let documents = try (0...1000).map { try document("c\($0)") }
    let error = await #expect(throws: StoreError.self) {
      try await replica.store.sync.apply(liar.batch(documents))
    }
    #expect(error?.code == .invalidValue)
    #expect(error?.message.contains("1001 collections") == true)
    #expect(error?.message.contains("limit is 1000") == true)
    #expect(try await replica.state().isEmpty)
    let url = replica.folder.file("changes")
    try liar.batch(documents).encoded().write(to: url)
    await #expect(throws: StoreError.self) { try await replica.store.sync.import(from: url) }
    #expect(try await replica.state().isEmpty)
  }

  @Test("collections that are here, and those that stay here, aren't counted")
  func presentCollections() async throws {
    try await replica.store.documents("here").save("k", ["a": 1])
    try await replica.store.sync.setSyncs(false, collection: "local")
    let allowed = try (0..<1000).map { try document("c\($0)") } + ["here", "local"].map(document)
    let excess = try document("c1000")
    try await replica.store.readingModule { connection in
      var check = try BatchCheck(try ReplicaFile(connection))
      for document in allowed { try check.check([document]) }
      let error = #expect(throws: StoreError.self) { try check.check([excess]) }
      #expect(error?.code == .invalidValue)
    }
  }

  /// Counts the statements with a text that the writer's connection executes.
  private final class StatementCounter: Sendable {
    private let text: String
    private let found = Atomic<Int>(0)
    var count: Int { found.load(ordering: .relaxed) }

    init(_ text: String) {
      self.text = text
    }

    func start(_ store: Store) async throws {
      try await store.writingModule { connection in
        try connection.withStatement("SELECT 1") { statement in
          _ = sqlite3_trace_v2(
            sqlite3_db_handle(statement), UInt32(SQLITE_TRACE_PROFILE),
            { _, context, statement, _ in
              guard let context, let statement, let sql = sqlite3_sql(OpaquePointer(statement)) else { return 0 }
              let counter = Unmanaged<StatementCounter>.fromOpaque(context).takeUnretainedValue()
              if String(cString: sql).contains(counter.text) { counter.found.add(1, ordering: .relaxed) }
              return 0
            }, Unmanaged.passUnretained(self).toOpaque())
        }
      }
    }

    func stop(_ store: Store) async throws {
      try await store.writingModule { connection in
        try connection.withStatement("SELECT 1") { _ = sqlite3_trace_v2(sqlite3_db_handle($0), 0, nil, nil) }
      }
    }
  }

  @Test("S15: the tracking is fitted once to all collections that come with some rows")
  func fitting() async throws {
    let names = (0..<40).map { "c\($0)" }
    // Whether the tracking of a table fits.
    let counter = StatementCounter("description = ?2")
    try await counter.start(replica.store)
    try await replica.store.sync.apply(liar.batch(try names.map(document)))
    try await counter.stop(replica.store)
    #expect((1...4 * names.count).contains(counter.count))
    let (theirs, mine): (Document, Document) = (["a": 1], ["a": 2])
    for name in names { #expect(try await replica.store.documents(name).find("k") == theirs) }
    let other = try Replica([SharedKind.self])
    try await replica.store.documents("c7").save("mine", mine)
    try await other.exchange(with: replica)
    try await expectEqual([replica, other])
    #expect(try await other.store.documents("c7").find("mine") == mine)
  }
}
