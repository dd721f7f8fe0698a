/// What one connection has found out of the storage classes of models' columns, until the schema changes.
private final class StrictModels {
  var version: Int64 = -1
  var models: [ObjectIdentifier: Bool] = [:]
}

extension Connection {
  /// Returns whether the file makes sure of the storage classes of the statement's columns, which are those of the model.
  func strictness<M: Model>(of statement: PreparedStatement, _ model: M.Type) -> StatementStrictness {
    // Contexts read from views.
    guard overlay == nil else { return .unknown }
    return statement.strictness {
      // What is read here is nothing that a live result depends on, nor what a trace is about.
      let tracked = tracked
      self.tracked = nil
      defer { self.tracked = tracked }
      func areStrict() -> Bool { (try? isStrict(model) && !isHidden(M.schema.table)) ?? false }
      return tracer?.hiding(areStrict) ?? areStrict()
    }
  }

  private func isStrict<M: Model>(_ model: M.Type) throws -> Bool {
    // In a transaction that writes, a rollback to a savepoint may bring back another schema with the same number.
    guard isAutocommitting || isReadOnly else { return try readsStrictly(model) }
    let known = state(StrictModels.self, StrictModels())
    let version = try schemaVersionOfFile
    if known.version != version { (known.version, known.models) = (version, [:]) }
    if let isStrict = known.models[ObjectIdentifier(model)] { return isStrict }
    let isStrict = try readsStrictly(model)
    known.models[ObjectIdentifier(model)] = isStrict
    return isStrict
  }

  /// Returns whether SQLite makes sure that each column of the model holds a value of the storage class from which its
  /// property is read, or NULL.
  private func readsStrictly<M: Model>(_ model: M.Type) throws -> Bool {
    let name = Quoting.name(M.schema.table)
    guard let table = try query("PRAGMA main.table_list(\(name))").first, table["strict"] == 1, table["type"] == "table"
    else { return false }
    let stored = try query("PRAGMA main.table_xinfo(\(name))")
    return M.schema.columns.allSatisfy { column in
      // A date reads its text by another way than its number.
      guard column.type.order != .instant,
        let row = stored.first(where: { $0["name"]?.text?.isSameColumn(as: column.name) == true })
      else { return false }
      return isCertain(row, of: column.type.storageClass)
    }
  }

  /// Returns whether each value in a column of a STRICT table is of the storage class, or NULL.
  ///
  /// SQLite checks neither what it computes nor the default that rows have which were there before the column.
  ///
  /// - Parameter column: The row of `PRAGMA table_xinfo`.
  private func isCertain(_ column: Row, of storageClass: StorageClass) -> Bool {
    guard column["hidden"] == 0, column["type"]?.text?.uppercased() == storageClass.rawValue else { return false }
    guard let defaultValue = column["dflt_value"]?.text else { return true }
    return switch storageClass {
    case .integer: Int64(defaultValue) != nil
    case .real: Double(defaultValue) != nil
    case .text: defaultValue.hasPrefix("'")
    case .blob: defaultValue.lowercased().hasPrefix("x'")
    }
  }

  /// Returns whether a temporary table or view of the program's own stands for the table in the file.
  private func isHidden(_ table: String) throws -> Bool {
    let others = try query(
      "SELECT sql FROM temp.sqlite_master WHERE type IN ('table', 'view') AND lower(name) = lower(?1)", [.text(table)])
    return others.contains { $0["sql"]?.text?.contains(" AS \(ReservedNames.viewMark) ") != true }
  }
}
