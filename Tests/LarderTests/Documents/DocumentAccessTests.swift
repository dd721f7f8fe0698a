import Foundation
import Synchronization
import Testing

@testable import Larder

@Suite("Documents: transactions, cancellation and tasks", .timeLimit(.minutes(20)))
struct DocumentAccessTests {
  private struct Stop: Error {}

  private static func expectReads(in db: some StoreReader) throws {
    let people = db.documents("people")
    #expect(people.name == "people")
    #expect(try people.contains("ada") && !people.contains("nobody"))
    #expect(try people.find("ada") == ["name": "Ada", "age": 36])
    #expect(try people["bo"] == ["name": "Bo"])
    #expect(try people.find(["ada", "nobody"]).keys.sorted() == ["ada"])
    #expect(try people.json("bo") == "{\"name\":\"Bo\"}")
    #expect(try people.expiry(of: "bo") == nil)
    #expect(try people.properties.sorted() == ["age", "name"])
    #expect(try people.keys(sort: "name desc") == ["bo", "ada"])
    #expect(try people.keys(where: [Condition("age", .greaterThan, 1)]) == ["ada"])
    #expect(try people.fetch { $0.name == "Bo" }.map(\.value) == [["name": "Bo"]])
    #expect(try people.count() == 2)
    #expect(try db.documents("people", of: Companion.self).find("ada") == Companion(name: "Ada", age: 36))
    #expect(try db.sql("select name from people where age = \(36)").map { $0["name"] } == ["Ada"])
    #expect(throws: StoreError.self) { try people.keys { $0.nmae == "Ada" } }
    #expect(try db.documents("nothing").keys() == [])
  }

  private static func changeAll(in db: some StoreWriter) throws {
    let people = db.documents("people")
    try people.save("cy", ["name": "Cy", "born": 1990], expires: .now + 3600)
    try people.save(keyed: ["di": ["name": "Di"], "ed": ["name": "Ed"]])
    try people.save(["key": "flo", "name": "Flo"])
    try people.save([["key": "gus", "name": "Gus"], ["key": "hal", "name": "Hal"]])
    try people.save("ida", json: "{\"name\": \"Ida\", \"key\": \"other\"}")
    try people.save(json: [(key: "jo", value: "{\"name\": \"Jo\"}"), (key: "kim", value: "{\"name\": \"Kim\"}")])
    try people.update("ada", ["age": 37])
    try people.update(["di", "ed"], ["age": 5])
    #expect(try people.setExpiry(of: "di", to: .now + 60))
    #expect(try people.delete("bo"))
    #expect(try people.delete(["ed", "nobody"]) == 1)
    #expect(try people.deleteAll { $0.name == "Flo" } == 1)
    try people.index(on: "age", "name")
    #expect(try people.keys(sort: "key") == ["ada", "cy", "di", "gus", "hal", "ida", "jo", "kim"])
    #expect(try people.keys { $0.age < 40 && $0.name != "Ada" } == ["di"])
    #expect(try db.sql("select born from people where born is not null").count == 1)
    #expect(try people.expiry(of: "cy") != nil)
    try people.removeIndex(on: "age", "name")
  }

  private func withPeople(_ body: (Store) async throws -> Void) async throws {
    for isInMemory in [false, true] {
      let file = try StoreFile()
      let store = isInMemory ? try Store(inMemoryFor: DocumentShelf.self) : try file.open(DocumentShelf.self)
      try await store.documents("people").save(keyed: ["ada": ["name": "Ada", "age": 36], "bo": ["name": "Bo"]])
      try await body(store)
    }
  }

  @Test("B12: documents are read the same way from the store, a snapshot, a transaction and a context")
  func readers() async throws {
    try await withPeople { (store: Store) async throws -> Void in
      try Self.expectReads(in: store.blocking)
      try await store.read { db in try Self.expectReads(in: db) }
      try await store.write { db in try Self.expectReads(in: db) }
      try Self.expectReads(in: Context(store))
    }
  }

  @Test(
    "B12: documents are changed the same way through the store and a transaction, and an error that is thrown undoes all of it"
  )
  func writers() async throws {
    try await withPeople { (store: Store) async throws -> Void in
      await #expect(throws: Stop.self) {
        try await store.write { db in
          try Self.changeAll(in: db)
          throw Stop()
        }
      }
      try Self.expectReads(in: store.blocking)
      #expect(
        try await store.sql("select count(*) as n from sqlite_master where name like '_larder_index:%'").first?["n"]
          == 0)
      await #expect(throws: Stop.self) {
        try await store.write { db in
          #expect(try db.documents("people").deleteCollection())
          #expect(try db.documents("people").keys() == [])
          try db.documents("people").save("new", ["new": 1])
          try db.documents("others").save("new", ["new": 1])
          throw Stop()
        }
      }
      try Self.expectReads(in: store.blocking)
      #expect(try await store.documentCollections == ["people"])
      try await store.write { db in
        _ = try? db.savepoint { db in
          try Self.changeAll(in: db)
          throw Stop()
        }
        try Self.expectReads(in: db)
      }
      try Self.expectReads(in: store.blocking)
      try Self.changeAll(in: store.blocking)
    }
  }

  @Test("B12: documents and rows of models are written in one transaction, together or not at all")
  func together() async throws {
    try await withPeople { (store: Store) async throws -> Void in
      let error = await #expect(throws: StoreError.self) {
        try await store.write { db in
          try db.insert(DocumentShelf(id: 1, name: "x"))
          try db.documents("people").save("cy", ["shelf": 1])
          try db.documents("people").update("nobody", ["shelf": 2])
        }
      }
      #expect(error?.code == .notFound)
      #expect(try await store.count(DocumentShelf.all) == 0)
      #expect(try await store.documents("people").count() == 2)
    }
  }

  @Test("B12: a reader is not kept waiting by a writer, and sees what was committed")
  func concurrentReaders() async throws {
    let file = try StoreFile()
    let store = try file.open()
    let people = store.documents("people")
    try await people.save("ada", ["n": 1])
    let (written, read) = (Gate(), Gate())
    async let writing: Void = store.write { db in
      try db.documents("people").save("bo", ["n": 2, "fresh": true])
      written.open()
      try read.waitBlocking()
    }
    await written.wait()
    #expect(try await people.keys() == ["ada"])
    #expect(try await people.properties == ["n"])
    await #expect(throws: StoreError.self) { try await people.keys { $0.fresh == true } }
    read.open()
    try await writing
    #expect(try await people.keys { $0.fresh == true } == ["bo"])
  }

  @Test("B12: a snapshot sees one state, whatever is stored, discovered and dropped meanwhile")
  func snapshot() async throws {
    let file = try StoreFile()
    let store = try file.open()
    let people = store.documents("people")
    try await people.save("ada", ["n": 1])
    let (began, changed) = (Gate(), Gate())
    async let reading: [[String]] = store.read { db in
      let before = try db.documents("people").keys()
      began.open()
      try changed.waitBlocking()
      return [
        before, try db.documents("people").keys(), try db.documents("people").properties,
        try db.sql("select * from people").first?.names ?? [],
      ]
    }
    await began.wait()
    try await people.save("bo", ["m": 2])
    try await people.deleteCollection()
    changed.open()
    #expect(try await reading == [["ada"], ["ada"], ["n"], ["key", "n", "_json", "_expires"]])
    #expect(try await people.keys() == [])
  }

  @Test("B10: a call of a task that was cancelled before reads and writes nothing, whatever the verb")
  func cancelledBefore() async throws {
    try await withPeople { (store: Store) async throws -> Void in
      let people = store.documents("people")
      let verbs: [@Sendable () async throws -> Void] = [
        { _ = try await people.find("ada") }, { _ = try await people["ada"] }, { _ = try await people.contains("ada") },
        { _ = try await people.keys() }, { _ = try await people.fetch { $0.age > 1 } },
        { _ = try await people.count() },
        { _ = try await people.json("ada") }, { _ = try await people.properties },
        { try await people.save("x", ["n": 1]) },
        { try await people.save(["key": "x"]) }, { try await people.save("x", json: "{}") },
        { try await people.update("ada", ["n": 1]) },
        { _ = try await people.delete("ada") }, { _ = try await people.deleteAll() },
        { try await people.index(on: "age") },
        { _ = try await people.deleteCollection() }, { _ = try await store.documentCollections },
      ]
      for (number, verb) in verbs.enumerated() {
        let gate = Gate()
        let task = Task {
          await gate.wait()
          try await verb()
        }
        task.cancel()
        gate.open()
        let result = await task.result
        #expect(throws: CancellationError.self, "verb \(number)") { try result.get() }
      }
      try Self.expectReads(in: store.blocking)
    }
  }

  @Test("B10: a query of documents that runs is interrupted")
  func cancelledWhileRunning() async throws {
    let file = try StoreFile()
    let clock = StoppingClock()
    let store = try Store(at: file.path, for: [], configuration: Store.Configuration(now: { clock.now }))
    // It asks for the time, too.
    store.sweeper.stop()
    let people = store.documents("people")
    try await people.save(
      keyed: (0..<5000).map { (key: "\($0)", value: ["n": .integer(Int64($0)), "name": "person \($0)"] as Document) },
      expires: clock.now + 1000)
    // The query asks for the time when it comes to its first document. It goes on when the task is cancelled, with
    // 4,999 left.
    clock.arm()
    let task = Task { try await people.keys(sort: "name") { $0.n >= 0 && $0.name.contains("erson") } }
    await clock.stopped.wait()
    task.cancel()
    clock.cancelled.open()
    let result = await task.result
    #expect(throws: CancellationError.self) { try result.get() }
    #expect(try await people.count { $0.n >= 0 } == 5000)
  }

  @Test("B10: a transaction of documents whose task is cancelled keeps nothing")
  func cancelledTransaction() async throws {
    let file = try StoreFile()
    let store = try file.open()
    let (half, cancelled) = (Gate(), Gate())
    let task = Task {
      try await store.write { db in
        try db.documents("people").save("ada", ["n": 1])
        half.open()
        try cancelled.waitBlocking()
        try db.documents("people").save("bo", ["n": 2])
      }
    }
    await half.wait()
    task.cancel()
    cancelled.open()
    let result = await task.result
    #expect(throws: CancellationError.self) { try result.get() }
    #expect(try await store.documentCollections == [])
  }
}

/// A time that stands still, and holds up who asks for it once.
private final class StoppingClock: Sendable {
  private let isArmed = Mutex(false)
  let stopped = Gate()
  let cancelled = Gate()

  func arm() { isArmed.withLock { $0 = true } }

  var now: Date {
    let isFirst = isArmed.withLock { isArmed in
      defer { isArmed = false }
      return isArmed
    }
    if isFirst {
      stopped.open()
      try? cancelled.waitBlocking()
    }
    return Date(timeIntervalSinceReferenceDate: 1_000_000)
  }
}
