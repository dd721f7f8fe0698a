import Foundation
import Larder
import LarderTestSupport
import Testing

/// A row of half a page.
@Model
private struct Block: Hashable {
  var id: Int
  var level: Int8 = 0
  var text = String(repeating: "x", count: 2000)
}

@Suite struct StatementJournalTests {
  #if os(Linux)
  /// SQLite writes the pages that a statement changes to a file, two calls for each, after a statement has changed more
  /// than fit its memory.
  @Test("a transaction of many rows with triggers writes no journal of statements to the disk")
  func writes() async throws {
    let file = try StoreFile()
    let lines = try await ChildProcess("countWrites", file.path, 2000).rest()
    #expect(lines.count == 2)
    let writes = try #require(lines.first.flatMap { Int($0) })
    #expect(writes < 2000, "\(writes) writes for 2,000 rows")
    #expect(lines.last == "2800")
  }
  #endif

  @Test("a statement that fails is undone alone, however many pages it has changed", arguments: [10, 100, 300, 2000])
  func undone(_ count: Int) throws {
    let file = try StoreFile()
    let store = try Store(at: file.path, for: Block.self).blocking
    try store.insert((1...count).map { Block(id: $0, level: $0 == count ? 126 : 0) })
    try store.write { db in
      let increment = { try db.updateAll(Block.all) { $0.level.increment(by: 1) } }
      #expect(try increment() == count)
      // Refused at the last row, after all others were changed.
      #expect(throws: StoreError.self) { try increment() }
      try db.updateAll(Block.where { $0.id == 1 }) { $0.level.set(7) }
      try db.insert(Block(id: count + 1, level: 1))
    }
    let expected = (1...count + 1).map { Block(id: $0, level: $0 == 1 ? 7 : $0 == count ? 127 : 1) }
    #expect(try store.fetch(Block.all.sorted(by: \.id)) == expected)
    #expect(try Store(at: file.path, for: Block.self).blocking.fetch(Block.all.sorted(by: \.id)) == expected)
  }

  @Test("SQL texts that differ in the normal form of a character are different statements")
  func normalForms() throws {
    let store = try Store(inMemoryFor: SQLItem.self).blocking
    for _ in 0..<2 {
      #expect(try store.sql("SELECT length('\u{E9}')", as: Int.self) == [1])
      #expect(try store.sql("SELECT length('e\u{301}')", as: Int.self) == [2])
    }
  }
}
