import Foundation
import Larder
import LarderTestSupport
import Testing

/// Calls of the store from inside its own closures: they answer or throw, and never wait for themselves.
@Suite(.timeLimit(.minutes(20))) struct NestingTests {
  private func withStore(_ body: (Store) async throws -> Void) async throws {
    try await withTemporaryStore(for: Parcel.self, configuration: Store.Configuration(readers: 1)) { store in
      try await store.insert([Parcel(id: 1), Parcel(id: 2)])
      try await body(store)
    }
  }

  @Test("a read inside a read answers, with one reader alone") func readInRead() async throws {
    try await withStore { store in
      let count = try store.blocking.read { db in
        try store.blocking.read { inner in
          try db.count(Parcel.all) + inner.count(Parcel.all) + store.blocking.fetch(Parcel.all).count
        }
      }
      #expect(count == 6)
      #expect(try await store.read { _ in try store.blocking.count(Parcel.all) } == 2)
      #expect(try await store.read { _ in try store.blocking.read { try $0.count(Parcel.all) } } == 2)
    }
  }

  @Test("a read inside forEach answers, with one reader alone") func readInIteration() async throws {
    try await withStore { store in
      var found: [Parcel?] = []
      try store.blocking.forEach(Parcel.all.sorted(by: \.id)) {
        found.append(try store.blocking.find(Parcel.self, $0.id))
      }
      #expect(found == [Parcel(id: 1), Parcel(id: 2)])
      try store.blocking.forEach(Parcel.all) { try store.blocking.save(Parcel(id: $0.id, weight: 5)) }
      #expect(try await store.count(Parcel.where { $0.weight == 5 }) == 2)
    }
  }

  @Test("a read inside a write answers with the state before the write") func readInWrite() async throws {
    try await withStore { store in
      try await store.write { db in
        try db.insert(Parcel(id: 3))
        #expect(try store.blocking.count(Parcel.all) == 2)
        #expect(try store.blocking.read { try $0.count(Parcel.all) } == 2)
        #expect(try db.count(Parcel.all) == 3)
      }
      try store.blocking.write { db in
        try db.insert(Parcel(id: 4))
        #expect(try store.blocking.find(Parcel.self, 4) == nil)
      }
    }
  }

  @Test("a write inside a read is done at once, and the read does not see it") func writeInRead() async throws {
    try await withStore { store in
      try store.blocking.read { db in
        try store.blocking.insert(Parcel(id: 3))
        #expect(try db.count(Parcel.all) == 2)
        #expect(try store.blocking.count(Parcel.all) == 3)
      }
    }
  }

  private func expectUnsupported(
    _ store: Store, sourceLocation: SourceLocation = #_sourceLocation, _ calls: [() throws -> Void]
  ) {
    for call in calls {
      let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation, performing: call)
      #expect(error?.code == .unsupported, sourceLocation: sourceLocation)
    }
  }

  private func writes(_ store: Store) -> [() throws -> Void] {
    [
      { try store.blocking.insert(Parcel(id: 9)) }, { try store.blocking.save([Parcel(id: 9)]) },
      { try store.blocking.write { _ in } },
      { try store.blocking.deleteAll(Parcel.all) }, { try store.blocking.sql("delete from \(Parcel.self)") },
      { try store.blocking.once("x") { _ in } },
    ]
  }

  @Test("a write inside a write throws .unsupported instead of waiting for itself") func writeInWrite() async throws {
    try await withStore { store in
      try store.blocking.write { db in
        expectUnsupported(store, writes(store))
        try db.insert(Parcel(id: 3))
      }
      try await store.write { db in
        expectUnsupported(store, writes(store))
        try db.insert(Parcel(id: 4))
      }
      try store.blocking.once("first") { db in
        expectUnsupported(store, writes(store))
        try db.insert(Parcel(id: 5))
      }
      #expect(try await store.fetch(Parcel.all.sorted(by: \.id)).map(\.id) == [1, 2, 3, 4, 5])
      try await store.insert(Parcel(id: 9))
    }
  }

  @Test(
    "in memory, where all calls share one connection, a read inside a read answers, and every other call inside a closure throws .unsupported"
  )
  func inMemory() async throws {
    let store = try Store(inMemoryFor: Parcel.self)
    let reads: [() throws -> Void] = [
      { _ = try store.blocking.count(Parcel.all) }, { try store.blocking.read { _ in } },
    ]
    try store.blocking.write { _ in expectUnsupported(store, writes(store) + reads) }
    try await store.insert([Parcel(id: 1), Parcel(id: 2)])
    try store.blocking.read { db in
      expectUnsupported(store, writes(store))
      for read in reads { try read() }
      #expect(try store.blocking.read { try $0.count(Parcel.all) } + db.count(Parcel.all) == 4)
    }
    var found: [Parcel?] = []
    try store.blocking.forEach(Parcel.all.sorted(by: \.id)) { parcel in
      expectUnsupported(store, writes(store))
      for read in reads { try read() }
      found.append(try store.blocking.find(Parcel.self, parcel.id))
    }
    #expect(found == [Parcel(id: 1), Parcel(id: 2)])
    try await store.insert(Parcel(id: 9))
    #expect(try await store.count(Parcel.all) == 3)
  }

  /// Asks the store from its own `validate()`.
  @Model struct Nosy {
    var id: Int
    @Transient var ask: (@Sendable () throws -> Void)?

    func validate() throws { try ask?() }
  }

  @Test("a write inside validate() throws .unsupported, however the value is written") func validation() async throws {
    let store = try Store(inMemoryFor: Nosy.self)
    let nosy = Nosy(id: 1, ask: { try store.blocking.insert(Nosy(id: 2)) })
    for call: @Sendable () async throws -> Void in [
      { try await store.insert(nosy) }, { try await store.save([nosy]) }, { try store.blocking.insert(nosy) },
      { try await store.write { try $0.save(nosy) } },
    ] {
      let error = await #expect(throws: StoreError.self) { try await call() }
      #expect(error?.code == .unsupported)
    }
    #expect(try await store.count(Nosy.all) == 0)
    // Many at once share a transaction: the same holds there.
    await withTaskGroup(of: StoreError.Code?.self) { group in
      for _ in 0..<32 {
        group.addTask {
          do { try await store.insert(nosy) } catch { return (error as? StoreError)?.code }
          return nil
        }
      }
      for await code in group { #expect(code == .unsupported) }
    }
    #expect(try await store.count(Nosy.all) == 0)
  }
}
