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

  /// Returns the dangling references of the models' tables and of the pairs that link their rows.
  func danglingRows() -> [DanglingRow] {
    var named: Set<String> = []
    let pairs = environment.tables.flatMap(\.pairs).filter { named.insert($0.name).inserted }
    return danglingReferences() + pairs.flatMap(danglingPairs)
  }

  private func danglingReferences() -> [DanglingRow] {
    environment.tables.filter { !$0.references.isEmpty }.flatMap { table -> [DanglingRow] in
      let name = Quoting.name(table.name)
      let rows = (try? query("PRAGMA main.foreign_key_check(\(name))")) ?? []
      guard !rows.isEmpty else { return [] }
      let list = (try? query("PRAGMA main.foreign_key_list(\(name))")) ?? []
      return rows.compactMap { row in
        guard let column = list.first(where: { $0["id"] == row["fkid"] })?["from"]?.text,
          let reference = table.reference(of: column)
        else { return nil }
        return DanglingRow(
          model: table.model, property: reference.property, target: reference.model, row: row["rowid"] ?? .null)
      }
    }
  }

  private func danglingPairs(of table: PairsTable) -> [DanglingRow] {
    let name = Quoting.name(table.name)
    let rows = (try? query("PRAGMA main.foreign_key_check(\(name))")) ?? []
    guard !rows.isEmpty else { return [] }
    let list = (try? query("PRAGMA main.foreign_key_list(\(name))")) ?? []
    return rows.compactMap { row in
      guard let column = list.first(where: { $0["id"] == row["fkid"] })?["from"]?.text else { return nil }
      let (owner, missing) =
        column.isSameColumn(as: PairsTable.source) ? (table.target, table.source) : (table.source, table.target)
      return DanglingRow(
        model: owner.model, property: owner.property, target: missing.model, row: row["rowid"] ?? .null)
    }
  }

  /// Returns the error of a commit that was refused, once the transaction is rolled back: the references that still
  /// dangle are not to blame, because another program left them behind.
  func missingTarget(_ refusal: CommitRefusal) -> any Error {
    let before = refusal.rows.isEmpty ? [] : Set(danglingRows())
    guard let row = refusal.rows.first(where: { !before.contains($0) }) else { return refusal.error }
    return StoreError.missingTarget(model: row.model, property: row.property, target: row.target)
  }
}

/// A reference to a row that isn't there.
struct DanglingRow: Hashable {
  let model: String
  let property: String
  let target: String
  /// The row that holds it.
  let row: Value
}

/// Thrown if a transaction can't be committed because of dangling references, which may be any of these.
struct CommitRefusal: Error {
  let error: StoreError
  let rows: [DanglingRow]
}

extension StoreError {
  /// The error of a value that is read through a reference to a row that isn't there.
  static func unreachableTarget(model: String, property: String, target: String) -> StoreError {
    StoreError(
      .referenced, model: model, property: property,
      "\(model).\(property) refers to a \(target) that is not there: it has expired, or another program has deleted it. store.check() lists such rows; leave them out with a condition, or give them another reference."
    )
  }

  static func missingTarget(model: String, property: String, target: String) -> StoreError {
    StoreError(
      .referenced, model: model, property: property,
      "\(model).\(property) refers to a \(target) that is not there. Save the \(target) in the same transaction or before, or delete what refers to it first."
    )
  }
}
