import GRDB

/// `ValueObservation` of GRDB on a pool, with records written by hand: the quickest that it has.
struct LiveGRDB {
  private struct Item: FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "LiveItem"

    var id: Int
    var title: String
    var body: String
    var price: Double
    var count: Int

    init(id: Int, count: Int) {
      self.id = id
      title = "Title \(id)"
      body = "The body of row \(id)"
      price = 1
      self.count = count
    }

    init(row: Row) {
      id = row[0]
      title = row[1]
      body = row[2]
      price = row[3]
      count = row[4]
    }

    func encode(to container: inout PersistenceContainer) {
      container["id"] = id
      container["title"] = title
      container["body"] = body
      container["price"] = price
      container["count"] = count
    }
  }

  private let pool: DatabasePool

  init(path: String) throws {
    pool = try DatabasePool(path: path)
    try pool.write { db in
      try db.execute(
        sql: """
          CREATE TABLE LiveItem(
            id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL, price REAL NOT NULL, count INTEGER NOT NULL) STRICT
          """)
      try db.execute(sql: "CREATE TABLE LiveBystander(id INTEGER PRIMARY KEY, title TEXT NOT NULL) STRICT")
      for id in 0..<1000 { try Item(id: id, count: 0).insert(db) }
    }
  }

  func refreshes(_ count: Int) async throws -> [Double] {
    let observation = ValueObservation.tracking { db in
      try Item.fetchAll(db, sql: "SELECT * FROM LiveItem WHERE id < 50 ORDER BY id")
    }
    var results = observation.values(in: pool).makeAsyncIterator()
    _ = try await results.next()
    return try await liveTimes(count) { number in
      try await pool.write { db in try Item(id: 7, count: number).update(db) }
      while let rows = try await results.next() {
        guard rows[7].count != number else { break }
      }
    }
  }

  func writes(_ count: Int, observers: Int) async throws -> [Double] {
    let pool = pool
    let (ready, continuation) = AsyncStream.makeStream(of: Void.self)
    let tasks = (0..<observers).map { _ in
      Task {
        let observation = ValueObservation.tracking { db in
          try String.fetchAll(db, sql: "SELECT title FROM LiveBystander ORDER BY title")
        }
        for try await _ in observation.values(in: pool) { continuation.yield() }
      }
    }
    for await _ in ready.prefix(observers) {}
    let times = try await liveTimes(count) { number in
      try await pool.write { db in try Item(id: 7, count: number).update(db) }
    }
    for task in tasks { task.cancel() }
    for task in tasks { _ = try? await task.value }
    return times
  }
}
