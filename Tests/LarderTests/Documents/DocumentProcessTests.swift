import Foundation
import Testing

@testable import Larder

@Suite("Documents: two processes on one file", .timeLimit(.minutes(20)))
struct DocumentProcessTests {
  private let file: StoreFile

  init() throws {
    file = try StoreFile()
  }

  private func start(_ command: String, _ number: Int? = nil) async throws -> ChildProcess {
    let child = try ChildProcess("documents-\(command)", file.path, number)
    if command == "discover" || command == "edit" { #expect(await child.line() == "ready") }
    return child
  }

  @Test(
    "B1: two processes discover different properties of one new collection at once, and each property is there once")
  func discovery() async throws {
    let children = [try await start("discover", 1), try await start("discover", 2)]
    for child in children { child.send("go") }
    for child in children {
      #expect(await child.rest() == (0..<100).map { "\($0)" } + ["found 1"])
      #expect(await child.status() == 0)
    }
    let store = try file.open()
    let people = store.documents("people")
    let properties = try await people.properties
    let expected = (0..<100).flatMap { ["p1_\($0)", "p2_\($0)", "shared\($0)"] }
    #expect(properties.count == 300)
    #expect(Set(properties) == Set(expected))
    #expect(try await people.count() == 200)
    for number in 0..<100 {
      #expect(try await people.keys { $0["p1_\(number)"] == number } == ["1-\(number)"])
      #expect(try await people.keys(sort: "key") { $0["shared\(number)"] > 0 } == ["1-\(number)", "2-\(number)"])
    }
    #expect(
      try await store.sql("select p1_3, p2_3 from people where shared3 is not null order by key").map(\.first?.value)
        == [3, .null])
  }

  @Test("B12: while one process writes, another asks by the properties that the first one has just discovered")
  func reading() async throws {
    let store = try file.open()
    let people = store.documents("people")
    try await people.save("own", ["own": 1])
    let child = try await start("discover", 1)
    child.send("go")
    for number in 0..<100 {
      let line = await child.line()
      #expect(line == "\(number)")
      #expect(try await people.keys { $0["p1_\(number)"] == number } == ["1-\(number)"])
      let sql = SQL(raw: "select key from people where p1_\(number) = ?", arguments: [.integer(Int64(number))])
      #expect(try await store.sql(sql).map { $0["key"] } == [.text("1-\(number)")])
      try await people.save("own", ["own": .integer(Int64(number)), "mine\(number)": 1])
    }
    #expect(await child.line() == "found 1")
    #expect(try await people.properties.count == 301)
  }

  @Test("B4: a property is unknown until another process has stored it, and known from then on, both ways")
  func unknownUntilStored() async throws {
    let store = try file.open()
    let people = store.documents("people")
    try await people.save("a", ["name": "A"])
    let child = try await start("edit")
    await #expect(throws: StoreError.self) { try await people.keys { $0.age > 1 } }
    child.send("set b {\"age\": 7}")
    #expect(await child.line() == "done")
    #expect(try await people.keys { $0.age > 1 } == ["b"])
    try await people.save("c", ["height": 2])
    child.send("keys height 2")
    #expect(await child.line() == "c")
    #expect(await child.line() == "done")
    child.send("drop")
    #expect(await child.line() == "done")
    #expect(try await people.count() == 0)
    #expect(try await people.properties == [])
    await #expect(throws: StoreError.self) { try await store.sql("select name from people") }
    child.send("set d {\"name\": \"D\"}")
    #expect(await child.line() == "done")
    #expect(try await people.properties == ["name"])
    #expect(try await store.sql("select * from people").first?["name"] == "D")
  }

  @Test("B9: live documents hear of another process that adds, updates and removes keys")
  func live() async throws {
    let store = try file.open()
    let people = store.documents("people")
    try await people.save("a", ["n": 1])
    let child = try await start("edit")
    var results = people.live(sort: "key").makeAsyncIterator()
    func next(until isMeant: ([KeyedValue<Document>]) -> Bool) async throws -> Bool {
      // A value may come again: that somebody else has committed is all that is known.
      while let found = try await results.next() { if isMeant(found) { return true } }
      return false
    }
    #expect(try await next { $0.map(\.key) == ["a"] })
    child.send("set b {\"n\": 2}")
    #expect(try await next { $0.map(\.key) == ["a", "b"] })
    child.send("set a {\"n\": 3, \"m\": 4}")
    #expect(try await next { $0.first?.value == ["n": 3, "m": 4] })
    child.send("delete a")
    #expect(try await next { $0.map(\.key) == ["b"] })
  }

  @Test("B12: a process that is killed in the middle of a batch leaves nothing of it, neither documents nor properties")
  func killedInBatch() async throws {
    let store = try file.open()
    try await store.documents("people").save("a", ["n": 0])
    let child = try await start("half", 50)
    #expect(await child.line() == "half")
    #expect(try await store.documents("people").count() == 1)
    child.kill()
    #expect(await child.status() == SIGKILL)
    #expect(try await store.documents("people").keys() == ["a"])
    #expect(try await store.documents("people").properties == ["n"])
    try await store.documents("people").save("b", ["half": 1])
    #expect(try await store.documents("people").keys { $0.half == 1 } == ["b"])
    #expect(try await store.sql("pragma integrity_check").first?.first?.value == "ok")
  }

  @Test("B12: of a process that is killed in its first batch not even the collection is left")
  func killedInFirstBatch() async throws {
    let child = try await start("half", 3)
    #expect(await child.line() == "half")
    child.kill()
    await child.status()
    let store = try file.open()
    #expect(try await store.documentCollections == [])
    try await store.documents("people").save("a", ["n": 0])
    #expect(try await store.documents("people").properties == ["n"])
  }

  @Test("B12: batches of a process that is killed are there whole or not at all", arguments: [1, 7, 30])
  func killedBetween(batches: Int) async throws {
    let child = try await start("batches", 40)
    var stored = 0
    while stored < batches, await child.line() != nil { stored += 1 }
    child.kill()
    stored += await child.rest().count
    await child.status()
    let store = try file.open()
    let people = store.documents("people")
    let counts = try await store.sql("select batch, count(*) as n from people group by batch order by batch")
    #expect(counts.allSatisfy { $0["n"] == 40 })
    #expect(counts.count - stored == 0 || counts.count - stored == 1)
    let properties = try await people.properties
    #expect(properties.count == min(counts.count, 8) + 1)
    for property in properties.dropFirst() { #expect(try await people.count { $0[property] == true } % 40 == 0) }
  }

  @Test("B5: one process makes an index while another writes, and both find all")
  func index() async throws {
    let store = try file.open()
    let people = store.documents("people")
    try await people.save(keyed: (0..<500).map { (key: "\($0)", value: ["n": .integer(Int64($0 % 50))] as Document) })
    let child = try await start("edit")
    async let writes: Void = {
      for number in 500..<700 { try await people.save("\(number)", ["n": .integer(Int64(number % 50))]) }
    }()
    child.send("index n")
    #expect(await child.line() == "done")
    try await writes
    child.send("keys n 7")
    let found = await child.line()
    #expect(await child.line() == "done")
    #expect(found?.split(separator: " ").count == 14)
    #expect(try await people.keys { $0.n == 7 }.count == 14)
    let plan = try await store.sql("explain query plan select key from people where n = 7")
    #expect(plan.contains { $0["detail"]?.text?.contains("_larder_index:people") == true })
    try await people.index(on: "n")
    try await people.removeIndex(on: "n")
    child.send("keys n 7")
    #expect(await child.line() == found)
  }

  @Test("B1: a store of an existing file has documents as well, and sees those that others discover")
  func existingFile() async throws {
    let managed = try file.open()
    try await managed.documents("people").save("a", ["name": "A"])
    let existing = try Store(at: file.path, for: [], configuration: Store.Configuration(schema: .existing))
    #expect(try await existing.documents("people").find("a") == ["name": "A"])
    try await existing.documents("people").save("b", ["name": "B", "age": 3])
    let child = try await start("edit")
    child.send("keys age 3")
    #expect(await child.line() == "b")
    #expect(await child.line() == "done")
    child.send("set c {\"height\": 1.5}")
    #expect(await child.line() == "done")
    #expect(try await existing.documents("people").keys { $0.height > 1 } == ["c"])
    #expect(try await managed.documents("people").properties == ["name", "age", "height"])
  }

  @Test("B1: a file that Larder has not made gets the tables of documents with its first one, and keeps its own")
  func foreignFile() async throws {
    #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
    let store = try Store(at: file.path, for: [], configuration: Store.Configuration(schema: .existing))
    try await store.sql("create table people (id integer primary key, name text)")
    try await store.sql("insert into people (name) values ('Ada')")
    #expect(try await store.documents("notes").count() == 0)
    #expect(try await store.sql("select count(*) as n from sqlite_master").first?["n"] == 1)
    let error = await #expect(throws: StoreError.self) { try await store.documents("people").save("k", ["a": 1]) }
    #expect(error?.code == .schemaMismatch && error?.model == "people")
    try await store.documents("notes").save("k", ["a": 1])
    #expect(try await store.documents("notes").find("k") == ["a": 1])
    #expect(try await store.sql("select name from people").first?["name"] == "Ada")
    #expect(try await store.sql("select p.name, n.a from people p join notes n on n.a = p.id").count == 1)
  }
}
