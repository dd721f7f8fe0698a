import Foundation
import LarderTestSupport
import Testing

@testable import Larder

struct Companion: Codable, Hashable, Sendable {
  var name: String
  var age: Int?
}

struct Resident: Codable, Hashable, Sendable {
  var key: String
  var name: String
  var age: Int?
  var isActive = true
  var born: Date?
  var pets: [Companion] = []
  var home: [String: String] = [:]
}

class LivingBeing: Codable {
  var key = ""
  var name = ""

  init(key: String, name: String) {
    self.key = key
    self.name = name
  }
}

final class DocumentFile {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent("documents-\(UUID().uuidString).larder").path

  deinit {
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
  }
}

@Suite("Documents", .timeLimit(.minutes(20)))
struct DocumentTests {
  @Test("B1: a collection keeps JSON objects by key and needs no model")
  func verbs() async throws {
    let file = DocumentFile()
    let store = try Store(at: file.path)
    let people = store.documents("people")
    #expect(try await people.find("ada") == nil)
    #expect(try await people.count() == 0)
    let ada: Document = [
      "name": "Ada", "age": 36, "height": 1.0, "tags": ["a", 1, nil, true],
      "home": ["city": "London", "rooms": [["m2": 20]]],
    ]
    try await people.save("ada", ada)
    #expect(try await people.find("ada") == ada)
    #expect(try await people.contains("ada"))
    try await people.save(keyed: ["bob": ["name": "Bob", "age": 7], "cy": ["name": "Cy"]])
    #expect(try await people.count() == 3)
    let several = try await people.find(["ada", "cy", "nobody"])
    #expect(several.count == 2 && several["ada"] == ada)
    try await people.update("ada", ["age": 37, "title": "Countess"])
    #expect(try await people.find("ada")?["age"] == 37)
    #expect(try await people.find("ada")?["home"]?["rooms"]?[0]?["m2"] == 20)
    #expect(try await people.properties.contains("title"))
    let error = await #expect(throws: StoreError.self) { try await people.update("nobody", ["age": 1]) }
    #expect(error?.code == .notFound && error?.model == "people")
    #expect(try await people.delete("cy"))
    #expect(try await people.delete("cy") == false)
    #expect(try await people.delete(["bob", "nobody"]) == 1)
    #expect(try await people.deleteCollection())
    #expect(try await people.count() == 0)
    #expect(try await people.deleteCollection() == false)
    try await people.save("ada", ["other": 1])
    #expect(try await people.properties == ["other"])
  }

  @Test("B1: transactions, snapshots and blocking calls have the same verbs, and a rollback undoes what was discovered")
  func accesses() async throws {
    let file = DocumentFile()
    let store = try Store(at: file.path)
    let people = store.blocking.documents("people")
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try store.blocking.write { db in
        try db.documents("people").save("a", ["gone": 1])
        let found = try db.documents("people").find("a")
        let rows = try db.sql("select gone from people")
        #expect(found == ["gone": 1] && rows.count == 1)
        throw Stop()
      }
    }
    #expect(try people.properties == [])
    try store.blocking.write { db in
      let people = db.documents("people")
      try people.save("b", ["name": "B"])
      #expect(throws: Stop.self) {
        try db.savepoint { db in
          try db.documents("people").save("c", ["lost": 1])
          throw Stop()
        }
      }
      try people.save("d", ["name": "D", "lost": 2])
    }
    #expect(try people.properties == ["name", "lost"])
    #expect(try people.keys(where: [Condition("lost", .equal, 2)]) == ["d"])
    let (count, rows) = try store.blocking.read { db in
      (try db.documents("people").count(), try db.sql("select key, name, lost from people order by key"))
    }
    #expect(count == 2)
    #expect(rows.map { $0["lost"] } == [.null, 2])
    #expect(try store.blocking.sql("select name from people where key = 'b'").first?["name"] == "B")
  }

  @Test("B1: two stores on one file discover side by side, and each sees what the other found")
  func twoStores() async throws {
    let file = DocumentFile()
    let first = try Store(at: file.path)
    let second = try Store(at: file.path)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<60 {
        let store = number.isMultiple(of: 2) ? first : second
        group.addTask {
          try await store.documents("people").save("k\(number)", ["p\(number % 40)": .integer(Int64(number))])
        }
      }
      try await group.waitForAll()
    }
    for store in [first, second] {
      #expect(try await Set(store.documents("people").properties) == Set((0..<40).map { "p\($0)" }))
      #expect(try await store.documents("people").keys { $0["p7"] == 47 } == ["k47"])
      #expect(try await store.sql("select p7 from people where p7 is not null").count == 2)
    }
    #expect(try await first.documents("people").deleteCollection())
    try await second.documents("people").save("x", ["fresh": 1])
    #expect(try await first.documents("people").properties == ["fresh"])
    #expect(try await first.sql("select fresh from people").count == 1)
  }

  @Test(
    "B1: properties may be called anything",
    arguments: [
      "select", "a\"b", "a.b", "a\"b.c[0]", "a[0]", "😀", String(repeating: "x", count: 500), "Key", "NAME", "", " ",
      "a\\b", "a\nb", "a\u{0}b",
      "json",
      "expires", "_json", "rowid", "$", "'", "_larder_",
    ])
  func strangeNames(_ name: String) async throws {
    let store = try Store(configuration: Store.Configuration())
    let people = store.documents("people")
    try await people.save(keyed: ["a": [name: 1], "b": [name: 2, "name": "x"], "c": [name: ["v"]]])
    let path = DocumentPath(name).description
    try await people.index(on: path)
    #expect(try await people.indexes == [[path]])
    #expect(try await people.find("b") == [name: 2, "name": "x"])
    #expect(try await people.keys { $0[name] > 1 } == ["b"])
    #expect(try await people.keys { $0[name].contains("v") } == ["c"])
    #expect(try await people.keys(where: [Condition(path, .greaterThan, 1)]) == ["b"])
    #expect(try await people.keys(sort: "\"\(name.replacing("\"", with: "\"\""))\" desc") == ["c", "b", "a"])
    #expect(try await people.keys(sort: "\(path) desc") == ["c", "b", "a"])
    #expect(try await store.sql("select * from people").count == 3)
    try await people.removeIndex(on: path)
    #expect(try await people.indexes == [])
    try await people.save("k", ["key": "other", "name": "y"])
    #expect(try await people.find("k") == ["name": "y"])
  }

  @Test("B1: five thousand properties in one collection")
  func manyProperties() async throws {
    let store = try Store(configuration: Store.Configuration())
    let people = store.documents("people")
    for part in 0..<50 {
      try await people.save("k\(part)", Document((0..<100).map { ("p\(part * 100 + $0)", .integer(Int64($0))) }))
    }
    #expect(try await people.properties.count == 5000)
    #expect(try await people.keys { $0["p4999"] == 99 } == ["k49"])
    try await people.index(on: "p4999")
    #expect(try await people.keys(sort: "p4999 desc", limit: 1) == ["k49"])
    #expect(try await store.sql("select p999 from people where p999 = 99").count == 1)
  }

  @Test("B1: integers of 64 bits, doubles, empty and NUL texts come back as they were")
  func exactValues() async throws {
    let store = try Store(configuration: Store.Configuration())
    let values = store.documents("values")
    var generator = SplitMix64(seed: TestSeed.value)
    var document: Document = [
      "a": .integer(.max), "b": .integer(.min), "c": 1.0, "d": .real(-0.0), "e": .real(.leastNonzeroMagnitude),
      "f": .real(.greatestFiniteMagnitude),
      "g": "", "h": "a\u{0}b\u{1F}\"\\é😀", "i": [], "j": [:], "k": 0.1,
    ]
    for number in 0..<200 {
      let real = Double(bitPattern: generator.next())
      document["r\(number)"] = .real(real.isFinite ? real : 0)
    }
    try await values.save("k\u{0}", document)
    let found = try #require(try await values.find("k\u{0}"), "seed \(TestSeed.value)")
    for (name, value) in document {
      // Bit by bit: 0.0 and -0.0 are equal, and not the same.
      #expect(
        found[name] == value && found[name]?.real?.bitPattern == value.real?.bitPattern,
        "seed \(TestSeed.value), \(name)")
    }
    #expect(found.names == document.names, "seed \(TestSeed.value)")
    #expect(found["d"]?.real?.sign == .minus)
    #expect(try await values.keys { $0.h == "a\u{0}b\u{1F}\"\\é😀" } == ["k\u{0}"])
    let error = await #expect(throws: StoreError.self) { try await values.save("x", ["deep": ["n": .real(.nan)]]) }
    #expect(error?.code == .invalidValue && error?.model == "values" && error?.property == "deep")
    var deep: DocumentValue = 1
    for _ in 0..<300 { deep = [deep] }
    let nested: Document = ["deep": deep]
    await #expect(throws: StoreError.self) { try await values.save("x", nested) }
    await #expect(throws: StoreError.self) {
      try await values.save("x", json: "{\"a\":" + String(repeating: "[", count: 1_000_000))
    }
  }

  @Test("B1: a document of 50 MB")
  func large() async throws {
    let store = try Store(configuration: Store.Configuration())
    let text = String(repeating: "0123456789", count: 5_000_000)
    try await store.documents("big").save("k", ["text": .text(text), "n": 1])
    try await store.documents("big").update("k", ["n": 2])
    #expect(try await store.documents("big").find("k") == ["text": .text(text), "n": 2])
  }

  @Test("B1: a property may change its type from document to document")
  func typeChanges() async throws {
    let store = try Store(configuration: Store.Configuration())
    let things = store.documents("things")
    try await things.save(keyed: [
      "a": ["v": 5], "b": ["v": "five"], "c": ["v": true], "d": ["v": [5]], "e": ["v": nil],
    ])
    #expect(try await things.keys { $0.v > 1 } == ["a"])
    #expect(try await things.keys { $0.v == "five" } == ["b"])
    #expect(try await things.keys { $0.v <= "five" }.contains("a") == false)
    #expect(try await things.keys { $0.v == true } == ["c"])
    #expect(try await things.keys { $0.v.contains(5) } == ["d"])
    #expect(try await things.keys { $0.v == nil } == ["e"])
  }

  @Test("B1: the name of a model's table is refused")
  func takenName() async throws {
    let store = try Store(inMemoryFor: DocumentShelf.self)
    let error = await #expect(throws: StoreError.self) {
      try await store.documents("DocumentShelf").save("k", ["a": 1])
    }
    #expect(error?.code == .schemaMismatch)
    #expect(try await store.documents("DocumentShelf").find("k") == nil)
  }
}

@Model
struct DocumentShelf {
  var id: Int
  var name: String
}

@Suite("Documents that are watched", .timeLimit(.minutes(20)))
struct LiveDocumentTests {
  @Test("B9: documents are live before there are any, while they change, when they expire, and when all are dropped")
  func live() async throws {
    let file = try StoreFile()
    let store = try file.open()
    let people = store.documents("people")
    var results = people.live(sort: "key").makeAsyncIterator()
    #expect(try await results.next()?.isEmpty == true)
    try await people.save("ada", ["name": "Ada"])
    #expect(try await results.next()?.map(\.value) == [["name": "Ada"]])
    try await people.update("ada", ["age": 36])
    #expect(try await results.next()?.map(\.value) == [["name": "Ada", "age": 36]])
    try await people.save("bo", ["name": "Bo"], expires: .now + 0.1)
    // Both may have happened by now.
    while let found = try await results.next(), found.map(\.key) != ["ada"] {
      #expect(found.map(\.key) == ["ada", "bo"])
    }
    #expect(try await people.contains("bo") == false)
    try await people.deleteCollection()
    #expect(try await results.next()?.isEmpty == true)
    try await people.save("cy", [:])
    #expect(try await results.next()?.map(\.key) == ["cy"])
  }

  @Test("B7: the time of a document can be read, changed and taken away")
  func times() throws {
    let clock = TestClock()
    let store = try Store(inMemoryFor: DocumentShelf.self, configuration: Store.Configuration(now: { clock.now }))
    let codes = store.blocking.documents("codes")
    try codes.save("a", ["n": 1], expires: clock.now + 10)
    #expect(try codes.expiry(of: "a") == clock.now + 10)
    try codes.update("a", ["n": 2])
    #expect(try codes.expiry(of: "a") == clock.now + 10)
    #expect(try codes.setExpiry(of: "a", to: nil))
    #expect(try codes.expiry(of: "a") == nil)
    #expect(try codes.setExpiry(of: "nobody", to: nil) == false)
    try codes.save("b", [:])
    #expect(try codes.deleteAll { $0.n == 2 } == 1)
    #expect(try codes.keys() == ["b"])
  }
}
