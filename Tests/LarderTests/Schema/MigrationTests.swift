import Foundation
import Larder
import Synchronization
import Testing

private enum First {
  @Model("Person")
  struct Person: Hashable {
    var id: Int
    var name: String
    var age: String
  }

  @Model("Pet")
  struct Pet: Hashable {
    var id: Int
    var name: String
  }
}

private enum Second {
  @Model("Person")
  struct Person: Hashable {
    var id: Int
    var first: String
    var last: String
    var age: Int
  }

  @Model("Animal")
  struct Animal: Hashable {
    var id: Int
    var name: String
    var kind: String
  }
}

/// How often a migration ran.
private final class RunCount: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock { $0 } }
  func add() { count.withLock { $0 += 1 } }
}

/// An error of the program's own, whose description holds a value.
private struct Stumble: Error {
  let value = "SENTINEL"
}

@Suite("Named migrations")
struct MigrationTests {
  private let file: StoreFile

  init() throws {
    file = try StoreFile()
    try file.write(
      [First.Person(id: 1, name: "Ada Lovelace", age: "36"), First.Person(id: 2, name: "Alan Turing", age: "41")],
      also: First.Pet.self)
    try file.write([First.Pet(id: 7, name: "Tom")], also: First.Person.self)
  }

  private let split = Migration("split names") { db in
    for row in try db.sql("select id, name from Person") {
      let parts = (row["name"]?.text ?? "").split(separator: " ", maxSplits: 1).map(String.init)
      try db.sql("update Person set first = \(parts[0]), last = \(parts[1]) where id = \(row["id"] ?? .null)")
    }
  }

  private let animals = Migration("pets are animals") { db in
    for pet in try db.fetch(First.Pet.all) { try db.insert(Second.Animal(id: pet.id, name: pet.name, kind: "cat")) }
    try db.dropTable("Pet")
  }

  @Test("C5: migrations fill new properties, convert types, move rows between old and new models, drop tables")
  func migrates() throws {
    do {
      let store = try file.open(Second.Person.self, Second.Animal.self, migrations: [split, animals])
      #expect(
        try store.blocking.fetch(Second.Person.all.sorted(by: \.id)) == [
          Second.Person(id: 1, first: "Ada", last: "Lovelace", age: 36),
          Second.Person(id: 2, first: "Alan", last: "Turing", age: 41),
        ])
      #expect(try store.blocking.fetch(Second.Animal.all) == [Second.Animal(id: 7, name: "Tom", kind: "cat")])
    }
    #expect(try file.sql("select name from sqlite_master where name = 'Pet'").isEmpty)
    #expect(try file.sql("select name from _larder_models order by name").map { $0["name"] } == ["Animal", "Person"])
    #expect(
      try file.sql("select name from _larder_migrations order by position").map { $0["name"] } == [
        "split names", "pets are animals",
      ])
  }

  @Test("a migration sees old columns and models as they were and new ones as they will be")
  func sees() throws {
    let look = Migration("look") { db in
      #expect(try db.fetch(First.Person.all.sorted(by: \.id)).map(\.name) == ["Ada Lovelace", "Alan Turing"])
      let names = try db.rows(First.Person.all).map { $0.names }
      #expect(names == [["id", "name", "age"], ["id", "name", "age"]])
      #expect(try db.sql("select first from Person").map { $0["first"] } == [.null, .null])
    }
    _ = try file.open(Second.Person.self, migrations: [look, split])
  }

  @Test("migrations run once, in the order of the list")
  func order() throws {
    let ran = Mutex<[String]>([])
    @Sendable func migration(_ name: String) -> Migration { Migration(name) { _ in ran.withLock { $0.append(name) } } }
    _ = try file.open(First.Person.self, migrations: [migration("b"), migration("a")])
    _ = try file.open(First.Person.self, migrations: [migration("b"), migration("a")])
    _ = try file.open(First.Person.self, migrations: [migration("b"), migration("a"), migration("c")])
    #expect(ran.withLock { $0 } == ["b", "a", "c"])
  }

  @Test("a migration runs in a new file as well")
  func newFile() throws {
    let other = try StoreFile()
    try other.write(
      [First.Pet(id: 1, name: "x")],
      migrations: [Migration("seed") { db in try db.insert(First.Pet(id: 2, name: "y")) }])
    #expect(try other.sql("select id from Pet order by id").map { $0["id"] } == [1, 2])
    #expect(try other.names == ["test.larder"])
  }

  @Test("a migration that throws leaves all as it was, is named, and shows no value")
  func fails() throws {
    let failing = Migration("stumbles") { db in
      try db.sql("delete from Person")
      throw Stumble()
    }
    try file.expectRefusal(.migrationFailed, naming: "stumbles", "Stumble") {
      do {
        _ = try file.open(Second.Person.self, Second.Animal.self, migrations: [split, animals, failing])
      } catch let error as StoreError {
        #expect(!error.description.contains("SENTINEL"))
        throw error
      }
    }
    let store = try file.open(First.Person.self, First.Pet.self)
    #expect(try store.blocking.count(First.Pet.all) == 1)
  }

  @Test("a migration that leaves a required property empty is refused")
  func unfilled() throws {
    try file.expectRefusal(.schemaMismatch, of: "first", naming: "Person.first") {
      _ = try file.open(Second.Person.self, migrations: [Migration("nothing") { _ in }])
    }
  }

  @Test("a migration that drops a model's table begins anew with an empty one")
  func beginsAnew() throws {
    let store = try file.open(
      Second.Person.self, migrations: [Migration("forget everybody") { db in try db.dropTable("Person") }])
    #expect(try store.blocking.count(Second.Person.all) == 0)
    try store.blocking.insert(Second.Person(id: 1, first: "a", last: "b", age: 3))
  }

  @Test("a migration cannot drop a column that is not there")
  func noColumn() throws {
    try file.expectRefusal(.migrationFailed, naming: "nobody") {
      _ = try file.open(
        First.Person.self, migrations: [Migration("drop") { db in try db.dropColumn("nobody", of: First.Person.self) }])
    }
  }

  @Test("C5: two tasks that open and migrate the same new file at once both succeed, and each migration runs once")
  func together() async throws {
    for _ in 0..<10 {
      let other = try StoreFile()
      let ran = RunCount()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            let count = Migration("count") { db in
              ran.add()
              try db.insert(First.Pet(id: 1, name: "x"))
            }
            let store = try other.open(First.Pet.self, First.Person.self, migrations: [count])
            #expect(try await store.count(First.Pet.all) == 1)
          }
        }
        try await group.waitForAll()
      }
      #expect(ran.value == 1)
    }
  }
}
