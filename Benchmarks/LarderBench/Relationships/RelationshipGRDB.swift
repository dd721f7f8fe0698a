import GRDB

/// GRDB's associations, as its documentation shows them.
final class RelationshipGRDB: RelationshipContender {
  private let queue: DatabaseQueue
  private let newCosts: [RawCost]
  private let newKeptCosts: [RecordedKeptCost]

  init(path: String, newCosts: [RawCost]) throws {
    self.newCosts = newCosts
    newKeptCosts = newCosts.map {
      RecordedKeptCost(id: $0.id, amount: $0.amount, day: $0.day, note: $0.note, account: $0.account)
    }
    var configuration = Configuration()
    configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
    configuration.journalMode = .wal
    queue = try DatabaseQueue(path: path, configuration: configuration)
  }

  func loadChildren() async throws -> Int {
    let accounts = try await queue.read { db in
      try RecordedAccount.including(all: RecordedAccount.costs.forKey("costs")).asRequest(of: Flat.self).fetchAll(db)
    }
    return accounts.reduce(0) { $1.costs.reduce($0) { $0 + $1.amount } }
  }

  /// An account whose own columns are beside what the association leads to.
  private struct Flat: Decodable, FetchableRecord {
    var id: Int
    var name: String
    var costs: [RawCost]
  }

  func sumByQuery() async throws -> Int {
    let sums = try await queue.read { db in
      try RecordedAccount.annotated(with: RecordedAccount.costs.sum(Column("amount")).forKey("total"))
        .asRequest(of: RecordedAccount.Summed.self).fetchAll(db)
    }
    return sums.reduce(0) { $0 + ($1.total ?? 0) * ($1.total ?? 0) }
  }

  func sumDerived() async throws -> Int {
    let accounts = try await queue.read { db in try RecordedKeptAccount.fetchAll(db) }
    return accounts.reduce(0) { $0 + $1.balance * $1.balance }
  }

  func readBalance(of account: Int) throws -> Int {
    var sum = 0
    for _ in 0..<Books.readCount {
      sum += try queue.read { db in try RecordedKeptAccount.fetchOne(db, key: account)?.balance ?? 0 }
    }
    return sum
  }

  func insertCosts() async throws {
    try await queue.write { [newCosts] db in
      for cost in newCosts { try cost.insert(db) }
    }
  }

  func saveCosts() async throws {
    try await queue.write { [newCosts] db in
      for cost in newCosts.prefix(Books.savedCount) { try cost.upsert(db) }
    }
  }

  func saveContext() async throws {
    try await queue.write { [newCosts] db in
      for cost in newCosts.prefix(Books.savedCount) { try cost.insert(db) }
    }
  }

  func insertKeptCosts() async throws {
    try await queue.write { [newKeptCosts] db in
      for cost in newKeptCosts { try cost.insert(db) }
    }
  }
}
