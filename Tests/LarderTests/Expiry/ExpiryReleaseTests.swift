import Foundation
import GRDBSQLite
import Synchronization
import Testing

@testable import Larder

@Model(expires: true)
private struct Voucher: Hashable {
  var id: Int
  var name: String
  @Relationship(deleteRule: .deny) var parent: ToOne<Voucher>?
  @Relationship(inverse: \Badge.vouchers) var badges: ToMany<Badge> = []

  init(id: Int, parent: ToOne<Voucher>? = nil) {
    self.id = id
    name = "voucher \(id)"
    self.parent = parent
  }
}

@Model
private struct Badge: Hashable {
  var id: Int
  var vouchers: ToMany<Voucher> = []
}

@Model
private struct Sale: Hashable {
  var id: Int
  @Relationship(deleteRule: .deny) var voucher: ToOne<Voucher>?
}

/// Goes with its voucher, unless something refers to it.
@Model
private struct Stub: Hashable {
  var id: Int
  @Relationship(deleteRule: .cascade) var voucher: ToOne<Voucher>
}

@Model
private struct Audit: Hashable {
  var id: Int
  @Relationship(deleteRule: .deny) var stub: ToOne<Stub>?
}

@Model(expires: true)
private struct Left: Hashable {
  var id: Int
  @Relationship(deleteRule: .noAction) var other: ToOne<Right>?
}

@Model(expires: true)
private struct Right: Hashable {
  var id: Int
  @Relationship(deleteRule: .noAction) var other: ToOne<Left>?
}

/// Counts what SQLite's virtual machine does on the writer's connection.
private final class WorkCounter: Sendable {
  private let steps = Atomic<Int>(0)

  init(_ store: Store) throws {
    try store.withWriter { connection in
      _ = sqlite3_trace_v2(
        connection.handle, UInt32(SQLITE_TRACE_PROFILE),
        { _, context, statement, _ in
          guard let context, let statement else { return 0 }
          let steps = sqlite3_stmt_status(OpaquePointer(statement), SQLITE_STMTSTATUS_VM_STEP, 1)
          Unmanaged<WorkCounter>.fromOpaque(context).takeUnretainedValue().steps.add(Int(steps), ordering: .relaxed)
          return 0
        }, Unmanaged.passUnretained(self).toOpaque())
    }
  }

  /// The instructions that the closure's statements took.
  func steps(_ body: () throws -> Void) rethrows -> Int {
    steps.store(0, ordering: .relaxed)
    try body()
    return steps.load(ordering: .relaxed)
  }
}

/// Expired rows that references keep, and what becomes of them.
@Suite("Rows that expire: references")
struct ExpiryReleaseTests {
  private let file: StoreFile
  private let time = SteppedTime()
  private let store: Store
  private let db: BlockingStore

  init() throws {
    file = try StoreFile()
    store = try Store(
      at: file.path, for: Voucher.self, Badge.self, Sale.self, Stub.self, Audit.self, Left.self, Right.self,
      configuration: time.configuration)
    store.sweeper.stop()
    db = store.blocking
  }

  private func stored(_ table: String = "Voucher") throws -> [Int] {
    try store.withReader {
      try $0.query("SELECT id FROM main.\"\(table)\" ORDER BY id").compactMap { $0["id"]?.integer.map(Int.init) }
    }
  }

  private func sweep(times: Int = 1) throws {
    for _ in 0..<times { try store.sweep() }
  }

  @Test("what it costs to save, to sweep and to remove does not grow with the rows that references keep")
  func cost() throws {
    func work(_ count: Int) throws -> [Int] {
      let (file, time) = (try StoreFile(), SteppedTime())
      let store = try Store(at: file.path, for: Voucher.self, Sale.self, Badge.self, configuration: time.configuration)
      store.sweeper.stop()
      let db = store.blocking
      let counter = try WorkCounter(store)
      try db.save((0..<count).map { Voucher(id: $0) }, expires: time.now + 10)
      try db.insert((0..<count).map { Sale(id: $0, voucher: ToOne($0)) })
      time.pass(11)
      // The first sweeps set them aside.
      for _ in 0..<(count / 500 + 2) { try store.sweep() }
      _ = try db.removeExpired()
      try db.save(Voucher(id: -1), expires: time.now + 5)
      try db.save(Voucher(id: -2), expires: time.now + 5)
      time.pass(6)
      return [
        try counter.steps { try store.sweep() },
        try counter.steps { try db.removeExpired() },
        try counter.steps { try db.save(Voucher(id: -1), expires: time.now + 1) },
        counter.steps { #expect(throws: StoreError.self) { try db.insert(Voucher(id: -1)) } },
        try counter.steps { _ = try db.write { try $0.sql("update Voucher set name = 'x' where id = -1") } },
      ]
    }
    let (few, many) = (try work(100), try work(3000))
    for (few, many) in zip(few, many) { #expect(many < few * 2, "\(few), and with thirty times the rows \(many)") }
  }

  @Test("a row goes with the sweep after its last reference has gone, and only that row")
  func release() throws {
    try db.save((1...1200).map { Voucher(id: $0) }, expires: time.now + 10)
    try db.insert((1...1200).map { Sale(id: $0, voucher: ToOne($0)) })
    try db.insert(Sale(id: 5000, voucher: ToOne(7)))
    time.pass(11)
    try sweep(times: 4)
    #expect(try stored().count == 1200)
    #expect(try db.count(Voucher.all) == 0)
    try db.delete(Sale.self, 7)
    try db.delete(Sale.self, 8)
    try db.update(Sale(id: 9))
    try db.updateAll(Sale.where { $0.id == 10 }) { $0.voucher.set(nil) }
    try sweep()
    #expect(Set(1...1200).subtracting(try stored()) == [8, 9, 10])
    try db.delete(Sale.self, 5000)
    #expect(try db.removeExpired() == 1)
    #expect(Set(1...1200).subtracting(try stored()) == [7, 8, 9, 10])
  }

  @Test("a reference that goes in a transaction that is rolled back lets go of nothing, and the next one does")
  func rollback() throws {
    try db.save([Voucher(id: 1), Voucher(id: 2)], expires: time.now + 10)
    try db.insert([Sale(id: 1, voucher: ToOne(1)), Sale(id: 2, voucher: ToOne(2))])
    time.pass(11)
    try sweep()
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try db.write { db in
        try db.delete(Sale.self, 1)
        #expect(try db.removeExpired() == 1)
        throw Stop()
      }
    }
    try sweep()
    #expect(try stored() == [1, 2])
    try db.delete(Sale.self, 1)
    try db.delete(Sale.self, 2)
    try sweep()
    #expect(try stored() == [])
  }

  @Test(
    "trees of rows that refuse to lose their parents go, and cycles of which all rows have expired; others stay hidden and cost nothing"
  )
  func selfReferences() throws {
    try db.write { db in
      try db.save(Voucher(id: 1), expires: time.now + 10)
      for id in 2...300 { try db.save(Voucher(id: id, parent: ToOne(id / 2)), expires: time.now + 10 + Double(id)) }
      try db.save(Voucher(id: 1000, parent: ToOne(1001)), expires: time.now + 5)
      try db.save(Voucher(id: 1001, parent: ToOne(1000)), expires: time.now + 5)
      try db.save(Voucher(id: 2000, parent: ToOne(2001)), expires: time.now + 5)
      try db.save(Voucher(id: 2001, parent: ToOne(2000)))
    }
    time.pass(1000)
    #expect(try db.removeExpired() == 302)
    #expect(try stored() == [2000, 2001])
    #expect(try db.count(Voucher.all) == 1)
    #expect(try db.removeExpired() == 0)
  }

  @Test("cycles of references that are checked when the transaction ends go together")
  func deferredCycles() throws {
    try db.write { db in
      for id in 1...50 {
        try db.save(Left(id: id, other: ToOne(id)), expires: time.now + 10)
        try db.save(Right(id: id), expires: time.now + 10)
      }
    }
    time.pass(11)
    try sweep(times: 3)
    #expect(try stored("Left") == [])
    #expect(try stored("Right") == [])
  }

  @Test("a row whose deletion would delete what something refers to is kept, and goes once that reference has gone")
  func cascades() throws {
    try db.save([Voucher(id: 1), Voucher(id: 2), Voucher(id: 3)], expires: time.now + 10)
    try db.insert([Stub(id: 1, voucher: ToOne(1)), Stub(id: 2, voucher: ToOne(2)), Stub(id: 3, voucher: ToOne(3))])
    try db.insert([Audit(id: 1, stub: ToOne(1)), Audit(id: 2, stub: ToOne(2))])
    try db.insert(Voucher(id: 9))
    time.pass(11)
    try sweep()
    #expect(try stored() == [1, 2, 9])
    #expect(try stored("Stub") == [1, 2])
    try db.delete(Audit.self, 1)
    // The stub belongs to another voucher now.
    try db.update(Stub(id: 2, voucher: ToOne(9)))
    try sweep()
    #expect(try stored() == [9])
    #expect(try stored("Stub") == [2])
  }

  @Test("pairs of many-to-many go with a row and keep none")
  func pairs() throws {
    try db.save([Voucher(id: 1), Voucher(id: 2)], expires: time.now + 10)
    try db.insert([Badge(id: 1), Badge(id: 2)])
    try db.setLinks(Voucher(id: 1), \.badges, [Badge(id: 1), Badge(id: 2)])
    time.pass(11)
    try sweep()
    #expect(try stored() == [])
    #expect(try db.count(Badge.all) == 2)
  }

  @Test("references that another connection or a context removes let go of rows as well")
  func others() throws {
    try db.save((1...20).map { Voucher(id: $0) }, expires: time.now + 10)
    try db.insert((1...20).map { Sale(id: $0, voucher: ToOne($0)) })
    time.pass(11)
    try sweep()
    try file.sql("delete from Sale where id = 3")
    let context = Context(store)
    for sale in try context.fetch(Sale.where { $0.id == 4 }) { context.delete(sale) }
    try context.save()
    try sweep(times: 2)
    #expect(Set(1...20).subtracting(try stored()) == [3, 4])
  }

  @Test(
    "a table that cannot be swept keeps no other table from it, and live results hear of the one that was swept",
    .timeLimit(.minutes(20)))
  func failure() async throws {
    try await store.save(Voucher(id: 1), expires: time.now + 10)
    try await store.save(Left(id: 1), expires: time.now + 10)
    var counts = store.live { try $0.sql("select count(*) as n from main.Left").first?["n"]?.integer }
      .makeAsyncIterator()
    #expect(try await counts.next() == 1)
    _ = try await store.sql("create trigger refuse before delete on main.Voucher begin select json('{'); end")
    time.pass(11)
    try sweep()
    #expect(try await counts.next() == 0)
    #expect(try stored() == [1])
  }
}
