import Foundation
import GRDBSQLite
import Larder
import LarderRandom
import Testing

@testable import LarderSync

/// What a replica says of others decides whether a value was overwritten knowingly, and nothing else.
@Suite("Sync: what replicas say of each other")
struct KnowledgeTests {
  private let a: Replica
  private let b: Replica
  private let honest: Replica
  private let liar = Messages()

  init() throws {
    (a, b, honest) = (try Replica(), try Replica(), try Replica())
  }

  private func sender(_ replica: Replica) async throws -> ReplicaID { try await replica.store.sync.replica() }

  /// The liar says that it knows everything that a replica will ever write, and the same of another one.
  private func lie(to replica: Replica, of honest: Replica, about other: Replica? = nil) async throws {
    let origin = try await sender(honest)
    let now = try await replica.now()
    var knowledge = [1, now].map { Knowledge(replica: liar.sender, since: $0, origin: origin, upTo: .max) }
    if let other {
      for since in [1, now] {
        knowledge.append(Knowledge(replica: try await sender(other), since: since, origin: origin, upTo: .max))
      }
    }
    let row = try liar.row("SharedKind", .init("lie"), values: ["title": .init("")])
    try await replica.store.sync.apply(liar.batch([row], upTo: now, knowledge: knowledge))
  }

  @Test("who has forgotten a deletion takes new rows, whatever others say to know of them")
  func newRows() async throws {
    try await a.forgetSomething()
    try await lie(to: a, of: honest, about: a)
    try await honest.store.insert(SharedKind(id: "new", title: "N"))
    try await honest.exchange(with: a)
    #expect(try await a.store.find(SharedKind.self, "new")?.title == "N")
    try await a.exchange(with: b)
    try await b.exchange(with: a)
    #expect(try await b.store.find(SharedKind.self, "new")?.title == "N")
  }

  @Test("what came is known, also if the last batch has no rows")
  func emptyEnd() async throws {
    try await a.store.insert(["1", "2"].map { SharedKind(id: $0, title: "t") })
    let (own, other) = (try await sender(a), try await sender(b))
    let first = try await a.store.sync.changes(after: .init(replica: own, position: 0), for: other, limit: 1)
    try await b.store.sync.apply(first)
    let end = ChangeCursor(replica: own, position: try await a.now())
    // As if the other row had gone meanwhile.
    try await b.store.sync.apply(
      ChangeBatch(
        since: first.upTo, upTo: end, recipient: other, isLast: true, modelsDigest: first.modelsDigest, rows: [],
        knowledge: []))
    try await b.setClock(past: a)
    try await b.store.updateAll(SharedKind.all) { $0.title.set("edited") }
    try await b.exchange(with: a)
    #expect(try await a.store.find(SharedKind.self, "1")?.title == "edited")
    #expect(try await a.store.sync.conflicts().isEmpty)
  }

  @Test("rows that were written before the lie, and come after it, are taken too")
  func oldRows() async throws {
    try await honest.store.insert(SharedKind(id: "old", title: "O"))
    try await a.forgetSomething()
    try await lie(to: a, of: honest)
    try await honest.exchange(with: a)
    #expect(try await a.store.find(SharedKind.self, "old")?.title == "O")
  }

  @Test("a fresh start deletes nothing because the peer says that it has known it")
  func freshStart() async throws {
    try await b.store.insert(SharedKind(id: "b", title: "B"))
    try await b.exchange(with: a)
    try await a.forgetSomething()
    try await honest.store.insert(SharedKind(id: "h", title: "H"))
    try await honest.exchange(with: b)
    try await lie(to: b, of: honest, about: a)
    try await lie(to: a, of: honest)
    #expect(try await b.exchange(with: a).startedAfresh)
    try await a.exchange(with: b)
    #expect(Set(try await b.store.fetch(SharedKind.all).map(\.id)) == ["b", "h", "lie"])
    try await expectEqual([a, b])
  }

  @Test("values that are written after a lie are in conflict, as if nobody had lied")
  func conflicts() async throws {
    try await honest.store.insert(SharedKind(id: "k", title: "K"))
    try await honest.exchange(with: a)
    try await lie(to: a, of: honest)
    try await honest.setClock(past: a)
    try await honest.store.updateAll(SharedKind.all) { $0.title.set("of honest") }
    try await a.setClock(past: honest)
    try await a.store.updateAll(SharedKind.where { $0.id == "k" }) { $0.title.set("of a") }
    try await honest.exchange(with: a)
    #expect(try await honest.store.sync.conflicts().map(\.lost) == [.text("of honest")])
  }

  @Test("a replica is told nothing of what it knows itself")
  func ownKnowledge() async throws {
    let (own, origin) = (try await sender(a), try await sender(honest))
    try await honest.store.insert(SharedKind(id: "k", title: "K"))
    try await honest.exchange(with: a)
    let row = try liar.row("SharedKind", .init("lie"), values: ["title": .init("")])
    let past = Knowledge(replica: own, since: 5, origin: origin, upTo: .max)
    try await a.store.sync.apply(liar.batch([row], knowledge: [past]))
    let known = try await a.store.readingModule { try ReplicaFile($0).knowledge(after: 0, upTo: .max) }
    #expect(!known.contains(past))
    let future = Knowledge(replica: own, since: .max, origin: origin, upTo: .max)
    let error = await #expect(throws: StoreError.self) {
      try await a.store.sync.apply(liar.batch([row], knowledge: [future]))
    }
    #expect(error?.code == .invalidValue)
  }

  @Test("who has overwritten a relayed value knew it, and so did who has overwritten that", arguments: 1...3)
  func relay(length: Int) async throws {
    try await honest.store.insert(SharedKind(id: "k", title: "first"))
    var chain = [honest]
    for number in 1...length {
      let next = try Replica()
      try await next.exchange(with: try #require(chain.last))
      try await next.setClock(past: try #require(chain.last))
      try await next.store.updateAll(SharedKind.all) { $0.title.set("\(number)") }
      chain.append(next)
    }
    try await honest.exchange(with: try #require(chain.last))
    #expect(try await honest.store.find(SharedKind.self, "k")?.title == "\(length)")
    #expect(try await honest.store.sync.conflicts().isEmpty)
  }

  // MARK: What it costs

  /// The instructions of SQLite's virtual machine that the closure's statements take.
  private static func steps(_ connection: ModuleConnection, _ body: () throws -> Void) throws -> Int {
    func takeSteps() throws -> Int {
      try connection.withStatement("SELECT 1") { statement in
        let handle = sqlite3_db_handle(statement)
        var (steps, next) = (0, sqlite3_next_stmt(handle, nil))
        while let current = next {
          steps += Int(sqlite3_stmt_status(current, SQLITE_STMTSTATUS_VM_STEP, 1))
          next = sqlite3_next_stmt(handle, current)
        }
        return steps
      }
    }
    _ = try takeSteps()
    try body()
    return try takeSteps()
  }

  @Test("where nothing is new, asking costs the same however many rows there are")
  func silence() async throws {
    let recipient = try await a.store.sync.replica()
    func steps() async throws -> Int {
      try await honest.store.readingModule { connection in
        let file = try ReplicaFile(connection)
        let end = ChangeCursor(replica: try file.own(), position: try file.clock().now)
        return try Self.steps(connection) {
          let batch = try file.changes(after: end, for: recipient, limit: 500)
          #expect(batch.rows.isEmpty && batch.isLast)
        }
      }
    }
    try await honest.store.insert((0..<10).map { SharedKind(id: "\($0)", title: "t") })
    _ = try await steps()
    let few = try await steps()
    try await honest.store.insert((10..<5000).map { SharedKind(id: "\($0)", title: "t") })
    let many = try await steps()
    // Another connection may have to prepare more.
    #expect(many < 2 * few)
  }

  @Test("S22: a statement costs the same however many there are, also if they are made to be looked at one by one")
  func cost() async throws {
    let (knower, origin) = (ReplicaID(), ReplicaID())
    let (later, earlier) = (try liar.stamp(.max, by: knower), try liar.stamp(1 << 20, by: origin))
    try await a.store.writingModule { connection in
      try connection.transaction {
        let file = try ReplicaFile(connection)
        let (first, second) = (try file.id(of: knower), try file.id(of: origin))
        func record(_ numbers: Range<Int64>) throws {
          for number in numbers { try file.record(first, second, number + 1 << 20, number) }
        }
        try record(0..<10)
        let few = try Self.steps(connection) { try record(10..<20) }
        try record(20..<2000)
        let many = try Self.steps(connection) { try record(2000..<2010) }
        #expect(many < 2 * few)
        var knew = true
        let asking = try Self.steps(connection) { knew = try file.knew(later, earlier) }
        #expect(!knew && asking < 1000)
        let summing = try Self.steps(connection) { try file.recordKnowledge(of: first, upTo: .max) }
        #expect(summing < 5000)
      }
    }
  }

  @Test("what is kept of statements says what all of them said", arguments: 0..<10 as Range<UInt64>)
  func kept(seed: UInt64) async throws {
    let (knower, origin, liar) = (ReplicaID(), ReplicaID(), liar)
    try await a.store.writingModule { connection in
      try connection.transaction {
        var random = SplitMix64(seed: seed)
        let file = try ReplicaFile(connection)
        let (first, second) = (try file.id(of: knower), try file.id(of: origin))
        var all: [(since: Int64, upTo: Int64)] = []
        for _ in 0..<12 {
          let since = Int64.random(in: 0...9, using: &random)
          let upTo = Int64.random(in: 0...9, using: &random)
          all.append((since, upTo))
          try file.record(first, second, since, upTo)
          for time in 0...10 as ClosedRange<Int64> {
            for earlier in 0...10 as ClosedRange<Int64> {
              let isKnown = all.contains { $0.since <= time && min($0.since, $0.upTo) >= earlier }
              let knew = try file.knew(liar.stamp(time, by: knower), liar.stamp(earlier, by: origin))
              #expect(knew == isKnown, "seed \(seed)")
            }
          }
        }
        let statements = try connection.rows(
          "SELECT min(since, up_to) FROM \(SyncTables.knowledge) WHERE replica = ?1 ORDER BY since", [.integer(first)]
        ) { $0.integer(0) }
        #expect(zip(statements, statements.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed)")
      }
    }
  }

  // MARK: Changes that wait for their time

  private static let days: Int64 = 2 * 24 * 60 * 60 * 1000

  @Test("S18: a change that has waited is taken, also by who has forgotten deletions")
  func waitedRow() async throws {
    try await b.forgetSomething()
    try await a.advanceClock(by: Self.days)
    try await a.store.insert(SharedKind(id: "early", title: "E"))
    try await a.exchange(with: b)
    #expect(try await b.store.sync.waiting().count == 1)
    try await b.advanceClock(by: Self.days)
    try await b.exchange(with: a)
    #expect(try await b.store.find(SharedKind.self, "early")?.title == "E")
    #expect(try await b.store.sync.waiting().isEmpty)
    try await a.exchange(with: b)
    try await expectEqual([a, b])
  }

  @Test("S18: who has written while a change waited didn't know it", arguments: [false, true])
  func waitedValue(isRelayed: Bool) async throws {
    try await a.store.insert(SharedKind(id: "k", title: "K"))
    try await a.exchange(with: b)
    try await a.store.updateAll(SharedKind.all) { $0.title.set("of a") }
    // The row waits as a whole, because of a write that comes with the title.
    try await a.advanceClock(by: Self.days)
    try await a.store.sync.setName("a")
    try await a.store.writingModule { connection in
      try connection.transaction {
        let file = try ReplicaFile(connection)
        let row = try #require(try file.row(RowKey(table: "SharedKind", key: [.init("k")])))
        try file.change(row, to: row.state.setting("unheard", to: .integer(1), try file.newStamp()))
      }
    }
    let first = isRelayed ? honest : b
    try await a.exchange(with: first)
    if isRelayed { try await honest.exchange(with: b) }
    #expect(try await first.store.sync.waiting().count == 1)
    try await b.store.updateAll(SharedKind.all) { $0.title.set("of b") }
    for replica in [first, b] { try await replica.advanceClock(by: Self.days + 60_000) }
    for _ in 0..<2 {
      try await a.exchange(with: first)
      if isRelayed { try await first.exchange(with: b) }
    }
    try await a.exchange(with: first)
    #expect(try await a.store.find(SharedKind.self, "k")?.title == "of b")
    #expect(try await a.store.sync.conflicts().map(\.lost) == [.text("of a")])
    try await expectEqual([a, b])
  }

  /// A replica whose clock is ahead has a row of another one, and sets a property of it.
  private func early(_ row: SharedAccount, from replica: Replica) async throws -> Replica {
    let early = try Replica()
    try await early.exchange(with: replica)
    try await early.advanceClock(by: Self.days)
    try await early.store.updateAll(SharedAccount.where { $0.id == row.id }) { $0.limit.set(5) }
    return early
  }

  private func setName(_ name: String, of row: SharedAccount, in replica: Replica, after other: Replica) async throws {
    try await replica.setClock(past: other)
    try await replica.store.updateAll(SharedAccount.where { $0.id == row.id }) { $0.name.set(name) }
  }

  /// Lets all replicas meet, now and when nothing has to wait any longer, and expects these names as lost.
  private func expectLost(_ names: [String], near: [Replica], early: Replica) async throws {
    let lost: [Value] = names.map { .text($0) }
    for isLater in [false, true] {
      if isLater {
        for replica in near { try await replica.advanceClock(by: Self.days + 60_000) }
      }
      for _ in 0..<2 {
        for replica in near {
          for other in near where other.path != replica.path { try await replica.exchange(with: other) }
          try await replica.exchange(with: early)
        }
      }
      for replica in near + [early] {
        #expect(try await replica.store.sync.conflicts().map(\.lost) == lost, "later: \(isLater)")
      }
    }
    for replica in near { #expect(try await replica.store.sync.waiting().isEmpty) }
    try await expectEqual(near + [early])
  }

  @Test(
    "S18: what waits keeps nobody from knowing what came, of rows that were here or come later",
    arguments: [true, false])
  func knownBesideWaiting(isHere: Bool) async throws {
    let row = SharedAccount(name: "first")
    try await b.store.insert(row)
    if isHere { try await a.exchange(with: b) }
    try await setName("second", of: row, in: b, after: b)
    if isHere { try await a.exchange(with: b) }
    let c = try await early(row, from: b)
    try await a.exchange(with: c)
    #expect(try await a.store.sync.waiting().count == 1)
    try await setName("of b", of: row, in: b, after: b)
    try await a.exchange(with: b)
    try await setName("of a", of: row, in: a, after: b)
    try await expectLost([], near: [a, b], early: c)
    let merged = try #require(try await a.store.find(SharedAccount.self, row.id))
    #expect(merged.name == "of a" && merged.limit == 5)
  }

  @Test(
    "S18: a write that waits with a later one isn't known until it comes, by whichever way", arguments: [false, true])
  func unknownBesideWaiting(isRelayed: Bool) async throws {
    let (row, other) = (SharedAccount(name: "first"), SharedAccount(name: "other"))
    try await b.store.insert([row, other])
    try await a.exchange(with: b)
    try await setName("of b", of: row, in: b, after: b)
    if isRelayed { try await honest.exchange(with: b) }
    try await setName("second", of: other, in: b, after: b)
    let c = try await early(row, from: b)
    try await a.exchange(with: c)
    #expect(try await a.store.sync.waiting().count == 1)
    #expect(try await a.store.find(SharedAccount.self, row.id)?.name == "first")
    #expect(try await a.store.find(SharedAccount.self, other.id)?.name == "second")
    if isRelayed {
      try await a.exchange(with: honest)
      #expect(try await a.store.sync.waiting().count == 1)
      #expect(try await a.store.find(SharedAccount.self, row.id)?.name == "of b")
    }
    try await setName("of a", of: row, in: a, after: b)
    try await setName("third", of: other, in: a, after: b)
    // Without the first write of B that is missing, none of the later ones counts as known.
    try await expectLost(isRelayed ? [] : ["second", "of b"], near: isRelayed ? [a, b, honest] : [a, b], early: c)
    #expect(try await a.store.find(SharedAccount.self, row.id)?.name == "of a")
  }
}
