import Foundation
import Testing

@testable import Larder

@Suite("Documents: conditions, types and expiry", .timeLimit(.minutes(20)))
struct DocumentConditionTests {
  private func makePeople() async throws -> (Store, Documents<Document>) {
    let store = try Store(configuration: Store.Configuration())
    let people = store.documents("people")
    try await people.save(keyed: [
      "1": ["name": "Ada", "age": 36, "tags": ["math", "poetry"], "date": "2026-01-02"],
      "2": ["name": "Bob", "age": 7, "tags": [], "date": "2026-01-03"],
      "3": ["name": "Ada", "age": 12.5, "date": "2026-01-01"],
      "4": ["name": "100% Cy_"],
    ])
    return (store, people)
  }

  @Test("B2: any Codable struct or class is a document, and its property key is the document's key")
  func typed() async throws {
    let store = try Store(configuration: Store.Configuration())
    let people = store.documents("people", of: Resident.self)
    let ada = Resident(
      key: "ada", name: "Ada", age: nil, born: Date(timeIntervalSinceReferenceDate: 12_345.678_912),
      pets: [Companion(name: "Rex", age: 3), Companion(name: "Mia")],
      home: ["city": "London"])
    try await people.save(ada)
    #expect(try await people.find("ada") == ada)
    try await people.save("bob", ada)
    #expect(try await people.find("bob")?.key == "bob")
    #expect(try await people.json("ada")?.contains("\"key\"") == false)
    try await people.save([Resident(key: "c", name: "C", age: 40)])
    #expect(try await people.keys { $0.age > 30 && $0.name == "C" } == ["c"])
    #expect(try await people.fetch(sort: "key", limit: 1) { $0.born == ada.born }.first?.value == ada)
    try store.blocking.documents("beings", of: LivingBeing.self).save(LivingBeing(key: "b", name: "B"))
    #expect(try store.blocking.documents("beings", of: LivingBeing.self).find("b")?.name == "B")
    let error = await #expect(throws: StoreError.self) {
      try await store.documents("pets", of: Companion.self).save(Companion(name: "x"))
    }
    #expect(error?.property == "key" && error?.model == "pets")
    try await store.documents("pets", of: Companion.self).save("rex", Companion(name: "Rex", age: 2))
    #expect(try await store.documents("pets", of: Companion.self).find("rex") == Companion(name: "Rex", age: 2))
  }

  @Test("B2: a property that was nil so far may be asked for")
  func unsetProperty() async throws {
    let store = try Store(configuration: Store.Configuration())
    let people = store.documents("people", of: Resident.self)
    try await people.save(Resident(key: "a", name: "A"))
    #expect(try await people.keys { $0.age > 30 } == [])
    #expect(try await people.keys { $0.age == nil } == ["a"])
  }

  @Test(
    "B3: truth values are read leniently",
    arguments: [
      ("0", false), ("1", true), ("-7", true), ("\"1\"", true), ("\"yes\"", true), ("\"YES\"", true),
      ("\"true\"", true), ("\"TRUE\"", true),
      ("true", true), ("false", false),
    ])
  func lenient(_ json: String, _ expected: Bool) async throws {
    let store = try Store(configuration: Store.Configuration())
    let people = store.documents("people")
    try await people.save("a", json: "{\"name\":\"A\",\"pets\":[],\"home\":{},\"isActive\":\(json)}")
    #expect(try await store.documents("people", of: Resident.self).find("a")?.isActive == expected)
    #expect(try await people.find("a")?["isActive"]?.bool == expected)
  }

  @Test("B4: keys come in the order of a sort text, and an unknown property is an error with the one that was meant")
  func sorting() async throws {
    let (_, people) = try await makePeople()
    #expect(try await people.keys(sort: "name, date desc") == ["4", "1", "3", "2"])
    #expect(try await people.keys(sort: "age DESC , key", limit: 2) == ["1", "3"])
    #expect(try await people.keys(sort: "key desc", limit: 2, offset: 1) == ["3", "2"])
    let error = await #expect(throws: StoreError.self) { try await people.keys(sort: "nmae") }
    #expect(
      error?.message.contains("Did you mean name?") == true && error?.property == "nmae" && error?.model == "people")
    await #expect(throws: StoreError.self) { try await people.keys(where: [Condition("agge", .equal, 1)]) }
    #expect(try await people.keys(where: [Condition("agge", .equal, 1)], validatesProperties: false) == [])
    await #expect(throws: StoreError.self) { try await people.keys(sort: "name,,age") }
  }

  @Test("B5: conditions of a set must all hold, and one set suffices")
  func sets() async throws {
    let (store, people) = try await makePeople()
    func keys(_ conditions: Condition...) async throws -> [String] {
      try await people.keys(where: conditions, sort: "key")
    }
    #expect(try await keys(Condition("name", .equal, "Ada"), Condition("age", .greaterThan, 30)) == ["1"])
    #expect(
      try await keys(
        Condition(set: 0, "name", .equal, "Bob"), Condition(set: 1, "age", .lessThan, 20),
        Condition(set: 1, "age", .greaterThanOrEqual, 12)) == [
          "2", "3",
        ])
    #expect(try await keys(Condition("age", .notEqual, 7)) == ["1", "3"])
    #expect(try await keys(Condition("age", .lessThanOrEqual, 12.5)) == ["2", "3"])
    #expect(try await keys(Condition("tags", .contains, "math")) == ["1"])
    #expect(try await keys(Condition("tags", .contains, "mat")) == [])
    #expect(try await keys(Condition("name", .contains, "d")) == ["1", "3"])
    #expect(try await keys(Condition("name", .contains, "%")) == ["4"])
    #expect(try await keys(Condition("name", .inList, ["Bob", "Cy"])) == ["2"])
    #expect(try await keys(Condition("age", .inList, [7, 36])) == ["1", "2"])
    #expect(try await keys(Condition("date", .greaterThan, "2026-01-01")) == ["1", "2"])
    #expect(try await people.count(where: [Condition("key", .greaterThan, "2")]) == 2)
    #expect(try await people.keys { !($0.name == "Ada") || $0.age.isIn([36]) }.sorted() == ["1", "2", "4"])
    #expect(try await people.count { $0.age != 7 } == 3)
    try await people.index(on: "age")
    let query = DocumentQuery(Condition([Condition("age", .equal, 7)]))
    var writer = SQLWriter()
    try query.select("key", from: "main.\"people\"", &writer)
    let plan = try await store.sql(SQL(raw: "explain query plan " + writer.sql, arguments: [7]))
    #expect(plan.first?["detail"]?.text?.contains("USING INDEX _larder_index:people") == true)
  }

  @Test("B5: joined conditions in a list are of the first set, and a negated one stays in its set")
  func joinedConditions() async throws {
    let (_, people) = try await makePeople()
    let isAda = Condition("name", .equal, "Ada")
    let isYoung = Condition(set: 1, "age", .lessThan, 20)
    #expect(try await people.keys(where: [isAda && !isYoung]) == ["1"])
    #expect(try await people.keys(where: [isAda, Condition([isYoung])]) == ["3"])
    #expect(
      try await people.keys(where: [isAda, !isYoung], sort: "key")
        == people.keys(sort: "key") { _ in isAda || !isYoung })
  }

  @Test(
    "B6: JSON that cannot be read is an error with the place",
    arguments: [
      ("{\"a\": 1,\n \"b\": x}", "line 2, column 7 (offset 15)"), ("[]", "line 1, column 1"),
      ("{\"a\":1} x", "offset 8"), ("", "offset 0"),
      ("{\"a\":01}", "offset 5"), ("{\"a\":\"\\ud800\"}", "surrogate"), ("{\"a\":1e999}", "too large"),
      ("{\"a\":tru}", "offset 5"),
      ("{\"a\"", "offset 4"),
      ("{\"a\":1,}", "offset 7"), ("{\"a\":\"\n\"}", "escape"), ("{\"a\":-}", "digit"), ("{\"a\":[1 2]}", "comma"),
    ])
  func badJSON(_ json: String, _ place: String) async throws {
    let store = try Store(configuration: Store.Configuration())
    let error = await #expect(throws: StoreError.self) { try await store.documents("people").save("k", json: json) }
    #expect(error?.code == .invalidValue && error?.model == "people")
    #expect(error?.message.contains(place) == true, "\(error?.message ?? "")")
  }

  @Test("B6: the key inside of JSON is ignored")
  func goodJSON() async throws {
    let store = try Store(configuration: Store.Configuration())
    try await store.documents("people").save(
      "k", json: " {\"key\":\"other\",\"a\":[1,2.0,\"\\u00e9\\ud83d\\ude00\\/\"],\"n\":null} ")
    #expect(try await store.documents("people").find("k") == ["a": [1, 2.0, "é😀/"], "n": nil])
  }

  @Test("B7: a document that has expired is gone for every verb and for SQL, and the sweeper removes it")
  func expiry() async throws {
    let clock = TestClock()
    let file = DocumentFile()
    let store = try Store(at: file.path, configuration: clock.configuration)
    // What is hidden stays there to be found.
    store.sweeper.stop()
    let people = store.documents("people")
    let soon = clock.now.addingTimeInterval(10)
    try await people.save("a", ["name": "A"], expires: soon)
    try await people.save("b", ["name": "B"])
    try await people.update("a", ["name": "AA"])
    #expect(try await store.sql("select name from people order by name").map { $0["name"] } == ["AA", "B"])
    clock.now = soon
    #expect(try await people.find("a") == nil)
    #expect(try await people.contains("a") == false)
    #expect(try await people.find(["a", "b"]).keys.sorted() == ["b"])
    #expect(try await people.count() == 1)
    #expect(try await people.keys() == ["b"])
    #expect(try await people.fetch().count == 1)
    #expect(try await store.sql("select name from people").map { $0["name"] } == ["B"])
    #expect(try await store.sql("select count(*) as n from people p join people q on p.name = q.name").first?["n"] == 1)
    let error = await #expect(throws: StoreError.self) { try await people.update("a", ["x": 1]) }
    #expect(error?.code == .notFound)
    #expect(try await people.delete("a") == false)
    #expect(try await store.writer.perform { try $0.removeExpiredDocuments(limit: 100) } == 1)
    #expect(try await store.writer.perform { try $0.removeExpiredDocuments(limit: 100) } == 0)
    try await people.save("c", ["name": "C"], expires: soon.addingTimeInterval(1))
    try await people.save("c", ["name": "C"])
    clock.now = soon.addingTimeInterval(5)
    #expect(try await people.contains("c"))
    await #expect(throws: StoreError.self) {
      try await people.save("d", [:], expires: Date(timeIntervalSinceReferenceDate: .nan))
    }
  }

  @Test("B11: SQL names the properties as columns, also those that came after it was first compiled, and joins")
  func sql() async throws {
    let file = DocumentFile()
    let store = try Store(at: file.path)
    let people = store.documents("people")
    try await people.save("a", ["name": "A", "team": "x"])
    #expect(try await store.sql("select * from people").first?.names == ["key", "name", "team", "_json", "_expires"])
    try await people.save("b", ["name": "B", "age": 3])
    #expect(try await store.sql("select * from people").count == 2)
    #expect(try await store.sql("select * from people").first?["age"] == .null)
    #expect(try await store.sql("select age from people where name = \("B")").first?["age"] == 3)
    try await store.documents("teams").save("x", ["title": "Team X"])
    #expect(
      try await store.sql("select p.name, t.title from people p join teams t on t.key = p.team").first?["title"]
        == "Team X")
    await #expect(throws: StoreError.self) { try await store.sql("select nothing from people") }
    try await people.deleteCollection()
    await #expect(throws: StoreError.self) { try await store.sql("select name from people") }
  }

  @Test("B12: many tasks read and write at once")
  func tasks() async throws {
    let file = DocumentFile()
    let store = try Store(at: file.path)
    let people = store.documents("people")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          try await people.save("k\(number)", ["n": .integer(Int64(number)), "p\(number % 25)": true])
          #expect(try await people.find("k\(number)")?["n"] == .integer(Int64(number)))
          _ = try await people.keys(where: [Condition("n", .lessThan, 10)])
          _ = try await store.sql("select n from people limit 1")
        }
      }
      try await group.waitForAll()
    }
    #expect(try await people.count() == 200)
    #expect(try await people.properties.count == 26)
  }

  @Test("a context reads no documents for others and writes none")
  func context() throws {
    let store = try Store(inMemoryFor: DocumentShelf.self)
    try store.blocking.documents("people").save("a", ["n": 1])
    let context = Context(store)
    #expect(try context.documents("people").find("a") == ["n": 1])
    let error = #expect(throws: StoreError.self) { try context.documents("people").save("b", ["n": 1]) }
    #expect(error?.code == .unsupported)
  }
}
