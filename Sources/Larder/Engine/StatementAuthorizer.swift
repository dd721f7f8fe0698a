import Foundation
import GRDBSQLite

/// SQLite's authorizer, which observes a statement while it is compiled. Source:
/// <https://www.sqlite.org/c3ref/set_authorizer.html>.
///
/// It replaces GRDB's, because GRDB doesn't expose what a statement writes.
final class StatementAuthorizer {
  private var reads = Region()
  private var writes = Region()
  private var controlsTransaction = false
  private var isDestructive = false
  private var changesSchema = false
  /// The triggers that write.
  private var triggers: Set<String> = []
  /// Whether statements are being compiled that aren't to be recorded.
  var isPaused = false
  /// Whether every statement is refused.
  var refuses = false
  /// The tables whose rows or columns statements change from now on; nil while they aren't recorded.
  var changedTables: Set<String>?
  /// The tables of the file, not temporary ones, that the statement itself writes, without those that its triggers
  /// write.
  private(set) var directWrites: Set<String> = []
  /// What the statement itself writes, or would write if it could be compiled.
  private var targets: [WriteTarget] = []

  /// The temporary tables and views among them.
  var temporaryWrites: Set<String> { Set(targets.filter(\.isTemporary).map(\.table)) }

  /// Starts observing the connection's statements. The connection must not outlive the authorizer.
  func install(on handle: OpaquePointer) {
    sqlite3_set_authorizer(
      handle,
      { context, action, first, second, database, trigger in
        guard let context else { return SQLITE_OK }
        let authorizer = Unmanaged<StatementAuthorizer>.fromOpaque(context).takeUnretainedValue()
        if authorizer.refuses { return SQLITE_DENY }
        if authorizer.isPaused { return SQLITE_OK }
        if authorizer.isDeclaration(action, first) { return SQLITE_OK }
        authorizer.hear(action, first, second)
        if let trigger, [SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE].contains(action) {
          authorizer.triggers.insert(String(cString: trigger))
        }
        if trigger == nil, let first, let database { authorizer.hearWrite(action, first, second, database) }
        return SQLITE_OK
      },
      Unmanaged.passUnretained(self).toOpaque())
  }

  func reset() {
    reads = Region()
    writes = Region()
    controlsTransaction = false
    isDestructive = false
    changesSchema = false
    triggers = []
    directWrites = []
    targets = []
  }

  /// Returns whether SQLite only declares a table that is nowhere in the file, such as `json_tree` when a connection
  /// first uses it. It reports that as an update of its schema, as if someone had created a table, but not the creation.
  private func isDeclaration(_ action: Int32, _ first: UnsafePointer<CChar>?) -> Bool {
    guard let first else { return false }
    switch action {
    case SQLITE_ALTER_TABLE: changesSchema = true
    case SQLITE_INSERT, SQLITE_DELETE: if Self.isSchema(first) { changesSchema = true }
    case SQLITE_UPDATE: return !changesSchema && Self.isSchema(first)
    default: break
    }
    return false
  }

  private static func isSchema(_ table: UnsafePointer<CChar>) -> Bool {
    strcmp(table, "sqlite_master") == 0 || strcmp(table, "sqlite_temp_master") == 0
  }

  private func hearWrite(
    _ action: Int32, _ first: UnsafePointer<CChar>, _ second: UnsafePointer<CChar>?, _ database: UnsafePointer<CChar>
  ) {
    guard [SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE].contains(action) else { return }
    let table = String(cString: first)
    let isTemporary = strcmp(database, "temp") == 0
    if !isTemporary { directWrites.insert(table) }
    // An update is reported for each of its columns.
    if let last = targets.last, last.table == table, last.isTemporary == isTemporary, last.verb == .update,
      action == SQLITE_UPDATE
    {
      return
    }
    let column = second.map { String(cString: $0) }
    if let target = WriteTarget(action, table, isTemporary: isTemporary, column: column) { targets.append(target) }
  }

  /// Returns what was observed while the statement with this SQL was compiled.
  ///
  /// SQLite doesn't report that an update deletes conflicting rows, if the statement, a trigger or the table says
  /// REPLACE.
  ///
  /// - Parameter definition: The SQL of a trigger or of a table; nil if it is known to replace nothing.
  func facts(of sql: String, definition: (_ type: String, _ name: String) -> String?) -> StatementFacts {
    let updated = writes.tables.filter { $0.value != .all }.map(\.key)
    if !updated.isEmpty {
      let replaces = sql.mayReplace || triggers.contains { definition("trigger", $0)?.mayReplace == true }
      for table in updated where replaces || definition("table", table)?.mayReplace == true {
        writes.insert(table: table)
      }
    }
    return StatementFacts(
      reads: reads, writes: writes, targets: targets, controlsTransaction: controlsTransaction,
      isDestructive: isDestructive, changesSchema: changesSchema)
  }

  /// Returns whether the table is SQLite's schema. SQLite reports `CREATE` as a change of it, which loses nothing.
  private static func isSchemaTable(_ name: String) -> Bool {
    name.hasPrefix("sqlite_")
  }

  private func noteChange(_ action: Int32, _ first: UnsafePointer<CChar>, _ second: UnsafePointer<CChar>?) {
    switch action {
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_DROP_TABLE:
      changedTables?.insert(String(cString: first).asciiLowercased)
    // Its first argument is the database.
    case SQLITE_ALTER_TABLE: if let second { changedTables?.insert(String(cString: second).asciiLowercased) }
    default: break
    }
  }

  private func hear(_ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?) {
    guard let first else { return }
    if changedTables != nil { noteChange(action, first, second) }
    switch action {
    case SQLITE_READ:
      let column = second.map { String(cString: $0) } ?? ""
      // `SELECT count(*)` reads a table but no column: every insert and delete is relevant, and no update.
      if column.isEmpty {
        reads.insert(rowsOf: String(cString: first))
      } else {
        reads.insert(table: String(cString: first), column: column)
      }
    case SQLITE_INSERT:
      writes.insert(table: String(cString: first))
    case SQLITE_DELETE:
      let table = String(cString: first)
      isDestructive = isDestructive || !Self.isSchemaTable(table)
      writes.insert(table: table)
    case SQLITE_DROP_TABLE, SQLITE_DROP_VTABLE, SQLITE_ALTER_TABLE:
      isDestructive = true
    case SQLITE_UPDATE:
      let table = String(cString: first)
      isDestructive = isDestructive || !Self.isSchemaTable(table)
      if let second { writes.insert(table: table, column: String(cString: second)) }
    case SQLITE_TRANSACTION, SQLITE_SAVEPOINT:
      controlsTransaction = true
    default: break
    }
  }
}

extension String {
  /// Whether the SQL may contain `OR REPLACE` or `ON CONFLICT REPLACE`. Other SQL with the word also counts.
  fileprivate var mayReplace: Bool { utf8.count > 1 << 20 || range(of: "REPLACE", options: .caseInsensitive) != nil }
}
