import Foundation
import Testing

@testable import Larder

/// Statements that are compiled after another connection has changed the schema.
@Suite struct ForeignSchemaTests {
  @Test(
    "a table with full text is written for the first time after another store has changed the schema", arguments: 0..<4)
  func fullText(_ kind: Int) async throws {
    let library = try LibraryFile()
    let store = try library.open()
    let other = try library.open()
    struct Stop: Error {}
    // SQLite reads the schema anew after this, and opens the full-text index with it.
    await #expect(throws: Stop.self) {
      try await store.write { db in
        try db.documents("papers").save("a", ["n": 1])
        throw Stop()
      }
    }
    try await store.updateAll(LibraryBook.all) { $0.year.increment(by: 1) }
    try await other.documents("papers").save("a", ["n": 1])
    switch kind {
    case 0: #expect(try await store.delete(LibraryShelf.self, 1))
    case 1: #expect(try await store.deleteAll(LibraryShelf.all) > 0)
    case 2: try await store.insert(makeBook(id: 1000, title: "a new one", shelf: ToOne(1)))
    default: #expect(try await store.updateAll(LibraryBook.all) { $0.title.set("another") } > 0)
    }
    #expect(try await store.check().isHealthy)
  }

  @Test("a statement that was kept is executed after another store has changed the schema, again and again")
  func kept() async throws {
    let library = try LibraryFile()
    let store = try library.open()
    let other = try library.open()
    for round in 0..<4 {
      try await store.insert(LibraryShelf(id: 100 + round))
      try await store.insert(makeBook(id: 1000 + round, title: "number", shelf: ToOne(100 + round)))
      try await other.documents("papers \(round)").save("a", ["n": 1])
      try await store.updateAll(LibraryBook.all) { $0.year.increment(by: 1) }
      try await other.documents("letters \(round)").save("a", ["n": 1])
      #expect(try await store.delete(LibraryShelf.self, 100 + round))
      #expect(try await store.find(LibraryBook.self, 1000 + round) == nil)
    }
    #expect(try await store.check().isHealthy)
  }
}
