import GRDBSQLite

/// What a statement reads and writes, as SQLite reports it while compiling: tables and columns, including those of
/// triggers and foreign keys.
final class StatementFacts: Sendable {
  let reads: Region
  let writes: Region
  /// What the statement itself writes, without what triggers write.
  let targets: [WriteTarget]
  /// The temporary tables and views among them.
  var temporaryWrites: Set<String> { targets.isEmpty ? [] : Set(targets.filter(\.isTemporary).map(\.table)) }
  /// Whether the statement begins or ends a transaction or savepoint.
  let controlsTransaction: Bool
  /// Whether the statement updates, deletes, drops or alters existing data.
  let isDestructive: Bool
  /// Whether the statement creates, alters or drops tables, views and the like.
  let changesSchema: Bool

  init(
    reads: Region, writes: Region, targets: [WriteTarget] = [], controlsTransaction: Bool, isDestructive: Bool,
    changesSchema: Bool = false
  ) {
    self.reads = reads
    self.writes = writes
    self.targets = targets
    self.controlsTransaction = controlsTransaction
    self.isDestructive = isDestructive
    self.changesSchema = changesSchema
  }

  /// Creates the facts of a write to all rows and columns of a table.
  convenience init(writesAllOf table: String) {
    self.init(reads: Region(), writes: Region(table), controlsTransaction: false, isDestructive: false)
  }
}

/// A table or view that a statement inserts into, updates or deletes from.
struct WriteTarget: Hashable, Sendable {
  enum Verb: Sendable {
    case insert, update, delete
  }

  let verb: Verb
  let table: String
  let isTemporary: Bool
  /// A column that an update sets.
  let column: String?

  init?(_ action: Int32, _ table: String, isTemporary: Bool, column: String?) {
    switch action {
    case SQLITE_INSERT: verb = .insert
    case SQLITE_UPDATE: verb = .update
    case SQLITE_DELETE: verb = .delete
    default: return nil
    }
    self.table = table
    self.isTemporary = isTemporary
    self.column = verb == .update ? column : nil
  }

  /// A statement with the same verb and target that returns no columns.
  var probe: String {
    let target = "\(isTemporary ? "temp" : "main").\(Quoting.name(table))"
    return switch verb {
    case .insert: "INSERT INTO \(target) DEFAULT VALUES"
    case .update: "UPDATE \(target) SET \(Quoting.name(column ?? "")) = NULL"
    case .delete: "DELETE FROM \(target)"
    }
  }
}

/// What the closure of a live result has read so far.
struct TrackedReads {
  var statements: [ObjectIdentifier: PreparedStatement] = [:]
  /// Tables whose existence was checked, and that may not exist yet.
  var tables = Region()
}
