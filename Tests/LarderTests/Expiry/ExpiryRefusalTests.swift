import Foundation
import Testing

@testable import Larder

/// A link of a chain: the row before it takes it along.
@Model(expires: true)
private struct Lease: Hashable {
  var id: Int
  @Relationship(deleteRule: .cascade) var earlier: ToOne<Lease>?
}

/// Goes with its lease, and is counted in an account.
@Model
private struct Fee: Hashable {
  var id: Int
  var amount: Int8 = 0
  @Relationship(deleteRule: .cascade) var lease: ToOne<Lease>?
  var account: ToOne<FeeAccount>?
}

@Model
private struct FeeAccount: Hashable {
  var id: Int
  @Relationship(inverse: \Fee.account) var fees: ToMany<Fee> = []
  @Derived(.sum(\FeeAccount.fees, \Fee.amount)) var balance: Int8 = 0
}

/// Both go with their lease, and the one denies that the other goes.
@Model
private struct Room: Hashable {
  var id: Int
  @Relationship(deleteRule: .cascade) var lease: ToOne<Lease>?
}

@Model
private struct Agreement: Hashable {
  var id: Int
  @Relationship(deleteRule: .cascade) var lease: ToOne<Lease>?
  @Relationship(deleteRule: .deny) var room: ToOne<Room>?
}

@Suite("Rows that expire: deletions that are refused", .timeLimit(.minutes(20)))
struct ExpiryRefusalTests {
  private let file: StoreFile
  private let time = SteppedTime()
  private let store: Store
  private let db: BlockingStore

  init() throws {
    file = try StoreFile()
    store = try Store(
      at: file.path, for: Lease.self, Fee.self, FeeAccount.self, Room.self, Agreement.self,
      configuration: time.configuration)
    store.sweeper.stop()
    db = store.blocking
  }

  private func stored(_ table: String = "Lease") throws -> [Int] {
    try store.withReader {
      try $0.query("SELECT id FROM main.\"\(table)\" ORDER BY id").compactMap { $0["id"]?.integer.map(Int.init) }
    }
  }

  @Test("a row that a sum keeps is passed over; the others go, and it goes later, once the sum allows it")
  func sums() throws {
    try db.save((1...1_200).map { Lease(id: $0) }, expires: time.now + 10)
    try db.insert(FeeAccount(id: 1))
    try db.insert([
      Fee(id: 2, amount: -20, lease: ToOne(700), account: ToOne(1)), Fee(id: 1, amount: 120, account: ToOne(1)),
      Fee(id: 3, amount: 20, account: ToOne(1)),
    ])
    time.pass(11)
    for _ in 0..<4 { try store.sweep() }
    #expect(try stored() == [700])
    #expect(try db.count(Lease.all) == 0)
    #expect(try db.find(FeeAccount.self, 1)?.balance == 120)
    try db.delete(Fee.self, 1)
    try store.sweep()
    #expect(try stored() == [700])
    time.pass(ExpiryReleases.retryInterval + 1)
    try store.sweep()
    #expect(try stored() == [])
    #expect(try db.find(FeeAccount.self, 1)?.balance == 20)
    #expect(try db.verifyDerived() == [])
  }

  @Test("a call that removes expired rows tries a refused one again at once")
  func removing() throws {
    try db.save([Lease(id: 1), Lease(id: 2)], expires: time.now + 10)
    try db.insert(FeeAccount(id: 1))
    try db.insert([
      Fee(id: 2, amount: -20, lease: ToOne(1), account: ToOne(1)), Fee(id: 1, amount: 120, account: ToOne(1)),
      Fee(id: 3, amount: 20, account: ToOne(1)),
    ])
    time.pass(11)
    #expect(try db.removeExpired() == 1)
    #expect(try db.removeExpired() == 0)
    try db.update(Fee(id: 1, amount: 1, account: ToOne(1)))
    #expect(try db.removeExpired() == 1)
    #expect(try stored() == [])
  }

  @Test("a row that a trigger of another program keeps is passed over, and goes when the trigger has gone")
  func triggers() throws {
    _ = try db.sql(
      "create trigger keep before delete on main.Lease when old.id = 5 begin select raise(abort, 'this one stays'); end"
    )
    try db.save((1...20).map { Lease(id: $0) }, expires: time.now + 10)
    time.pass(11)
    try store.sweep()
    #expect(try stored() == [5])
    try store.sweep()
    _ = try db.sql("drop trigger keep")
    try store.sweep()
    #expect(try stored() == [])
  }

  @Test("what is refused is not tried again with every sweep")
  func attempts() throws {
    _ = try db.sql("create trigger keep before delete on main.Lease begin select json('{'); end")
    try db.save((1...40).map { Lease(id: $0) }, expires: time.now + 10)
    time.pass(11)
    try store.sweep()
    #expect(try db.count(Lease.all) == 0)
    let changes = try store.withWriter { try $0.query("SELECT total_changes() AS n").first?["n"]?.integer }
    for _ in 0..<5 { try store.sweep() }
    #expect(try store.withWriter { try $0.query("SELECT total_changes() AS n").first?["n"]?.integer } == changes)
    #expect(try stored().count == 40)
  }

  @Test("a row takes two along of which one denies that the other goes, as a deletion does")
  func forks() throws {
    try db.save([Lease(id: 1), Lease(id: 2)], expires: time.now + 10)
    try db.insert([Room(id: 1, lease: ToOne(1)), Room(id: 2, lease: ToOne(2))])
    try db.insert([
      Agreement(id: 1, lease: ToOne(1), room: ToOne(1)), Agreement(id: 2, lease: ToOne(2), room: ToOne(2)),
      Agreement(id: 3, room: ToOne(2)),
    ])
    time.pass(11)
    try store.sweep()
    #expect(try stored() == [2])
    #expect(try stored("Room") == [2])
    #expect(try stored("Agreement") == [2, 3])
    try db.delete(Agreement.self, 3)
    try store.sweep()
    #expect(try stored() == [] && stored("Room") == [] && stored("Agreement") == [])
  }

  @Test("chains and circles of thousands of rows go with the first of them that expires", arguments: [false, true])
  func chains(isCircle: Bool) throws {
    try db.write { db in
      try db.insert((1...3_000).map { Lease(id: $0, earlier: $0 == 1 ? isCircle ? ToOne(3_000) : nil : ToOne($0 - 1)) })
      try db.insert((1...3_000).map { Fee(id: $0, lease: ToOne($0)) })
      try db.save([Lease(id: 9_000), Lease(id: 9_001)], expires: time.now + 10)
      try db.setExpiry(of: Lease.self, 1, to: time.now + 10)
    }
    time.pass(11)
    try store.sweep()
    #expect(try stored() == [])
    #expect(try db.count(Fee.all) == 0)
  }

  @Test("a new row takes the place of an expired one that others follow by thousands")
  func places() throws {
    try db.write { db in
      try db.insert((1...2_000).map { Lease(id: $0, earlier: $0 == 1 ? nil : ToOne($0 - 1)) })
      try db.setExpiry(of: Lease.self, 1, to: time.now + 10)
    }
    time.pass(11)
    let context = Context(store)
    context.insert(Lease(id: 1))
    try context.save()
    #expect(try stored() == [1])
    try db.write { db in
      try db.insert((2...2_000).map { Lease(id: $0, earlier: ToOne($0 - 1)) })
      try db.setExpiry(of: Lease.self, 1, to: time.now + 10)
    }
    time.pass(11)
    try db.insert(Lease(id: 1))
    #expect(try stored() == [1])
  }
}
