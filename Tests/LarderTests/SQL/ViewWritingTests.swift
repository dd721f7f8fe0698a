import Foundation
import Larder
import Testing

@Model
private struct Lamp: Hashable {
  var id: Int
  var name: String
}

@Model("lantern", expires: true)
private struct Lantern: Hashable {
  var id: Int
  var name: String
}

/// SQLite compiles some changes of views that nothing carries out.
@Suite("SQL by hand that writes to a view")
struct ViewWritingTests {
  private let file: StoreFile
  private let store: Store

  init() throws {
    file = try StoreFile()
    // A table may be written in another case than the model's.
    try file.sql("create table Lantern (id integer primary key not null, name text not null) strict", creating: true)
    store = try file.open(Lamp.self, Lantern.self)
    try store.blocking.insert([Lamp(id: 1, name: "a"), Lamp(id: 2, name: "b")])
    try store.blocking.insert([Lantern(id: 1, name: "a"), Lantern(id: 2, name: "b")])
    try store.blocking.sql("create view lit as select id, name from Lamp")
    try store.blocking.sql("create view kept as select id, name from Lamp")
    try store.blocking.sql(
      "create trigger kept_delete instead of delete on kept begin delete from Lamp where id = old.id; end")
  }

  private static let verbs = [
    "delete from NAME where id = 1", "update NAME set name = 'c' where id = 1",
    "insert into NAME (id, name) values (3, 'c')", "insert or replace into NAME (id, name) values (1, 'c')",
    "with n as (select 1 as id) delete from NAME where id in (select id from n)",
  ]

  @Test(
    "is refused where nothing carries it out, whether it returns columns or not", arguments: verbs,
    ["", " returning *"])
  func refused(_ verb: String, _ columns: String) throws {
    let before = try store.blocking.fetch(Lamp.all.sorted(by: \.id))
    let sql = SQL(raw: verb.replacing("NAME", with: "lit") + columns)
    for _ in 0..<2 {
      #expect(throws: StoreError.self) { try store.blocking.sql(sql) }
      #expect(throws: StoreError.self) { try store.blocking.write { _ = try $0.sql(sql) as [Row] } }
      #expect(throws: StoreError.self) { try Context(store).sql(sql) }
    }
    #expect(try store.blocking.fetch(Lamp.all.sorted(by: \.id)) == before)
  }

  @Test("is carried out by a trigger, for the verb that has one")
  func triggers() throws {
    #expect(throws: StoreError.self) { try store.blocking.sql("update kept set name = 'c' returning id") }
    #expect(throws: StoreError.self) {
      try store.blocking.sql("insert into kept (id, name) values (3, 'c') returning id")
    }
    #expect(try store.blocking.sql("delete from kept where id = 1 returning id").map { $0["id"] } == [1])
    #expect(try store.blocking.fetch(Lamp.all).map(\.id) == [2])
  }

  @Test("reaches an expiring model whose name the file writes in another case", arguments: verbs, ["", " returning *"])
  func otherCase(_ verb: String, _ columns: String) throws {
    let before = try store.blocking.fetch(Lantern.all.sorted(by: \.id))
    try store.blocking.sql(SQL(raw: verb.replacing("NAME", with: "lantern") + columns))
    #expect(try store.blocking.fetch(Lantern.all.sorted(by: \.id)) != before)
  }

  @Test("a table that another connection has made a collection is read as one, by statements that were compiled before")
  func collections() async throws {
    try await store.sql("create table people (key integer)")
    try await store.sql("insert into people values (1), (2)")
    let count = SQL("select count(*) as n from people")
    #expect(try await store.sql(count).first?["n"] == 2)
    let other = try file.open(Lamp.self, Lantern.self)
    try await other.sql("drop table people")
    try await other.documents("people").save("ada", ["name": "Ada"], expires: .now.addingTimeInterval(-1))
    #expect(try await store.sql(count).first?["n"] == 0)
    await #expect(throws: StoreError.self) { try await store.sql("delete from people") }
  }
}
