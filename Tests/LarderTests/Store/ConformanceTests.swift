import Larder
import LarderTestSupport
import Testing

/// One body over every conformer of StoreReader and StoreWriter.
@Suite(.timeLimit(.minutes(20))) struct ConformanceTests {
  private func withStores(_ body: (Store) throws -> Void) throws {
    try body(try Store(inMemoryFor: ConformanceItem.self))
    try withTemporaryStore(for: ConformanceItem.self) { try body($0) }
    try withTemporaryStore(for: ConformanceItem.self, configuration: Store.Configuration(readers: 1)) { try body($0) }
  }

  @Test("A7: Store.blocking reads") func blockingReads() throws {
    try withStores { store in
      try store.blocking.insert(ConformanceItem.samples)
      try StoreReaderConformance.check(store.blocking)
    }
  }

  @Test("A7: Store.blocking writes") func blockingWrites() throws {
    try withStores { try StoreWriterConformance.check($0.blocking) }
  }

  @Test("a snapshot reads") func snapshot() throws {
    try withStores { store in
      try store.blocking.insert(ConformanceItem.samples)
      try store.blocking.read { try StoreReaderConformance.check($0) }
    }
  }

  @Test("a transaction reads and writes") func transaction() throws {
    try withStores { store in
      try store.blocking.write { db in
        try StoreWriterConformance.check(db)
        try db.deleteAll(ConformanceItem.all)
        try db.insert(ConformanceItem.samples)
        try StoreReaderConformance.check(db)
        try db.savepoint { try StoreWriterConformance.check($0) }
      }
    }
  }

  @Test("the suites find a reader that does not keep its promises") func unfaithful() throws {
    let store = try Store(inMemoryFor: ConformanceItem.self)
    try store.blocking.insert(Array(ConformanceItem.samples.dropLast()))
    let failure = #expect(throws: ConformanceFailure.self) { try StoreReaderConformance.check(store.blocking) }
    #expect(failure?.description.contains("find gives the row with the key") == true)
  }
}
