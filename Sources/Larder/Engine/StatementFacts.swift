/// What a statement reads and writes, as SQLite reports it while compiling: tables and columns, including those of
/// triggers and foreign keys.
final class StatementFacts: Sendable {
  let reads: Region
  let writes: Region
  /// The temporary tables and views that the statement itself writes.
  let temporaryWrites: Set<String>
  /// Whether the statement begins or ends a transaction or savepoint.
  let controlsTransaction: Bool
  /// Whether the statement updates, deletes, drops or alters existing data.
  let isDestructive: Bool
  /// Whether the statement creates, alters or drops tables, views and the like.
  let changesSchema: Bool

  init(
    reads: Region, writes: Region, temporaryWrites: Set<String> = [], controlsTransaction: Bool, isDestructive: Bool
  ) {
    self.reads = reads
    self.writes = writes
    self.temporaryWrites = temporaryWrites
    self.controlsTransaction = controlsTransaction
    self.isDestructive = isDestructive
    changesSchema = ["sqlite_master", "sqlite_temp_master"].contains { writes.tables[$0] != nil }
  }

  /// Creates the facts of a write to all rows and columns of a table.
  convenience init(writesAllOf table: String) {
    self.init(reads: Region(), writes: Region(table), controlsTransaction: false, isDestructive: false)
  }
}

/// What the closure of a live result has read so far.
struct TrackedReads {
  var statements: [ObjectIdentifier: PreparedStatement] = [:]
  /// Tables whose existence was checked, and that may not exist yet.
  var tables = Region()
}
