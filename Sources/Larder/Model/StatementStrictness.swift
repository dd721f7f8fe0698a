import GRDBSQLite

/// When it was found that SQLite makes sure of the storage classes of the columns that a statement returns.
@frozen
@usableFromInline
struct StatementStrictness {
  @usableFromInline static let unknown = StatementStrictness(recompilations: -1)

  /// How often SQLite had recompiled the statement at that time; less than 0 if it was not found.
  private let recompilations: Int32

  init(recompilations: Int32) { self.recompilations = recompilations }

  /// Returns whether that is so now that a statement has made its first step, at which SQLite recompiles it if another
  /// connection has changed the schema.
  func holds(_ statement: OpaquePointer) -> Bool {
    recompilations >= 0 && sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0) == recompilations
  }
}
