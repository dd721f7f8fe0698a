import GRDBSQLite

// SQLite reports that a foreign key failed, but not which one. These find out after the failure.

extension Connection {
  /// Greater than zero if dangling references would prevent the transaction from being committed.
  var unresolvedReferences: Int32 {
    var current: Int32 = 0
    var highest: Int32 = 0
    sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0)
    return current
  }

  /// Whether dangling references would prevent the transaction from being committed.
  var hasUnresolvedReferences: Bool { unresolvedReferences != 0 }

  /// Returns the error for a row that was rejected because it refers to a row that doesn't exist; any other error
  /// unchanged.
  func missingReference<M: Model>(of value: M?, _ error: any Error) -> any Error {
    guard let value, (error as? StoreError)?.code == .referenced else { return error }
    for reference in M.schema.references {
      guard let stored = try? reference.anyColumn.storedValue(in: value), !stored.isNull else { continue }
      let key = reference.targetKey
      let sql = "SELECT 1 FROM \(Quoting.name(key.table)) WHERE \(Quoting.name(key.name)) = ?"
      if let rows = try? query(sql, [stored]), rows.isEmpty {
        return StoreError.missingTarget(
          model: M.schema.modelName, property: reference.property, target: "\(reference.target)")
      }
    }
    return error
  }

  /// Returns the error for rows that couldn't be deleted because others refer to them.
  func referringRows<M: Model>(to model: M.Type, _ error: any Error) -> any Error {
    guard (error as? StoreError)?.code == .referenced else { return error }
    let referring = environment.tables.flatMap { table in
      table.references.filter { $0.table == M.schema.table && [.deny, .noAction].contains($0.rule) }.map { (table, $0) }
    }
    let names = referring.map { "\($0.0.model).\($0.1.property)" }.joined(separator: " and ")
    guard let (table, reference) = referring.first else {
      return unlistedRows(referringTo: M.schema.table, M.schema.modelName) ?? error
    }
    return StoreError(
      .referenced, model: M.schema.modelName, property: nil,
      "The \(M.schema.modelName) cannot be deleted while rows refer to it by \(names), whose delete rule is .\(reference.rule.kind.rawValue). Delete those rows of \(table.model) first, or choose another deleteRule."
    )
  }

  /// Returns the error for rows that are referenced by tables without a model in this store; nil if there are no such
  /// tables.
  private func unlistedRows(referringTo table: String, _ model: String) -> StoreError? {
    let names =
      (try? query("SELECT name FROM main.sqlite_master WHERE type = 'table'").compactMap { $0["name"]?.text }) ?? []
    let columns = names.flatMap { name -> [String] in
      let keys = (try? query("PRAGMA main.foreign_key_list(\(Quoting.name(name)))")) ?? []
      return keys.filter { key in
        key["table"]?.text?.isSameColumn(as: table) == true
          && ["RESTRICT", "NO ACTION"].contains(key["on_delete"]?.text)
      }.map { "\(name).\($0["from"]?.text ?? "")" }
    }
    guard !columns.isEmpty else { return nil }
    return StoreError(
      .referenced, model: model,
      "The \(model) cannot be deleted while rows refer to it by \(columns.joined(separator: " and ")), whose table no model of this store has. Delete those rows first, or open the store with their model."
    )
  }

  /// Returns the dangling reference in the open transaction, among the tables that it wrote and those that refer to
  /// them.
  fileprivate func danglingRow() -> (table: TableDefinition, reference: TableReference)? {
    for table in environment.tables where !table.references.isEmpty {
      let name = Quoting.name(table.name)
      guard let row = try? query("PRAGMA main.foreign_key_check(\(name))").first, let number = row["fkid"]?.integer
      else { continue }
      let list = (try? query("PRAGMA main.foreign_key_list(\(name))")) ?? []
      guard let column = list.first(where: { $0["id"]?.integer == number })?["from"]?.text else { continue }
      if let reference = table.reference(of: column) { return (table, reference) }
    }
    return nil
  }

  func danglingReference() -> StoreError? {
    danglingRow().map {
      .missingTarget(model: $0.table.model, property: $0.reference.property, target: $0.reference.model)
    }
  }
}

extension StoreError {
  static func missingTarget(model: String, property: String, target: String) -> StoreError {
    StoreError(
      .referenced, model: model, property: property,
      "\(model).\(property) refers to a \(target) that is not there. Save the \(target) in the same transaction or before, or delete what refers to it first."
    )
  }
}
