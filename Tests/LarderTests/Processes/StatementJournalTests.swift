import Foundation
import Larder
import LarderTestSupport
import Testing

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

  @Test("SQL texts that differ in the normal form of a character are different statements")
  func normalForms() throws {
    let store = try Store(inMemoryFor: SQLItem.self).blocking
    for _ in 0..<2 {
      #expect(try store.sql("SELECT length('\u{E9}')", as: Int.self) == [1])
      #expect(try store.sql("SELECT length('e\u{301}')", as: Int.self) == [2])
    }
  }
}
