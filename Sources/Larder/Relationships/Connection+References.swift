import GRDBSQLite

// SQLite says that a foreign key failed, and not which: these find out, once something has failed.

extension Connection {
  /// The error for a row that was refused because it refers to one that is not there; any other error unchanged.
  func missingReference<M: Model>(of value: M?, _ error: any Error) -> any Error {
    guard let value, (error as? StoreError)?.code == .referenced else { return error }
    for reference in M.schema.references {
      guard let stored = try? reference.anyColumn.storedValue(in: value), !stored.isNull else { continue }
      let key = reference.targetKey
      let dialect = Dialect.sqlite
      let sql = "SELECT 1 FROM \(dialect.quote(key.table)) WHERE \(dialect.quote(key.name)) = ?"
      if let rows = try? query(sql, [stored]), rows.isEmpty {
        return StoreError.missingTarget(model: M.schema.modelName, property: reference.property, target: "\(reference.target)")
      }
    }
    return error
  }

  /// The error for rows that could not be deleted because others refer to them.
  func referringRows<M: Model>(to model: M.Type, _ error: any Error) -> any Error {
    guard (error as? StoreError)?.code == .referenced else { return error }
    let referring = environment.tables.flatMap { table in
      table.references.filter { $0.table == M.schema.table && [.deny, .noAction].contains($0.rule) }.map { (table, $0) }
    }
    let names = referring.map { "\($0.0.model).\($0.1.property)" }.joined(separator: " and ")
    guard let (table, reference) = referring.first else { return error }
    return StoreError(
      .referenced, model: M.schema.modelName, property: nil,
      "The \(M.schema.modelName) cannot be deleted while rows refer to it by \(names), whose delete rule is .\(reference.rule.kind.rawValue). Delete those rows of \(table.model) first, or choose another deleteRule."
    )
  }

  /// What refers to nothing in the transaction that is still open, among the tables that it wrote and those that refer to them.
  fileprivate func danglingRow() -> (table: TableDefinition, reference: TableReference)? {
    for table in environment.tables where !table.references.isEmpty {
      let name = Dialect.sqlite.quote(table.name)
      guard let row = try? query("PRAGMA main.foreign_key_check(\(name))").first, let number = row["fkid"]?.integer else { continue }
      let list = (try? query("PRAGMA main.foreign_key_list(\(name))")) ?? []
      guard let column = list.first(where: { $0["id"]?.integer == number })?["from"]?.text else { continue }
      if let reference = table.reference(of: column) { return (table, reference) }
    }
    return nil
  }

  func danglingReference() -> StoreError? {
    danglingRow().map { .missingTarget(model: $0.table.model, property: $0.reference.property, target: $0.reference.model) }
  }
}

extension StoreError {
  fileprivate static func missingTarget(model: String, property: String, target: String) -> StoreError {
    StoreError(
      .referenced, model: model, property: property,
      "\(model).\(property) refers to a \(target) that is not there. Save the \(target) in the same transaction or before, or delete what refers to it first."
    )
  }
}
