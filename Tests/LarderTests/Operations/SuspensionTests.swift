import Foundation
import Testing

@testable import Larder

@Suite("Stores that are suspended", .timeLimit(.minutes(20)))
struct SuspensionTests {
  private let library: LibraryFile

  init() throws {
    library = try LibraryFile()
  }

  /// Another store, which does not wait for a lock.
  private func makeHasty() throws -> Store { try library.open(Store.Configuration(busyTimeout: .zero)) }

  @Test("a transaction at work is rolled back, its lock is free at once, and its call throws .suspended")
  func transaction() async throws {
    let store = try library.open()
    let (begun, suspended) = (Gate(), Gate())
    let call = Task {
      try await store.write { db in
        try db.insert(makeBook(id: 100, title: "half"))
        begun.open()
        try suspended.waitBlocking()
        try db.insert(makeBook(id: 101, title: "done"))
      }
    }
    await begun.wait()
    store.suspend()
    #expect(store.isSuspended)
    suspended.open()
    await expectError(.suspended, naming: "resume()") { try await call.value }
    try await makeHasty().insert(makeBook(id: 200, title: "by another"))
    #expect(try await store.fetch(LibraryBook.where { $0.id >= 100 }).map(\.id) == [200])
    store.resume()
    try await store.insert(makeBook(id: 102, title: "later"))
    #expect(try await store.count(LibraryBook.all) == 32)
  }

  @Test("a closure that hides the error has written nothing either")
  func hidden() async throws {
    let store = try library.open()
    await expectError(.suspended) {
      try await store.write { db in
        try db.insert(makeBook(id: 100, title: "half"))
        store.suspend()
        try? db.insert(makeBook(id: 101, title: "refused"))
      }
    }
    #expect(try await store.count(LibraryBook.all) == 30)
    try await makeHasty().insert(makeBook(id: 200, title: "by another"))
  }

  @Test("a statement that is writing is interrupted")
  func statement() async throws {
    let store = try library.open()
    let call = Task {
      try await store.write { db in
        try db.sql(
          """
          with recursive n (i) as (select 1 union all select i + 1 from n) \
          insert into LibraryShelf (id, name, bookCount) select i + 1000, '', 0 from n where i < 0
          """)
      }
    }
    // Until the lock is taken, another may write.
    let hasty = try makeHasty()
    while (try? await hasty.write { _ in }) != nil {}
    store.suspend()
    await expectError(.suspended) { _ = try await call.value }
    #expect(try await store.count(LibraryShelf.all) == 3)
    try await makeHasty().insert(makeBook(id: 200, title: "by another"))
  }

  @Test("whatever writes is refused while it is suspended, whatever reads goes on, and afterwards all is as before")
  func verbs() async throws {
    let store = try library.open()
    let context = Context(store)
    context.insert(makeBook(id: 300, title: "pending"))
    store.suspend()
    let book = makeBook(id: 100, title: "x")
    let calls: [@Sendable () async throws -> Void] = [
      { try await store.insert(book) }, { try await store.save([book]) }, { try await store.write { _ in } },
      { try await store.once("a") { _ in } },
      { try store.blocking.insert(book) }, { try store.blocking.write { _ in } },
      { try await store.sql("delete from LibraryBook") },
      { try await store.documents("people").save("a", json: "{}") },
    ]
    for call in calls { await expectError(.suspended, naming: "resume()") { try await call() } }
    await expectError(.suspended) { try context.save() }
    context.insert(makeBook(id: 301, title: "also pending"))
    #expect(try context.count(LibraryBook.all) == 32)
    #expect(try await store.fetch(LibraryBook.search("number")).count == 30)
    #expect(try await store.read { try $0.count(LibraryShelf.all) } == 3)
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<50 {
        group.addTask {
          await expectError(.suspended) { try await store.insert(makeBook(id: 400 + number, title: "")) }
        }
      }
    }
    store.suspend()
    store.resume()
    #expect(!store.isSuspended)
    try context.save()
    for number in 0..<4 { try await store.insert(makeBook(id: 500 + number, title: "")) }
    #expect(try await store.count(LibraryBook.all) == 36)
  }

  @Test(
    "suspending and resuming among many writers loses no row that was acknowledged, and keeps none that was refused")
  func random() async throws {
    let store = try library.open()
    let saved = await withTaskGroup(of: Set<Int>.self) { group in
      for task in 0..<8 {
        group.addTask {
          var saved: Set<Int> = []
          for number in 0..<60 {
            let id = 1000 + task * 100 + number
            let isSaved: Void? =
              number % 3 == 0
              ? try? await store.write { try $0.insert(makeBook(id: id, title: "t")) }
              : try? await store.insert(makeBook(id: id, title: "t"))
            if isSaved != nil { saved.insert(id) }
            await Task.yield()
          }
          return saved
        }
      }
      group.addTask {
        for _ in 0..<200 {
          store.suspend()
          await Task.yield()
          store.resume()
          await Task.yield()
        }
        return Set<Int>()
      }
      var all: Set<Int> = []
      for await part in group { all.formUnion(part) }
      return all
    }
    #expect(Set(try await store.fetch(LibraryBook.where { $0.id >= 1000 }).map(\.id)) == saved)
    #expect(try await store.check().isHealthy)
    try await makeHasty().insert(makeBook(id: 200, title: "by another"))
  }

  @Test("a file without a write-ahead log is not read either, because its readers lock it")
  func rollbackJournal() async throws {
    try library.tamper("PRAGMA journal_mode = DELETE")
    let store = try Store(at: library.file.path, for: LibraryBook.self, LibraryShelf.self, schema: .existing)
    #expect(try await store.count(LibraryBook.all) == 30)
    store.suspend()
    await expectError(.suspended) { _ = try await store.count(LibraryBook.all) }
    await expectError(.suspended) { try await store.insert(makeBook(id: 31, title: "")) }
    store.resume()
    #expect(try await store.count(LibraryBook.all) == 30)
  }

  @Test("a store in memory has no file, and takes no notice")
  func inMemory() async throws {
    let store = try Store(inMemoryFor: LibraryLoan.self)
    store.suspend()
    try await store.insert(makeLoan(id: 1))
    #expect(!store.isSuspended)
  }
}
