import Foundation
import GRDBSQLite
import Testing

@testable import Larder

@Model(expires: true)
private struct Coupon: Hashable {
  var id: Int
  var code: String = ""
}

@Model(expires: true)
private struct Voucher: Hashable {
  var id: Int
  var code: String = ""
}

@Suite("Expiry: what is interrupted shows no expired rows afterwards", .timeLimit(.minutes(20)))
struct ExpiryCancellationTests {
  private let file: StoreFile
  private let clock = TestClock()
  private let cancellation = CountedCancellation()

  init() throws { file = try StoreFile() }

  private func open(inMemory isInMemory: Bool) throws -> Store {
    let configuration = Store.Configuration(
      now: { [clock] in clock.now }, trace: { [cancellation] _ in cancellation.count() })
    let store =
      isInMemory
      ? try Store(inMemoryFor: Coupon.self, Voucher.self, configuration: configuration)
      : try Store(at: file.path, for: Coupon.self, Voucher.self, configuration: configuration)
    try store.blocking.write { db in
      try db.insert([Coupon(id: 1)])
      try db.insert([Voucher(id: 1)])
      // Expired before the clock was first read: hidden, and not deleted for a minute.
      try db.insert([Coupon(id: 2)], expires: clock.now - 10)
      try db.insert([Voucher(id: 2)], expires: clock.now - 10)
    }
    return store
  }

  /// Expects that the connection that writes sees what has not expired.
  private func expectHidden(_ store: Store, _ place: Comment, sourceLocation: SourceLocation = #_sourceLocation) throws
  {
    try store.blocking.write { db in
      let (coupons, vouchers) = (try db.fetch(Coupon.all), try db.sql("select id from Voucher", as: Int.self))
      #expect(coupons.map(\.id) == [1] && vouchers == [1], place, sourceLocation: sourceLocation)
    }
  }

  @Test("a task may be cancelled after any statement", arguments: [true, false])
  func anyStatement(isInMemory: Bool) async throws {
    let store = try open(inMemory: isInMemory)
    let folder = file.folder
    let actions: [(String, @Sendable () async throws -> Void)] = [
      ("update", { try await store.sql("update Coupon set code = code where id = 1 returning id") }),
      ("insert", { try await store.sql("insert into Voucher (id) values (1) on conflict do nothing") }),
      ("error", { try await store.sql("insert into Voucher (none) values (1)") }),
      (
        "transaction",
        {
          try await store.write { db in
            try db.sql("update Coupon set code = 'a' where id = 1")
            try db.sql("update Voucher set code = 'b' where id = 1 returning id")
          }
        }
      ),
      ("backup", { try await store.backup(to: folder.appending(component: UUID().uuidString)) }),
    ]
    for (name, body) in actions {
      var number = 0
      while await cancellation.run(after: number, body), number < 200 {
        try expectHidden(store, "\(name) in \(isInMemory ? "memory" : "a file"), cancelled after statement \(number)")
        number += 1
      }
      #expect(number < 200)
      try expectHidden(store, "\(name) in \(isInMemory ? "memory" : "a file")")
    }
  }

  @Test("an interruption of the work leaves nothing shown", arguments: [true, false])
  func inside(isTransaction: Bool) throws {
    let store = try open(inMemory: true)
    try store.withWriter { connection in
      func work() throws {
        connection.interruption.request(on: connection.handle)
        try connection.execute("SELECT 1")
      }
      #expect(throws: CancellationError.self) {
        if isTransaction {
          try connection.transaction { try connection.withoutExpiryViews(work) }
        } else {
          try connection.withoutExpiryShadows(work)
        }
      }
      connection.interruption.end()
      for table in ["Coupon", "Voucher"] {
        let rows = try connection.query("SELECT id FROM \(table)")
        #expect(rows.count == 1)
      }
    }
  }

  @Test("what cannot be undone at once is undone before the connection is used again")
  func later() throws {
    let store = try open(inMemory: true)
    try store.withWriter { connection in
      // A statement in the middle of its rows makes SQLite remember an interruption until it is over.
      let rows = try connection.statement("SELECT value FROM json_each('[1, 2, 3]')")
      try connection.withoutExpiryShadows {
        let isRow = try connection.step(rows, nil)
        #expect(isRow)
        sqlite3_interrupt(connection.handle)
      }
      #expect(connection.unfinishedCleanups.count == 2)
    }
    try expectHidden(store, "after an interruption that SQLite remembers")
  }
}
