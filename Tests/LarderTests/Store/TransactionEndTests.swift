import Foundation
import GRDBSQLite
import LarderTestSupport
import Synchronization
import Testing

@testable import Larder

/// How transactions end where something is in the way: an interruption, an error with which SQLite itself rolls back, a
/// connection that cannot.
@Suite(.timeLimit(.minutes(20))) struct TransactionEndTests {
  private struct Sentinel: Error {}

  /// A store and what another connection sees of its file.
  private func withFile(_ body: (Store, _ rows: () throws -> [Int]) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("a.larder")
    try await body(try Store(at: file, for: Parcel.self)) {
      try Store(at: file, for: Parcel.self).blocking.fetch(Parcel.all.sorted(by: \.id)).map(\.id)
    }
  }

  @Test("an interruption in the middle of a transaction that fails does not keep it open: later saves are kept")
  func interruptedRollback() async throws {
    try await withFile { store, rows in
      try await store.insert((1...50).map { Parcel(id: $0) })
      for isReading in [true, false] {
        try? store.writer.withConnection { connection in
          // A statement in the middle of its rows makes SQLite remember the interruption until it is over.
          let statement = try connection.statement("SELECT id FROM parcels")
          if isReading { _ = try connection.step(statement, nil) }
          try connection.transaction {
            try connection.execute("INSERT INTO parcels (id, code, weight) VALUES (1000, 'x', 1)")
            connection.interrupt()
            throw Sentinel()
          }
        }
        try store.writer.withConnection { $0.endInterruption() }
      }
      for id in 51...60 { try await store.insert(Parcel(id: id)) }
      try await store.write { try $0.insert(Parcel(id: 61)) }
      #expect(try rows() == Array(1...61))
    }
  }

  @Test("reads that follow one another find the connection of the one before")
  func oneReader() async throws {
    try await withTemporaryStore(for: Parcel.self, configuration: Store.Configuration(readers: 4)) { store in
      try await store.insert(Parcel(id: 1))
      for _ in 0..<500 { #expect(try await store.read { try $0.count(Parcel.all) } == 1) }
      #expect(store.readers?.connectionCount == 1)
    }
  }

  @Test("an interruption does not keep a reader on an old state") func interruptedReader() async throws {
    try await withTemporaryStore(for: Parcel.self, configuration: Store.Configuration(readers: 1)) { store in
      try await store.insert(Parcel(id: 1))
      let readers = try #require(store.readers)
      try? readers.withConnection { connection in
        let statement = try connection.statement("SELECT id FROM parcels UNION ALL SELECT 2")
        _ = try connection.step(statement, nil)
        try connection.readTransaction {
          connection.interrupt()
          throw Sentinel()
        }
      }
      try await store.insert(Parcel(id: 2))
      #expect(try readers.withConnection { $0.isAtRest })
      try readers.withConnection { $0.endInterruption() }
      #expect(try store.blocking.count(Parcel.all) == 2)
      #expect(readers.connectionCount == 1)
    }
  }

  @Test(
    "tasks that are cancelled while their transactions fail lose nothing that is saved afterwards",
    arguments: [true, false])
  func cancelledRollbacks(isInMemory: Bool) async throws {
    let folder = try TemporaryFolder()
    let store = try isInMemory ? Store(inMemoryFor: Parcel.self) : Store(at: folder.file("a.larder"), for: Parcel.self)
    var expected = 0
    for round in 0..<300 {
      let begun = Gate()
      let task = Task {
        try await store.write { db in
          try db.insert(Parcel(id: -1 - round))
          begun.open()
          throw Sentinel()
        }
      }
      let reading = Task { try await store.read { db in try db.fetch(Parcel.all).count } }
      await begun.wait()
      reading.cancel()
      task.cancel()
      await #expect(throws: (any Error).self) { try await task.value }
      _ = try? await reading.value
      try await store.insert(Parcel(id: round))
      expected += 1
      #expect(try await store.write { try $0.count(Parcel.all) } == expected)
      #expect(try await store.count(Parcel.all) == expected)
    }
  }

  @Test("a connection that cannot be rolled back is closed and replaced") func replacement() async throws {
    try await withFile { store, rows in
      try await store.insert(Parcel(id: 1))
      #expect(throws: Sentinel.self) {
        try store.writer.withConnection { connection in
          connection.forgetStatements()
          try connection.transaction {
            try connection.execute("INSERT INTO parcels (id, code, weight) VALUES (2, 'two', 0)")
            connection.refusesToRollBack()
            throw Sentinel()
          }
        }
      }
      try await store.insert(Parcel(id: 3))
      try await store.write { try $0.insert(Parcel(id: 4)) }
      #expect(try rows() == [1, 3, 4])
      #expect(try await store.fetch(Parcel.all.sorted(by: \.id)).map(\.id) == [1, 3, 4])
    }
  }

  @Test("a reader's connection that cannot be rolled back is closed, and the next read opens another")
  func replacedReader() async throws {
    try await withTemporaryStore(for: Parcel.self, configuration: Store.Configuration(readers: 1)) { store in
      try await store.insert(Parcel(id: 1))
      let readers = try #require(store.readers)
      for isAsynchronous in [true, false] {
        let body: @Sendable (Connection) throws -> Void = { connection in
          connection.forgetStatements()
          try connection.readTransaction {
            _ = try connection.query("SELECT count(*) FROM parcels")
            connection.refusesToRollBack()
            throw Sentinel()
          }
        }
        if isAsynchronous {
          await #expect(throws: Sentinel.self) { try await readers.perform(body) }
          // It is given back after the task has its answer; the next reader comes after that.
          _ = try await store.count(Parcel.all)
        } else {
          #expect(throws: Sentinel.self) { try readers.withConnection(body) }
          #expect(readers.connectionCount == 0)
        }
        try await store.insert(Parcel(id: isAsynchronous ? 2 : 3))
        #expect(try await store.read { try $0.count(Parcel.all) } == (isAsynchronous ? 2 : 3))
        #expect(readers.connectionCount == 1)
        #expect(try readers.withConnection { $0.isAtRest })
      }
    }
  }

  @Test(
    "a context whose connection could not be rolled back undoes with its next change what failed, and saves none of it")
  func unreplacedContext() async throws {
    try await withFile { store, rows in
      try await store.insert(Parcel(id: 1))
      let context = Context(store)
      context.insert(Parcel(id: 2))
      let connection = try context.open().connection.connection
      #expect(throws: Sentinel.self) {
        try context.step {
          context.insert(Parcel(id: 3))
          context.delete(Parcel.self, 1)
          connection.forgetStatements()
          connection.refusesToRollBack()
          throw Sentinel()
        }
      }
      connection.authorizer.install(on: connection.handle)
      context.insert(Parcel(id: 4))
      #expect(try context.fetch(Parcel.all.sorted(by: \.id)).map(\.id) == [1, 2, 4])
      try context.save()
      #expect(try rows() == [1, 2, 4])
    }
  }

  // MARK: Transactions that SQLite ends by itself

  /// Refuses a parcel of the weight 13 the hard way.
  private func installTrigger(_ store: Store) async throws {
    try await store.sql(
      "CREATE TRIGGER thirteen BEFORE INSERT ON parcels WHEN new.weight = 13 BEGIN SELECT RAISE(ROLLBACK, 'unlucky'); END"
    )
  }

  @Test(
    "after an error with which SQLite has rolled back, every statement of the transaction is refused, and nothing of it is kept"
  )
  func endedTransaction() async throws {
    try await withFile { store, rows in
      try await installTrigger(store)
      try await store.insert(Parcel(id: 1))
      let refused = Mutex<[StoreError]>([])
      let error = await #expect(throws: StoreError.self) {
        try await store.write { db in
          try db.insert(Parcel(id: 2))
          let first = #expect(throws: StoreError.self) { try db.insert(Parcel(id: 3, weight: 13)) }
          let later: [() throws -> Void] = [
            { try db.insert(Parcel(id: 4)) }, { try db.save([Parcel(id: 5)]) }, { try db.deleteAll(Parcel.all) },
            { _ = try db.fetch(Parcel.all) },
            { try db.savepoint { try $0.insert(Parcel(id: 6)) } }, { try db.sql("delete from parcels") },
            { try db.documents("papers").save("a", ["b": 1]) },
          ]
          for call in later {
            let error = #expect(throws: StoreError.self, performing: call)
            if let error { refused.withLock { $0.append(error) } }
          }
          #expect(first?.message.contains("unlucky") == true)
        }
      }
      #expect(error?.message.contains("unlucky") == true)
      let messages = refused.withLock { $0.map(\.message) }
      #expect(messages.count == 7)
      #expect(messages.allSatisfy { $0.contains("unlucky") && $0.contains("ended this transaction") })
      #expect(try rows() == [1])
      try await store.write { try $0.insert(Parcel(id: 7)) }
      #expect(try rows() == [1, 7])
    }
  }

  @Test("a nested savepoint that catches such an error does not go on outside of the transaction either")
  func endedSavepoint() async throws {
    try await withFile { store, rows in
      try await installTrigger(store)
      await #expect(throws: StoreError.self) {
        try await store.write { db in
          try db.insert(Parcel(id: 1))
          try? db.savepoint { inner in
            try inner.insert(Parcel(id: 2))
            try? inner.savepoint { try $0.insert(Parcel(id: 3, weight: 13)) }
            try? inner.insert(Parcel(id: 4))
          }
          try? db.insert(Parcel(id: 5))
        }
      }
      #expect(try rows().isEmpty)
      try await store.insert(Parcel(id: 6))
      #expect(try rows() == [6])
    }
  }

  @Test("a full disk in the middle of a closure that goes on keeps nothing of it") func fullDisk() async throws {
    try await withFile { store, rows in
      try await store.insert(Parcel(id: 1))
      try await store.write { _ = try $0.sql("pragma max_page_count = 20") }
      await #expect(throws: StoreError.self) {
        try await store.write { db in
          try db.insert(Parcel(id: 2))
          for id in 1000..<2000 { try? db.insert(Parcel(id: id, code: String(repeating: "x", count: 500) + "\(id)")) }
          try db.insert(Parcel(id: 3))
        }
      }
      try await store.write { _ = try $0.sql("pragma max_page_count = 100000") }
      #expect(try rows() == [1])
    }
  }

  @Test("what a job has committed is announced although a later step of it throws") func announced() async throws {
    try await withTemporaryStore(for: Parcel.self) { store in
      var values = store.live(Parcel.all).makeAsyncIterator()
      let before = try await values.next()
      #expect(before?.isEmpty == true)
      await #expect(throws: Sentinel.self) {
        try await store.writer.perform { connection in
          try connection.transaction { try connection.write([Parcel(id: 1)], .insert) }
          throw Sentinel()
        }
      }
      #expect(try await values.next()?.count == 1)
    }
  }
}

extension Connection {
  /// Lets every later attempt to end a transaction without a commit fail.
  func refusesToRollBack() {
    sqlite3_set_authorizer(
      handle,
      { _, action, name, _, _, _ in
        action == SQLITE_TRANSACTION && name.map { String(cString: $0) } == "ROLLBACK" ? SQLITE_DENY : SQLITE_OK
      }, nil)
  }
}
