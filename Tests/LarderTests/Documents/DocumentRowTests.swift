import Foundation
import Testing

@testable import Larder

@Model("teams")
struct DocumentTeam: Hashable {
  var id: String
  var title: String
}

@Suite("Documents: values, expiry and SQL", .timeLimit(.minutes(20)))
struct DocumentRowTests {
  @Test(
    "B1: a property is remembered from the first document that has it, nested objects and arrays of objects with it")
  func nested() throws {
    let store = try Store(inMemoryFor: DocumentTeam.self).blocking
    let orders = store.documents("orders")
    try orders.save(
      "1",
      json:
        #"{"customer": {"name": "Ada", "address": {"city": "Graz"}}, "lines": [{"item": "tea", "count": 2}, {"item": "milk"}]}"#
    )
    try orders.save("2", ["lines": [["item": "tea"]], "paid": true])
    #expect(try orders.properties == ["customer", "lines", "paid"])
    #expect(try orders.find("1")?["customer"]?["address"]?["city"] == "Graz")
    #expect(try orders.find("1")?["lines"]?[1]?["item"] == "milk")
    #expect(try orders.keys { $0.lines.contains(["item": "tea"] as Document) } == ["2"])
    try orders.delete("2")
    // What was seen stays known, so that a condition does not become an error when the last such document goes.
    #expect(try orders.keys { $0.paid == true } == [])
    #expect(try store.documents("orders").properties.contains("paid"))
    let rows = try store.sql("select value ->> 'item' as item from orders, json_each(orders.lines) order by 1")
    #expect(rows.map { $0["item"] } == ["milk", "tea"])
  }

  @Test("B2: a struct and a class are saved under their own keys, found again, and deleted")
  func objects() async throws {
    let store = try Store(inMemoryFor: DocumentTeam.self)
    let residents = store.documents("residents", of: Resident.self)
    let ada = Resident(key: "ada", name: "Ada", pets: [Companion(name: "Rex")])
    try await residents.save(ada)
    #expect(try await residents["ada"] == ada)
    #expect(try await residents.find("nobody") == nil)
    #expect(try await residents.fetch { $0.name == "Ada" } == [KeyedValue(key: "ada", value: ada)])
    try await residents.save([ada, Resident(key: "bo", name: "Bo")])
    #expect(try await residents.count() == 2)
    #expect(try await residents.delete("ada"))
    #expect(try await residents.contains("ada") == false)
    let beings = store.blocking.documents("beings", of: LivingBeing.self)
    try beings.save([LivingBeing(key: "a", name: "A"), LivingBeing(key: "b", name: "B")])
    #expect(try beings.fetch(sort: "name desc").map(\.value.name) == ["B", "A"])
    #expect(try beings.deleteAll { $0.name == "A" } == 1)
  }

  @Test("B6: a document is read as a value, as JSON text and as a dictionary of values, set from JSON, and deleted")
  func values() async throws {
    let store = try Store(inMemoryFor: DocumentTeam.self)
    let people = store.documents("people")
    try await people.save(
      "ada",
      json: #"{"key": "somebody", "name": "Ada", "tags": ["a"], "home": {"city": "Graz"}, "none": null, "x": 1.50}"#)
    let ada = try #require(try await people["ada"])
    #expect(ada.names == ["name", "tags", "home", "none", "x"])
    #expect(ada["name"]?.text == "Ada")
    #expect(ada["tags"]?.array == ["a"])
    #expect(ada["home"]?.object == ["city": "Graz"])
    #expect(ada["none"]?.isNull == true)
    #expect(ada["x"]?.real == 1.5)
    #expect(Dictionary(uniqueKeysWithValues: ada.map { ($0.name, $0.value) })["x"] == 1.5)
    #expect(try await people.json("ada") == #"{"name":"Ada","tags":["a"],"home":{"city":"Graz"},"none":null,"x":1.5}"#)
    #expect(try await people.contains("somebody") == false)
    #expect(try await people.delete("ada"))
    #expect(try await people["ada"] == nil)
    #expect(try await people.json("ada") == nil)
  }

  @Test(
    "B6: of many JSON texts one that cannot be read keeps all from being stored, and the error names its key and the position"
  )
  func manyTexts() async throws {
    let store = try Store(inMemoryFor: DocumentTeam.self)
    let people = store.documents("people")
    let error = await #expect(throws: StoreError.self) {
      try await people.save(json: [
        (key: "a", value: "{}"), (key: "b", value: "{\n  \"n\": 1,\n  n: 2}"), (key: "c", value: "{}"),
      ])
    }
    #expect(error?.code == .invalidValue && error?.model == "people")
    #expect(error?.message.contains("line 3, column 3 (offset 14)") == true, "\(error as Any)")
    #expect(error?.message.contains("\"b\" of people") == true, "\(error as Any)")
    #expect(try await store.documentCollections == [])
    try await people.save(json: [(key: "a", value: "{\"n\": 1}"), (key: "b", value: "{\"key\": \"x\", \"n\": 2}")])
    #expect(try await people.fetch(sort: "n desc").map(\.key) == ["b", "a"])
    #expect(try store.blocking.documents("people").find("b") == ["n": 2])
  }

  @Test("B7: the time at which documents expire is in a backup, and holds there")
  func backup() async throws {
    let (file, clock) = (try StoreFile(), TestClock())
    let store = try Store(at: file.path, for: [], configuration: clock.configuration)
    try await store.documents("codes").save("a", ["n": 1], expires: clock.now + 60)
    try await store.documents("codes").save("b", ["n": 2])
    let copy = file.folder.appending(component: "copy.larder", directoryHint: .notDirectory)
    try await store.documents("codes").index(on: "n")
    #expect(try await store.sql("select n from codes where n > 1").count == 1)
    #expect(try store.blocking.write { db in try db.sql("select n from codes where n > 1") }.count == 1)
    try await store.backup(to: copy)
    try store.blocking.backup(to: file.folder.appending(component: "second.larder", directoryHint: .notDirectory))
    #expect(try await store.sql("select n from codes where n > 1").count == 1)
    let restored = try Store(at: copy, for: [], configuration: clock.configuration)
    #expect(try await restored.documents("codes").expiry(of: "a") == clock.now + 60)
    #expect(try await restored.documents("codes").keys(sort: "key") == ["a", "b"])
    clock.now += 60
    #expect(try await restored.documents("codes").keys() == ["b"])
    #expect(try await restored.documents("codes").find("a") == nil)
  }

  @Test("B7: an import that sets the times anew keeps them: what has expired by then is never there")
  func importing() async throws {
    let clock = TestClock()
    let store = try Store(inMemoryFor: DocumentTeam.self, configuration: clock.configuration)
    let codes = store.documents("codes")
    try await codes.save("late", ["n": 1], expires: clock.now - 1)
    try await codes.save("now", ["n": 2], expires: clock.now)
    try await codes.save("soon", ["n": 3], expires: clock.now + 0.001)
    #expect(try await codes.keys() == ["soon"])
    #expect(try await codes.contains("late") == false)
    clock.now += 0.001
    #expect(try await codes.count() == 0)
    #expect(try await codes.properties == ["n"])
  }

  private struct Membership: Codable, Equatable {
    var name: String
    var title: String
    var age: Int?
  }

  @Test("B11: collections and models are joined in SQL, with typed results and bound values, in every way to ask")
  func joins() async throws {
    let store = try Store(inMemoryFor: DocumentTeam.self)
    try await store.insert([DocumentTeam(id: "x", title: "Team X"), DocumentTeam(id: "y", title: "Team Y")])
    try await store.documents("people").save(keyed: [
      "ada": ["name": "Ada", "team": "x", "age": 36], "bo": ["name": "Bo'; drop table teams", "team": "y"],
      "cy": ["name": "Cy"],
    ])
    try await store.documents("rooms").save(keyed: ["1": ["team": "x", "m2": 20.5], "2": ["team": "y", "m2": 31]])
    let members: [Membership] = try await store.sql(
      "select p.name, t.title, p.age from people p join \(DocumentTeam.self) t on t.id = p.team where t.title <> \("Team Y")",
      as: Membership.self)
    #expect(members == [Membership(name: "Ada", title: "Team X", age: 36)])
    let name = "Bo'; drop table teams"
    let rooms = try await store.sql(
      "select t.title, sum(r.m2) as m2 from people p join teams t on t.id = p.team join rooms r on r.team = t.id where p.name = \(name) group by t.id"
    )
    #expect(rooms.map { $0["title"] } == ["Team Y"])
    #expect(rooms.first?["m2"] == 31)
    let counts = try await store.read { db in
      try db.sql(
        "select t.id, count(p.key) from teams t left join people p on p.team = t.id group by t.id order by 1",
        as: (String, Int).self)
    }
    #expect(counts.map(\.0) == ["x", "y"] && counts.map(\.1) == [1, 1])
    try await store.write { db in
      try db.documents("people").save("di", ["name": "Di", "team": "x", "fresh": 1])
      let found = try db.sql("select t.title from people p join teams t on t.id = p.team where p.fresh = 1")
      #expect(found.map { $0["title"] } == ["Team X"])
    }
    let twice = try store.blocking.sql(
      "select a.name, b.name as other from people a join people b on a.team = b.team and a.key < b.key")
    #expect(twice.map { $0["other"] } == ["Di"])
  }

  @Test("B11: a join is followed as a live result, by commits to the collection and to the model")
  func liveJoin() async throws {
    let store = try Store(inMemoryFor: DocumentTeam.self)
    try await store.insert(DocumentTeam(id: "x", title: "X"))
    try await store.documents("people").save("ada", ["name": "Ada", "team": "x"])
    let titles = store.live { db in
      try db.sql("select p.name || ' ' || t.title as text from people p join teams t on t.id = p.team order by 1")
        .compactMap { $0["text"]?.text }
    }
    var results = titles.makeAsyncIterator()
    #expect(try await results.next() == ["Ada X"])
    try await store.documents("people").save("bo", ["name": "Bo", "team": "x"])
    #expect(try await results.next() == ["Ada X", "Bo X"])
    try await store.save(DocumentTeam(id: "x", title: "Y"))
    #expect(try await results.next() == ["Ada Y", "Bo Y"])
  }
}
