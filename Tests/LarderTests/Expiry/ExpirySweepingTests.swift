import Foundation
import Synchronization
import Testing

@testable import Larder

@Model(expires: true)
private struct Coupon: Hashable {
  var id: Int
  var rowid: Int = 0
}

@Model(expires: true)
private struct Ticket: Hashable {
  @Attribute(.primaryKey) var code: String
  var rowid: Int = 0
}

@Model
private struct Purchase: Hashable {
  var id: Int
  @Relationship(deleteRule: .deny) var coupon: ToOne<Coupon>?
  @Relationship(deleteRule: .noAction) var ticket: ToOne<Ticket>?
}

/// What deletes rows whose time has come, and what it leaves alone.
@Suite("Rows that expire: sweeping")
struct ExpirySweepingTests {
  private let file: StoreFile
  private let store: Store
  private let db: BlockingStore
  private let time = TestClock(at: 1000)

  init() throws {
    file = try StoreFile()
    let time = time
    store = try Store(
      at: file.path, for: Coupon.self, Ticket.self, Purchase.self, configuration: Store.Configuration(now: { time.now })
    )
    store.sweeper.stop()
    db = store.blocking
  }

  private func kept(_ table: String) throws -> Int {
    try store.withReader {
      try $0.query("SELECT count(*) AS n FROM main.\"\(table)\"").first?["n"]?.integer.map(Int.init) ?? -1
    }
  }

  @Test("only rows whose time has come are deleted, also where a property has the name of SQLite's row identifier")
  func rowIdentifiers() throws {
    try db.insert([Coupon(id: 1, rowid: 7), Coupon(id: 2, rowid: 1)], expires: time.now + 10)
    try db.insert([Coupon(id: 7, rowid: 7), Coupon(id: 3, rowid: 1), Coupon(id: 4, rowid: 2)])
    try db.insert([Ticket(code: "a", rowid: 9), Ticket(code: "b", rowid: 9)], expires: time.now + 10)
    try db.insert([Ticket(code: "c", rowid: 9)])
    time.advance(by: 11)
    #expect(try db.removeExpired() == 4)
    #expect(try db.fetch(Coupon.all.sorted(by: \.id)).map(\.id) == [3, 4, 7])
    #expect(try db.fetch(Ticket.all).map(\.code) == ["c"])
  }

  @Test("an expired row that a rule keeps stays hidden; those beside it go, and it goes once nothing refers to it")
  func referenced() throws {
    try db.insert((1...5).map { Coupon(id: $0) }, expires: time.now + 10)
    try db.insert(["a", "b"].map { Ticket(code: $0) }, expires: time.now + 10)
    try db.insert(Purchase(id: 1, coupon: ToOne(1), ticket: ToOne("a")))
    time.advance(by: 11)
    #expect(try db.removeExpired() == 5)
    #expect(try db.count(Coupon.all) == 0)
    #expect(try db.count(Ticket.all) == 0)
    #expect(try kept("Coupon") == 1)
    #expect(try kept("Ticket") == 1)
    #expect(try db.removeExpired() == 0)
    try db.delete(Purchase.self, 1)
    #expect(try db.removeExpired() == 2)
    #expect(try kept("Coupon") == 0)
  }

  @Test(
    "a limit holds for models and collections together, and what expires next is what comes after the time that was swept"
  )
  func limits() throws {
    try db.insert((1...3).map { Coupon(id: $0) }, expires: time.now + 10)
    for name in ["red", "blue"] {
      try db.documents(name).save(
        keyed: (0..<4).map { (key: "\($0)", value: ["n": 1] as Document) }, expires: time.now + 10)
    }
    try db.documents("red").save("late", ["n": 2], expires: time.now + 30)
    let start = time.now
    time.advance(by: 11)
    let counts = try db.write { db in
      try db._write(isAtomic: false) { access in try (0..<4).map { _ in try access.connection.removeExpired(limit: 5) }
      }
    }
    #expect(counts == [5, 5, 1, 0])
    let next = try store.withReader { try $0.nextExpiry(after: time.now.timeIntervalSinceReferenceDate) }
    #expect(next == (start + 30).timeIntervalSinceReferenceDate)
    #expect(try store.withReader { try $0.nextExpiry(after: next) } == .infinity)
  }

  @Test(
    "rows that expire one after another, while sweeps are at work and other dates are set, are all deleted",
    .timeLimit(.minutes(20)))
  func datesDuringSweeps() async throws {
    let file = try StoreFile()
    let store = try Store(at: file.path, for: Coupon.self, Ticket.self, Purchase.self)
    var counts = store.live { db in try db.sql("select count(*) as n from main.Coupon").first?["n"]?.integer ?? 0 }
      .makeAsyncIterator()
    for id in 0..<40 { try await store.insert(Coupon(id: id), expires: .now + 0.01 * Double(id)) }
    while let count = try await counts.next(), count > 0 {}
    #expect(try await store.count(Coupon.all) == 0)
  }
}
