/// One way of working with related rows. Each answers a checksum, by which the contenders are compared.
protocol RelationshipContender {
  /// All accounts with their costs: the sum of all amounts.
  func loadChildren() async throws -> Int
  /// The sum of the squares of all accounts' sums, computed by a query.
  func sumByQuery() async throws -> Int
  /// The same of the kept balances.
  func sumDerived() async throws -> Int
  /// The balance of one account, read many times: their sum.
  func readBalance(of account: Int) async throws -> Int
  /// Adds the new costs in one transaction, to the tables without balances.
  func insertCosts() async throws
  /// Adds the new costs in one transaction, to the tables with balances.
  func insertKeptCosts() async throws
  /// Inserts or replaces the first of the new costs in one transaction.
  func saveCosts() async throws
  /// Makes the first of the new costs pending, unmeasured.
  func prepareContext() async throws
  /// Writes what is pending; who has no unit of work inserts the same rows.
  func saveContext() async throws
}

extension RelationshipContender {
  func prepareContext() async throws {}
}
