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
  /// The foreign keys with one column, by the tables that have them and by those they refer to, in lowercase.
  var foreignKeys: (own: [String: [ForeignKey]], referring: [String: [ForeignKey]])?
  private var kinds: [String: TableState.Kind]?

  func kinds(in connection: Connection) throws -> [String: TableState.Kind] {
    if let kinds { return kinds }
    let kinds = try TableState.Kind.all(in: connection)
    self.kinds = kinds
    return kinds
  }

  /// Forgets what may have changed. Returns whether what is found out now may be kept.
  fileprivate func refresh(_ connection: Connection) throws -> Bool {
    let transaction = connection.isAutocommitting ? nil : connection.transactionNumber
    let current = Version(file: try connection.schemaVersionOfFile, transaction: transaction)
    if current == version { return true }
    if let transaction, transaction == version?.transaction { changing = transaction }
    version = current
    descriptions = [:]
    foreignKeys = nil
    kinds = nil
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

  /// Returns the foreign keys of one column that a table has, and those that refer to it.
  func singleForeignKeys(
    of table: String, _ known: KnownTables
  ) throws -> (own: [ForeignKey], referring: [ForeignKey]) {
    if known.foreignKeys == nil {
      let keys = try ForeignKey.all(in: self).filter { $0.childColumns.count == 1 && $0.parentColumns.count < 2 }
      known.foreignKeys = (
        Dictionary(grouping: keys, by: \.child.asciiLowercased),
        Dictionary(grouping: keys, by: \.parent.asciiLowercased)
      )
    }
    let name = table.asciiLowercased
    return (known.foreignKeys?.own[name] ?? [], known.foreignKeys?.referring[name] ?? [])
  }
}
