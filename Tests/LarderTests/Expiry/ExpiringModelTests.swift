import Foundation
import Testing

@testable import Larder

@Model(expires: true)
private struct Session: Hashable {
  var id: Int
  @Attribute(.unique) var token: String
  @Attribute(.searchable) var user: String = "ada"
  var visits: Int = 0
  var device: ToOne<Device>?
}

@Model
private struct Device: Hashable {
  var id: Int
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Session.device) var sessions: ToMany<Session> = []
}

@Model
private struct Visit: Hashable {
  var id: Int
  @Relationship(deleteRule: .cascade) var session: ToOne<Session>
}

@Suite("Rows that expire")
struct ExpiringModelTests {
  private let file: StoreFile
  private let clock = TestClock(at: 1000)
  private let store: Store

  init() throws {
    file = try StoreFile()
    let clock = clock
    store = try Store(
      at: file.path, for: Session.self, Device.self, Visit.self, configuration: Store.Configuration(now: { clock.now }))
    // What is hidden stays there to be found.
    store.sweeper.stop()
    try store.blocking.insert(Device(id: 1, name: "phone"))
    try store.blocking.insert(Session(id: 1, token: "a", device: ToOne(1)))
    try store.blocking.save(
      Session(id: 2, token: "b", user: "bo", visits: 7, device: ToOne(1)), expires: clock.now + 10)
    try store.blocking.insert(Visit(id: 5, session: ToOne(2)))
  }

  /// What every way of asking says of the sessions that are there.
  private func expectKeys(
    _ keys: [Int], _ reader: some StoreReader, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try reader.fetch(Session.all).map(\.id).sorted() == keys, sourceLocation: sourceLocation)
    #expect(
      try reader.fetch(Session.where { $0.visits >= 0 }.sorted(by: \.id)).map(\.id) == keys,
      sourceLocation: sourceLocation)
    #expect(try reader.count(Session.all) == keys.count, sourceLocation: sourceLocation)
    for key in 1...2 {
      #expect((try reader.find(Session.self, key) != nil) == keys.contains(key), sourceLocation: sourceLocation)
      #expect(try reader.exists(Session.where { $0.id == key }) == keys.contains(key), sourceLocation: sourceLocation)
    }
    #expect(
      try reader.max(Session.all, of: \.visits) ?? -1 == (keys.contains(2) ? 7 : 0), sourceLocation: sourceLocation)
    #expect(try reader.fetch(Session.search("bo")).count == (keys.contains(2) ? 1 : 0), sourceLocation: sourceLocation)
    #expect(
      try reader.matches(Session.search("bo")).count == (keys.contains(2) ? 1 : 0), sourceLocation: sourceLocation)
    #expect(
      try reader.sql("select id from Session order by id").map { $0["id"]?.integer } == keys.map { Int64($0) },
      sourceLocation: sourceLocation)
    #expect(
      try reader.sql("select count(*) as n from \(Session.self)").first?["n"] == .integer(Int64(keys.count)),
      sourceLocation: sourceLocation)
    let device = try #require(try reader.fetch(Device.all.including(\.sessions)).first, sourceLocation: sourceLocation)
    #expect(device.sessions.map(\.id).sorted() == keys, sourceLocation: sourceLocation)
    #expect(
      try reader.fetch(Device.where { $0.sessions.count == keys.count }).count == 1, sourceLocation: sourceLocation)
    #expect(
      try reader.fetch(Device.where { $0.sessions.contains { $0.visits == 7 } }).count == (keys.contains(2) ? 1 : 0),
      sourceLocation: sourceLocation)
    #expect(
      try reader.fetch(Visit.where { $0.session.user == "bo" }).count == (keys.contains(2) ? 1 : 0),
      sourceLocation: sourceLocation)
  }

  private var stored: Int {
    get throws { try file.sql("select count(*) as n from main.Session").first?["n"]?.integer.map { Int($0) } ?? -1 }
  }

  @Test("SQL compacts a file whose rows expire")
  func vacuum() throws {
    try store.blocking.save(Session(id: 9, token: "z"), expires: clock.now + 10)
    for statement in [" vacuum", "-- all of it\n/* ; */ VACUUM", "\u{FEFF}VACUUM"] {
      try store.blocking.sql(SQL(raw: statement))
    }
    #expect(try store.blocking.find(Session.self, 9)?.token == "z")
    clock.advance(by: 11)
    #expect(try store.blocking.find(Session.self, 9) == nil)
  }

  @Test("B7: a row is there until its time, and from its time on in no verb, query, aggregate, relationship or SQL")
  func everywhere() async throws {
    #expect(try store.blocking.expiry(of: Session.self, 2) == clock.now + 10)
    clock.advance(by: 9.999)
    try expectKeys([1, 2], store.blocking)
    clock.advance(by: 0.001)
    #expect(try stored == 2)
    try expectKeys([1], store.blocking)
    try await store.read { try expectKeys([1], $0) }
    try await store.write { try expectKeys([1], $0) }
    try expectKeys([1], Context(store))
    #expect(try store.blocking.expiry(of: Session.self, 2) == nil)
    #expect(try store.blocking.setExpiry(of: Session.self, 2, to: nil) == false)
    #expect(try await store.removeExpired() == 1)
    #expect(try stored == 1)
    #expect(try store.blocking.count(Visit.all) == 0, "the delete rule goes with it")
  }

  @Test("B7: what has expired cannot be changed, and leaves its key and its unique values free")
  func keys() throws {
    clock.advance(by: 10)
    let gone = Session(id: 2, token: "b", visits: 1)
    #expect(throws: StoreError.self) { try store.blocking.update(gone) }
    #expect(try store.blocking.delete(gone) == false)
    #expect(try store.blocking.updateAll(Session.all) { $0.visits.increment(by: 1) } == 1)
    #expect(try store.blocking.deleteAll(Session.where { $0.id == 2 }) == 0)
    #expect(try store.blocking.count(Visit.all) == 1)
    try store.blocking.insert(gone)
    #expect(try store.blocking.find(Session.self, 2) == gone)
    #expect(try store.blocking.count(Visit.all) == 0, "what belonged to the old row went with it")
    try store.blocking.save(gone, expires: clock.now + 1)
    clock.advance(by: 1)
    try store.blocking.insert([Session(id: 3, token: "c"), Session(id: 4, token: "b"), Session(id: 5, token: "e")])
    #expect(try store.blocking.fetch(Session.all.sorted(by: \.id)).map(\.id) == [1, 3, 4, 5])
    let error = #expect(throws: StoreError.self) { try store.blocking.insert(Session(id: 6, token: "e")) }
    #expect(error?.code == .duplicate)
  }

  @Test("B7: saving anew sets another time or none, an update keeps it, and a time that has passed deletes")
  func times() throws {
    let session = Session(id: 2, token: "b")
    try store.blocking.update(session)
    #expect(try store.blocking.expiry(of: Session.self, 2) == clock.now + 10)
    try store.blocking.save(session)
    #expect(try store.blocking.expiry(of: Session.self, 2) == nil)
    try store.blocking.setExpiry(of: Session.self, 2, to: clock.now + 5)
    #expect(try store.blocking.expiry(of: Session.self, 2) == clock.now + 5)
    try store.blocking.save(session, expires: clock.now)
    #expect(try store.blocking.find(Session.self, 2) == nil)
    let error = #expect(throws: StoreError.self) {
      try store.blocking.save(session, expires: Date(timeIntervalSinceReferenceDate: .nan))
    }
    #expect(error?.code == .invalidValue && error?.model == "Session")
    #expect(try store.blocking.find(Session.self, 2) == nil)
  }

  @Test("B7: a clock that is set back does not bring back what was reported gone")
  func clockSetBack() throws {
    clock.advance(by: 10)
    #expect(try store.blocking.count(Session.all) == 1)
    clock.advance(by: -60)
    #expect(try store.blocking.count(Session.all) == 1)
    #expect(try store.blocking.find(Session.self, 2) == nil)
  }

  @Test("B7: live results hear of what expires, and the sweeper deletes it by itself")
  func live() async throws {
    let file = try StoreFile()
    let real = try file.open(Session.self, Device.self)
    try await real.insert(Session(id: 1, token: "a"))
    try await real.insert(Session(id: 2, token: "b"), expires: .now + 0.2)
    var counts: [Int] = []
    for try await sessions in real.live(Session.all) {
      counts.append(sessions.count)
      if sessions.count == 1 { break }
    }
    #expect(counts.last == 1)
    while try await real.sql("select count(*) as n from main.Session").first?["n"] != 1 { await Task.yield() }
  }

  @Test("B7: 1,200 rows that are due at once are deleted a few at a time")
  func sweeping() async throws {
    let file = try StoreFile()
    let real = try file.open(Session.self, Device.self)
    try await real.insert((1...1200).map { Session(id: $0, token: "\($0)") }, expires: .now + 0.1)
    for try await sessions in real.live(Session.all) where sessions.isEmpty { break }
    while try await real.sql("select count(*) as n from main.Session").first?["n"] != 0 { await Task.yield() }
  }

  @Test("B7: SQL writes to the table by its name, and sees what is there")
  func sql() async throws {
    clock.advance(by: 10)
    try await store.write { db in
      try db.sql("update Session set visits = visits + 1")
      try db.sql("insert into Session (id, token, user, visits) values (9, 'z', 'zoe', 3)")
    }
    #expect(try store.blocking.fetch(Session.all.sorted(by: \.id)).map(\.visits) == [1, 3])
    #expect(try store.blocking.sql("select id from Session order by id").map { $0["id"]?.integer } == [1, 9])
    try await store.write { _ = try $0.sql("delete from Session where user = 'zoe'") }
    #expect(try store.blocking.count(Session.all) == 1)
    #expect(try store.blocking.fetch(Session.search("zoe")).isEmpty)
  }

  @Test(
    "B7: every form of SQL that writes rows does so, and what changes the table itself is refused",
    arguments: [
      ("insert into Session (id, token, user, visits) values (9, 'z', 'zoe', 0)", true),
      (
        "insert into Session (id, token, user, visits) values (2, 'b', 'zoe', 0) on conflict (id) do update set user = 'zoe'",
        true
      ),
      ("replace into Session (id, token, user, visits) values (1, 'a', 'zoe', 0)", true),
      ("with n (k) as (select 9) insert into Session (id, token, user, visits) select k, 'z', 'zoe', 0 from n", true),
      ("update Session set user = 'zoe' where id in (select id from Session)", true),
      ("insert into Session (id, token, user, visits) values (9, 'z', 'zoe', 0) returning *", true),
      ("delete from Session where id = 1 returning token", true),
      ("update or ignore Session set user = 'zoe' where id in (select id from Session) returning id", true),
      ("delete from Session where id in (select min(id) from Session)", true),
      ("drop table Session", false), ("drop view Session", false), ("alter table Session add column x", false),
      ("create index Session_x on Session (user)", false),
    ])
  func forms(_ sql: String, isAllowed: Bool) async throws {
    let before = try store.blocking.fetch(Session.all)
    if isAllowed {
      try await store.write { _ = try $0.sql(SQL(raw: sql)) as [Row] }
      #expect(try store.blocking.fetch(Session.all) != before)
    } else {
      await #expect(throws: StoreError.self) { try await self.store.write { _ = try $0.sql(SQL(raw: sql)) as [Row] } }
      #expect(try store.blocking.fetch(Session.all) == before)
    }
    // What has expired is hidden from SQL as before.
    clock.advance(by: 10)
    #expect(try store.blocking.sql("select id from Session where id = 2").isEmpty)
    #expect(try store.blocking.sql("select id from Session").count == store.blocking.count(Session.all))
  }

  @Test("B7: in a context rows expire while they are pending, and take the place of what has expired when it is saved")
  func context() throws {
    let context = Context(store)
    try context.save(Session(id: 7, token: "seven"), expires: clock.now + 3)
    var first = try #require(try context.find(Session.self, 1))
    first.visits = 2
    context.update(first)
    #expect(try context.count(Session.all) == 3)
    clock.advance(by: 10)
    #expect(try context.fetch(Session.all).map(\.id) == [1])
    context.insert(Session(id: 2, token: "b", visits: 70))
    try context.save()
    #expect(try store.blocking.fetch(Session.all.sorted(by: \.id)).map(\.visits) == [2, 70])
  }

  @Test(
    "a model that begins to expire keeps its rows, one that stops loses those whose time has come, and nothing is asked twice"
  )
  func schema() throws {
    let file = try StoreFile()
    try file.write([Before.Entry(id: 1), Before.Entry(id: 2), Before.Entry(id: 3)])
    let plan = try Store.plan(at: file.path, for: After.Entry.self).steps
    #expect(plan == ["let rows of Entry expire", "create an index on Entry (_expires)"])
    do {
      let store = try file.open(After.Entry.self)
      try store.blocking.setExpiry(of: After.Entry.self, 1, to: .distantFuture)
      try store.blocking.setExpiry(of: After.Entry.self, 2, to: .distantPast)
      #expect(try store.blocking.fetch(After.Entry.all.sorted(by: \.id)).map(\.id) == [1, 3])
    }
    #expect(try Store.plan(at: file.path, for: After.Entry.self).steps.isEmpty)
    let store = try file.open(Before.Entry.self)
    #expect(try store.blocking.fetch(Before.Entry.all.sorted(by: \.id)).map(\.id) == [1, 3])
    #expect(try file.columns(of: "Entry") == ["id"])
  }

  @Test("SQL may change JSON that could name attachments, also as the first that a connection does with JSON")
  func firstJSON() async throws {
    let file = try StoreFile()
    let former = try Store(at: file.path, for: Tagged.self)
    try await former.insert(Tagged(id: 1, tags: ["a"]))
    _ = try await former.attach(Data("bytes".utf8))
    await former.close()
    let store = try Store(at: file.path, for: Tagged.self).blocking
    try store.sql("update Tagged set tags = '[\"b\"]' where id = 1")
    #expect(try store.find(Tagged.self, 1)?.tags == ["b"])
  }

  @Test("what is derived in rows that can expire is computed anew")
  func rebuilding() throws {
    let store = try Store(inMemoryFor: Jar.self, Bean.self).blocking
    try store.insert(Jar(id: 1))
    try store.insert(Bean(id: 1, value: 5, jar: ToOne(1)))
    try store.sql("update main.Jar set sum = 7")
    #expect(try store.verifyDerived().map(\.computed) == [5])
    try store.rebuildDerived()
    #expect(try store.find(Jar.self, 1)?.sum == 5)
  }

  @Test("a derived value of rows that can expire is refused when the store is opened")
  func derived() {
    let error = #expect(throws: StoreError.self) { try Store(at: StoreFile().path, for: Counted.self) }
    #expect(error?.code == .schemaMismatch && error?.model == "Counted" && error?.property == "count")
    #expect(error?.message.contains("expire") == true)
  }
}

private enum Before {
  @Model("Entry")
  struct Entry: Hashable {
    var id: Int
  }
}

private enum After {
  @Model("Entry", expires: true)
  struct Entry: Hashable {
    var id: Int
  }
}

@Model(expires: true)
private struct Tagged {
  var id: Int
  var tags: [String] = []
}

@Model(expires: true)
private struct Jar {
  var id: Int
  @Relationship(inverse: \Bean.jar) var beans: ToMany<Bean> = []
  @Derived(.sum(\Jar.beans, \Bean.value)) var sum: Int = 0
}

@Model
private struct Bean {
  var id: Int
  var value: Int
  @Relationship(deleteRule: .cascade) var jar: ToOne<Jar>
}

@Model
private struct Counted {
  var id: Int
  @Relationship(inverse: \Ticket.owner) var tickets: ToMany<Ticket> = []
  @Derived(.count(\Counted.tickets)) var count: Int = 0
}

@Model(expires: true)
private struct Ticket {
  var id: Int
  var owner: ToOne<Counted>?
}

extension StoreFile {
  fileprivate func columns(of table: String) throws -> [String] {
    try sql("select name from pragma_table_xinfo(\(table)) order by cid").compactMap { $0["name"]?.text }
  }
}
