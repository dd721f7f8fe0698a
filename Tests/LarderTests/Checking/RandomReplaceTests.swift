import LarderTestSupport
import Testing

@testable import Larder

/// Rows that SQL replaces, with and without the triggers of the replaced ones, beside plain Swift.
@Suite("Random replaced rows")
struct RandomReplaceTests {
  @Test("what the replaced rows leave behind is found exactly where something is wrong, and repaired")
  func rounds() throws {
    var generator = SplitMix64(seed: TestSeed.value &* 78)
    let store = try Store(inMemoryFor: LibraryShelf.self, LibraryBook.self)
    let db = store.blocking
    try db.insert((1...3).map { LibraryShelf(id: $0) })
    for round in 0..<60 {
      try db.deleteAll(LibraryBook.all)
      try db.insert((1...6).map { makeBook(id: $0, title: "word\($0) book", shelf: ToOne($0 % 3 + 1)) })
      let firesTriggers = Bool.random(using: &generator)
      let (first, second) = (Int.random(in: 1...6, using: &generator), Int.random(in: 1...8, using: &generator))
      let shelf = Int.random(in: 1...3, using: &generator)
      let kind = Int.random(in: 0..<3, using: &generator)
      let statement = [
        "INSERT OR REPLACE INTO LibraryBook (id, title, year, shelf) VALUES (\(second), 'new\(round)', 0, \(shelf))",
        "REPLACE INTO LibraryBook (id, title, year, shelf) SELECT id, title, year, \(shelf) FROM LibraryBook WHERE id <= \(first)",
        "UPDATE OR REPLACE LibraryBook SET id = \(second) WHERE id = \(first)",
      ][kind]
      try store.withWriter { connection in
        try connection.change("PRAGMA recursive_triggers = \(firesTriggers ? "ON" : "OFF")")
        try connection.change(statement)
        try connection.change("PRAGMA recursive_triggers = ON")
      }
      let place = "seed \(TestSeed.value), round \(round): \(statement), triggers \(firesTriggers)"
      var books = try db.fetch(LibraryBook.all)
      func count(_ shelf: Int) -> Int { books.count { $0.shelf?.id == shelf } }
      let isCountRight = try db.fetch(LibraryShelf.all).allSatisfy { $0.bookCount == count($0.id) }
      let report = try db.check()
      #expect(report.findings.contains { $0.kind == .derivedValue } == !isCountRight, "\(place)")
      if firesTriggers { #expect(report.isHealthy, "\(place)") }
      // The words of a row that was replaced by one with others stay in the index. Equal ones take their place.
      let isReplaced = second <= 6 && (kind == 0 || (kind == 2 && first != second))
      #expect(report.findings.contains { $0.kind == .searchIndex } == (isReplaced && !firesTriggers), "\(place)")
      if kind == 1 {
        #expect(try db.fetch(LibraryBook.search("word\(first)")).map(\.id) == [first], "\(place)")
        // Nothing of them stays when the row goes.
        if Bool.random(using: &generator) {
          try db.delete(LibraryBook.self, first)
          books.removeAll { $0.id == first }
          #expect(!(try db.check().findings.contains { $0.kind == .searchIndex }), "\(place)")
        }
      }
      try db.rebuildDerived()
      #expect(try db.check().isHealthy, "\(place)")
      #expect(try db.fetch(LibraryShelf.all).allSatisfy { $0.bookCount == count($0.id) }, "\(place)")
      for word in ["book", "word\(first)", "word\(second)", "new\(round)"] {
        let expected = Set(books.filter { $0.title.split(separator: " ").contains { $0 == word } }.map(\.id))
        #expect(Set(try db.fetch(LibraryBook.search(word)).map(\.id)) == expected, "\(place): \(word)")
      }
    }
    TestSeed.tried(60, .operations, "statements that replace rows")
  }
}
