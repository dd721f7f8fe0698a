import LarderTestSupport
import Synchronization
import Testing

@testable import Larder

@Suite("Store: reads on a task's own thread")
struct BriefReadTests {
  @Test("one read that is given up changes nothing, two in a row send the next ones elsewhere for a while")
  func givenUp() {
    var reads = BriefReads()
    func run(takesLong: Bool) -> Bool {
      guard reads.begin() else { return false }
      if takesLong { reads.giveUp() } else { reads.end() }
      return true
    }
    // A machine that is busy now and then.
    for number in 0..<100 { #expect(run(takesLong: number.isMultiple(of: 2))) }
    // A long statement.
    #expect(run(takesLong: true))
    #expect(run(takesLong: true))
    for _ in 0..<BriefReads.retryInterval { #expect(!run(takesLong: true)) }
    #expect(run(takesLong: true))
    for _ in 0..<BriefReads.retryInterval { #expect(!run(takesLong: true)) }
    // It has become short.
    #expect(run(takesLong: false))
    #expect(run(takesLong: true))
    #expect(run(takesLong: false))
  }

  @Test("a long read moves to another thread, on a connection on which a call has blocked before too")
  func afterBlocking() async throws {
    try await withTemporaryStore(for: Parcel.self, configuration: Store.Configuration(readers: 1)) { store in
      try await store.insert(Parcel(id: 1))
      let readers = try #require(store.readers)
      let long = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000) SELECT max(i) FROM n"
      for _ in 0..<3 {
        #expect(try store.blocking.fetch(Parcel.all).count == 1)
        let attempts = Mutex(0)
        let found = try await readers.performBriefly { connection in
          attempts.withLock { $0 += 1 }
          return try connection.query(long).first?["max(i)"]
        }
        #expect(found == 1_000_000)
        #expect(attempts.withLock { $0 } == 2)
      }
    }
  }
}
