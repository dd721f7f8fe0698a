import Foundation
import Testing

@testable import Larder

@Suite("Documents: what SQL may and may not do to them", .timeLimit(.minutes(20)))
struct DocumentDamageTests {
  private func makePeople() async throws -> (Store, Documents<Document>) {
    let store = try Store(inMemoryFor: DocumentShelf.self)
    let people = store.documents("people")
    try await people.save(keyed: ["ada": ["name": "Ada", "age": 36, "a\"b.c": 1], "bo": ["name": "Bo", "age": 7]])
    return (store, people)
  }

  @Test(
    "B6: JSON that something else has damaged is an error that names collection, key and remedy, for whatever verb meets it",
    arguments: [
      "{\"name\": ", "", "nothing", "[1, 2]", "7", "null", "{\"age\": 1e999}", "{\"a\": \"\\ud800\"}", "{\"a\": 1} {}",
      "{a: 1}",
      "{\"deep\": " + String(repeating: "[", count: 400) + String(repeating: "]", count: 400) + "}",
      String(repeating: "{\"a\":", count: 100_000),
    ])
  func damaged(_ json: String) async throws {
    let (store, people) = try await makePeople()
    try await store.sql("update main.people set json = \(json) where key = 'ada'")
    func expectDamage(_ body: () async throws -> Void) async {
      let error = await #expect(throws: StoreError.self) { try await body() }
      #expect(error?.code == .invalidValue && error?.model == "people")
      #expect(
        error?.message.contains("\"ada\" of people") == true
          && error?.message.contains("set it anew, or delete it") == true, "\(error as Any)")
    }
    await expectDamage { _ = try await people.find("ada") }
    await expectDamage { _ = try await people.fetch() }
    await expectDamage { try await people.update("ada", ["age": 1]) }
    await expectDamage { _ = try await store.documents("people", of: Companion.self).find("ada") }
    await expectDamage { _ = try store.blocking.documents("people").find(["bo", "ada"]) }
    // What SQLite reads of it decides whether a condition meets the damage.
    do {
      #expect(try await people.keys(where: [Condition("name", .equal, "Bo")]) == ["bo"])
    } catch let error as StoreError {
      #expect(error.code == .invalidValue && error.message.contains("\"ada\" of people"), "\(error)")
    }
    do {
      #expect(try await people.keys { $0["a\"b.c"] == 2 } == [])
    } catch let error as StoreError {
      #expect(error.code == .invalidValue && error.message.contains("\"ada\" of people"), "\(error)")
    }
    #expect(try await people.find("bo") == ["name": "Bo", "age": 7])
    #expect(try await people.json("ada") == json)
    #expect(try await people.keys(sort: "key") == ["ada", "bo"])
    try await people.save("ada", ["name": "Ada"])
    #expect(try await people.find("ada") == ["name": "Ada"])
    try await store.sql("update main.people set json = \(json) where key = 'ada'")
    #expect(try await people.delete("ada"))
    #expect(try await people.keys(where: [Condition("name", .equal, "Bo")]) == ["bo"])
  }

  @Test("B6: an index cannot be made over damaged JSON, and the error names the document")
  func damagedIndex() async throws {
    let (store, people) = try await makePeople()
    try await store.sql("update main.people set json = '{' where key = 'bo'")
    let error = await #expect(throws: StoreError.self) { try await people.index(on: "age") }
    #expect(error?.message.contains("\"bo\" of people") == true, "\(error as Any)")
    let deletion = await #expect(throws: StoreError.self) { try await people.deleteAll { $0.age > 1 } }
    #expect(deletion?.message.contains("\"bo\" of people") == true, "\(deletion as Any)")
    #expect(try await people.count() == 2)
  }

  @Test("B6: reading bytes that are no UTF-8 names the document, and setting it anew repairs it")
  func noText() async throws {
    let (store, people) = try await makePeople()
    try await store.sql("update main.people set json = cast(x'7b2261223a22ff227d' as text) where key = 'ada'")
    let error = await #expect(throws: StoreError.self) { try await people.find("ada") }
    #expect(error?.code == .invalidValue && error?.message.contains("\"ada\" of people") == true, "\(error as Any)")
    try await people.save("ada", ["name": "Ada"])
    #expect(try await people.find("ada") == ["name": "Ada"])
  }

  @Test(
    "B11: SQL that writes to a collection is refused and says what to do, also before anybody has read it by SQL",
    arguments: [
      "insert into people (key, json) values ('x', '{}')", "update people set json = '{}'", "delete from people",
      "delete from people where key = 'ada'",
      "insert into people (key, name) values ('x', 'X') on conflict do nothing",
      "replace into people (key, json) values ('ada', '{}')",
      "drop table people", "with n(k) as (select 'x') insert into people (key, json) select k, '{}' from n",
    ])
  func writes(_ sql: String) async throws {
    let (store, people) = try await makePeople()
    func expectRefusal(_ body: () async throws -> Void) async {
      let error = await #expect(throws: StoreError.self) { try await body() }
      #expect(error?.code == .unsupported && error?.model == "people", "\(error as Any)")
      #expect(error?.message.contains("store.documents(\"people\")") == true, "\(error as Any)")
    }
    let isNamedAsColumn = sql.contains("name")
    for _ in 0..<2 {
      if isNamedAsColumn { _ = try await store.sql("select name from people") }
      let statement = SQL(raw: sql)
      await expectRefusal { try await store.sql(statement) }
      await expectRefusal { try store.blocking.sql(statement) }
      await expectRefusal { try await store.write { db in _ = try db.sql(statement) as [Row] } }
      #expect(try await store.sql("select name from people order by key").map { $0["name"] } == ["Ada", "Bo"])
    }
    #expect(try await people.keys(sort: "key") == ["ada", "bo"])
    try await people.save("cy", ["name": "Cy"])
    #expect(try await store.sql("select count(*) as n from people").first?["n"] == 3)
  }

  @Test("B11: SQL that writes to other tables may read collections, and those of its own are its own")
  func otherTables() async throws {
    let (store, _) = try await makePeople()
    try await store.sql("create table people2 (name text)")
    try await store.sql("insert into people2 select name from people where age > \(10)")
    try await store.sql("insert into DocumentShelf (id, name) select age, name from people")
    #expect(try await store.sql("select name from people2").map { $0["name"] } == ["Ada"])
    #expect(try await store.fetch(DocumentShelf.all.sorted(by: \.id)).map(\.name) == ["Bo", "Ada"])
    try await store.sql("drop table people2")
  }

  @Test("B11: SQL that names a column which is not there is told the columns, and the one that was meant")
  func missingColumn() async throws {
    let (store, _) = try await makePeople()
    try await store.sql("create table rooms (number integer)")
    for (sql, column, nearest) in [
      ("select nmae from people", "nmae", "name"), ("select p.nmae from people p", "nmae", "name"),
      ("select _jsn from people", "_jsn", "_json"),
    ] {
      let error = await #expect(throws: StoreError.self) { try await store.sql(SQL(raw: sql)) }
      #expect(error?.code == .schemaMismatch && error?.model == "people" && error?.property == column)
      #expect(error?.message.contains("Did you mean \(nearest)?") == true, "\(error as Any)")
      #expect(
        error?.message.contains("people has key, name, age, ") == true
          && error?.message.contains("Open the store") == false, "\(error as Any)")
    }
    let error = await #expect(throws: StoreError.self) {
      try await store.sql("select zzzzzz from people join rooms on number = age")
    }
    #expect(
      error?.message.contains("rooms has number") == true && error?.message.contains("people has key") == true,
      "\(error as Any)")
    #expect(error?.message.contains("Did you mean") == false)
  }

  @Test("a missing folder is named with its whole path")
  func missingFolder() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "larder-\(UUID().uuidString)/inner").path
    let error = #expect(throws: StoreError.self) { try Store(at: folder + "/a.larder") }
    #expect(error?.code == .notFound && error?.message.contains(folder) == true, "\(error as Any)")
  }

  @Test("B11: SQL is compiled by the tables as they are now, also where another connection has altered one")
  func alteredTables() async throws {
    let file = try StoreFile()
    let (first, second) = (try file.open(), try file.open())
    try await first.sql("create table notes (a)")
    #expect(try await second.sql("select * from notes").isEmpty)
    try await second.sql("insert into notes values (1)")
    try await first.sql("alter table notes add column b")
    try await second.sql("insert into notes values (2, 3)")
    #expect(try await second.sql("select a + b as sum from notes where b > 0").first?["sum"] == 5)
    let error = await #expect(throws: StoreError.self) { try await second.sql("insert into notes values (2, 3, 4)") }
    #expect(error?.code == .unsupported)
  }
}
