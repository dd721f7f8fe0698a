import Foundation
import Larder
import LarderTestSupport
import Testing

/// A closed store has finished its work, keeps no file open, and refuses what comes later.
@Suite(.timeLimit(.minutes(20))) struct ClosingTests {
  private func expectClosed(
    _ call: () async throws -> some Any, sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let error = await #expect(throws: StoreError.self, sourceLocation: sourceLocation) { _ = try await call() }
    #expect(error?.code == .closed, sourceLocation: sourceLocation)
  }

  private func expectAllClosed(_ store: Store, sourceLocation: SourceLocation = #_sourceLocation) async {
    #expect(store.isClosed)
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await store.find(Parcel.self, 1) }, { _ = try await store.fetch(Parcel.all) },
      { _ = try await store.count(Parcel.all) },
      { _ = try await store.sql("select 1") }, { try await store.read { _ in } },
      { try await store.insert(Parcel(id: 2)) },
      { try await store.save([Parcel(id: 4)]) }, { try await store.delete(Parcel.self, 1) },
      { try await store.deleteAll(Parcel.all) },
      { try await store.write { try $0.insert(Parcel(id: 5)) } }, { try await store.once("never") { _ in } },
      { for try await _ in store.stream(Parcel.all) {} }, { try await store.checkpoint() },
      { try await store.removeExpired() },
      { for try await _ in store.live(Parcel.all) {} }, { _ = try await store.documents("papers").find("a") },
      { try await store.backup(to: FileManager.default.temporaryDirectory.appending(component: UUID().uuidString)) },
      { try store.blocking.insert(Parcel(id: 9)) }, { _ = try store.blocking.fetch(Parcel.all) },
      { try store.blocking.write { _ in } },
      { try store.blocking.read { _ in } }, { try Context(store).insertAndSave(Parcel(id: 10)) },
    ]
    for call in calls { await expectClosed(call, sourceLocation: sourceLocation) }
  }

  @Test("every call on a closed store throws .closed, in a file and in memory; closing twice is no error")
  func calls() async throws {
    try await withTemporaryStore(for: Parcel.self) { store in
      try await store.insert(Parcel(id: 1))
      await store.close()
      await expectAllClosed(store)
      await store.close()
      try store.blocking.close()
    }
    let store = try Store(inMemoryFor: Parcel.self)
    try store.blocking.close()
    await expectAllClosed(store)
  }

  @Test("what stood in line before is done, and the file is left without a log and without an open descriptor")
  func line() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("a.larder")
    let store = try Store(at: file, for: Parcel.self)
    let (begun, lined, arrivals) = (Gate(), Gate(), Barrier(64))
    async let held: Void = store.write { _ in
      begun.open()
      try lined.waitBlocking()
    }
    await begun.wait()
    let saves = (1...64).map { id in
      Task {
        arrivals.arrive()
        try await store.insert(Parcel(id: id))
      }
    }
    await arrivals.wait()
    // Those that have arrived are not in line yet: give each the time to suspend.
    for _ in 0..<1000 { await Task.yield() }
    async let closing: Void = store.close()
    lined.open()
    try await held
    var kept: [Int] = []
    for (position, save) in saves.enumerated() {
      do {
        try await save.value
        kept.append(position + 1)
      } catch let error as StoreError {
        #expect(error.code == .closed)
      }
    }
    await closing
    #expect(FileManager.default.fileExists(atPath: file.path + "-wal") == false)
    #if os(Linux)
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
    }
    #expect(!open.contains { $0.hasPrefix(file.path) })
    #endif
    let other = try Store(at: file, for: Parcel.self)
    #expect(try await other.fetch(Parcel.all.sorted(by: \.id)).map(\.id) == kept)
  }

  @Test("a read that goes on is waited for, and a stream in the middle of its rows ends with the error")
  func readers() async throws {
    try await withTemporaryStore(for: Parcel.self) { store in
      try await store.insert((0..<1000).map { Parcel(id: $0) })
      var rows = store.stream(Parcel.all).makeAsyncIterator()
      #expect(try await rows.next() != nil)
      let (begun, ended) = (Gate(), Gate())
      async let count = store.read { db in
        begun.open()
        try ended.waitBlocking()
        return try db.count(Parcel.all)
      }
      await begun.wait()
      async let closing: Void = store.close()
      while !store.isClosed { await Task.yield() }
      await expectClosed { try await store.count(Parcel.all) }
      await expectClosed { try await store.insert(Parcel(id: 1001)) }
      ended.open()
      #expect(try await count == 1000)
      await closing
      await expectClosed { while try await rows.next() != nil {} }
    }
  }

  @Test("live results that wait for a commit end with the error") func live() async throws {
    try await withTemporaryStore(for: Parcel.self) { store in
      let first = Gate()
      let watching = Task { for try await _ in store.live(Parcel.all) { first.open() } }
      await first.wait()
      await store.close()
      let error = await #expect(throws: StoreError.self) { try await watching.value }
      #expect(error?.code == .closed)
    }
  }

  @Test("closing inside a closure of the store is refused instead of waiting for itself") func nested() throws {
    try withTemporaryStore(for: Parcel.self) { store in
      let closures: [() throws -> Void] = [
        { try store.blocking.read { _ in try store.blocking.close() } },
        { try store.blocking.write { _ in try store.blocking.close() } },
      ]
      for closure in closures {
        let error = #expect(throws: StoreError.self, performing: closure)
        #expect(error?.code == .unsupported)
      }
      try store.blocking.insert(Parcel(id: 1))
    }
  }
}

extension Context {
  fileprivate func insertAndSave(_ parcel: Parcel) throws {
    insert(parcel)
    try save()
  }
}
