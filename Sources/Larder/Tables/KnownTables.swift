/// What one connection has found out of the file's tables, until the schema changes.
final class KnownTables {
  private struct Version: Equatable {
    let file: Int64
    /// The transaction in which it was read; nil outside of one.
    let transaction: Int?
  }

  private var version: Version?
  /// The transaction that has changed the schema: after a rollback to a savepoint, another one may get the same number.
  private var changing: Int?
  var descriptions: [String: TableDescription] = [:]
  var foreignKeys: [ForeignKey]?

  /// Forgets what may have changed. Returns whether what is found out now may be kept.
  fileprivate func refresh(_ connection: Connection) throws -> Bool {
    let transaction = connection.isAutocommitting ? nil : connection.transactionNumber
    let current = Version(file: try connection.schemaVersionOfFile, transaction: transaction)
    if current == version { return true }
    if let transaction, transaction == version?.transaction { changing = transaction }
    version = current
    descriptions = [:]
    foreignKeys = nil
    return transaction == nil || transaction != changing
  }
}

extension Connection {
  /// What is known of the tables. In a context nothing is kept: its views come and go.
  func knownTables() throws -> KnownTables {
    let known = state(KnownTables.self, KnownTables())
    guard try overlay == nil && known.refresh(self) else { return KnownTables() }
    return known
  }

  /// The foreign keys of the file that have one column.
  func singleForeignKeys(_ known: KnownTables) throws -> [ForeignKey] {
    if let keys = known.foreignKeys { return keys }
    let keys = try ForeignKey.all(in: self).filter { $0.childColumns.count == 1 && $0.parentColumns.count < 2 }
    known.foreignKeys = keys
    return keys
  }
}
