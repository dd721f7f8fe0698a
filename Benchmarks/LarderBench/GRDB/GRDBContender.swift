import GRDB

/// GRDB's record layer: a queue in WAL mode, and the verbs that its documentation shows.
///
/// A `DatabaseQueue` and not a `DatabasePool`, because it is the quicker of the two where nobody reads and writes at
/// once.
final class GRDBContender<Record: OrderRecord & FetchableRecord & PersistableRecord>: Contender {
  private let queue: DatabaseQueue

  init(path: String, checkpointsInCommit: Bool) throws {
    var configuration = Configuration()
    if !checkpointsInCommit {
      configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
    }
    configuration.journalMode = .wal  // sets synchronous = NORMAL, too
    queue = try DatabaseQueue(path: path, configuration: configuration)
  }

  func fetchAll() throws -> [Record] {
    try queue.read { db in try Record.fetchAll(db) }
  }

  func fetchAllAsync() async throws -> [Record] {
    try await queue.read { db in try Record.fetchAll(db) }
  }

  func find(_ keys: [Int], body: (Record?) -> Void) throws {
    for key in keys {
      body(try queue.read { db in try Record.fetchOne(db, key: key) })
    }
  }

  func findAsync(_ keys: [Int], body: (Record?) -> Void) async throws {
    for key in keys {
      body(try await queue.read { db in try Record.fetchOne(db, key: key) })
    }
  }

  func latest(_ count: Int, ofEach customers: [String], body: ([Record]) -> Void) throws {
    for customer in customers {
      let orders = try queue.read { db in
        try Record.filter(Column("customerID") == customer).order(Column("orderDate").desc).limit(count).fetchAll(db)
      }
      body(orders)
    }
  }

  func latestAsync(_ count: Int, ofEach customers: [String], body: ([Record]) -> Void) async throws {
    for customer in customers {
      let orders = try await queue.read { db in
        try Record.filter(Column("customerID") == customer).order(Column("orderDate").desc).limit(count).fetchAll(db)
      }
      body(orders)
    }
  }

  func insertAll(_ records: [Record]) async throws {
    try await queue.write { db in
      for record in records { try record.insert(db) }
    }
  }

  /// With `save`, the verb that inserts or updates. For a new row it tries an UPDATE first; `upsert` was measured and
  /// is not quicker.
  func saveEach(_ records: [Record]) async throws {
    for record in records {
      try await queue.write { db in try record.save(db) }
    }
  }

  func saveConcurrently(_ records: [Record], tasks: Int) async throws {
    try await records.forEach(inTasks: tasks) { [queue] record in
      try await queue.write { db in try record.save(db) }
    }
  }

  func updateAll(_ records: [Record]) async throws {
    try await queue.write { db in
      for record in records { try record.update(db) }
    }
  }
}
