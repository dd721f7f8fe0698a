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

extension Connection {
  /// Returns whether the file makes sure of the storage classes of the statement's columns, which are those of the model.
  func strictness<M: Model>(of statement: PreparedStatement, _ model: M.Type) -> StatementStrictness {
    // Contexts read from views.
    guard overlay == nil else { return .unknown }
    return statement.strictness {
      // What is read here is nothing that a live result depends on.
      let tracked = tracked
      self.tracked = nil
      defer { self.tracked = tracked }
      return (try? knownTables().isStrict(model, self) && !isHidden(M.schema.table)) ?? false
    }
  }

  /// Returns whether a temporary table or view of the program's own stands for the table in the file.
  private func isHidden(_ table: String) throws -> Bool {
    let others = try query(
      "SELECT sql FROM temp.sqlite_master WHERE type IN ('table', 'view') AND lower(name) = lower(?1)", [.text(table)])
    return others.contains { $0["sql"]?.text?.contains(" AS \(ReservedNames.viewMark) ") != true }
  }
}
