import GRDBSQLite

extension StoreCheck {
  /// A foreign key of a table, with the names of its model.
  private struct Reference {
    var model: String?
    var property: String?
    let target: String
  }

  func checkReferences(of table: String) throws {
    let name = Quoting.name(table)
    let references = try references(of: table)
    let keys = definition(of: table)?.keyColumns.map(\.name) ?? []
    let rowNumber = try TableState.read(table, from: connection, kinds: try kindsOfTables())?.rowNumber
    do {
      try forEachRow("PRAGMA main.foreign_key_check(\(name))") { statement in
        guard keeps(.danglingReference) else { return add(.danglingReference, "") }
        let reference = references[sqlite3_column_int64(statement.pointer, 3)]
        let key =
          try rowNumber.map { try self.key(of: StoredColumn(statement.pointer, 1).value, keys, $0, name) } ?? [:]
        let target = reference?.target ?? StoredColumn(statement.pointer, 2).text ?? "a table"
        let place = [reference?.model ?? table, reference?.property].compactMap { $0 }.joined(separator: ".")
        report.add(.danglingReference, limit: limit) {
          StoreReport.Finding(
            .danglingReference, model: reference?.model, property: reference?.property, table: table, key: key,
            referencedModel: target,
            "A row refers by \(place) to \(target.withArticle) that is not there. Save the \(target) that it means, or change or delete the row."
          )
        }
      }
    } catch let error as StoreError where error.code == .unsupported {
      // The referenced columns have no unique key.
      add(
        .danglingReference, model: definition(of: table)?.model, table: table,
        "The references of \(table) cannot be followed: \(error.message)")
    }
  }

  /// Returns the table's foreign keys by SQLite's numbers for them.
  private func references(of table: String) throws -> [Int64: Reference] {
    let tables = connection.environment.tables
    let definition = definition(of: table)
    let pairs = tables.lazy.flatMap(\.pairs).first { $0.name.isSameColumn(as: table) }
    var references: [Int64: Reference] = [:]
    for row in try connection.query("PRAGMA main.foreign_key_list(\(Quoting.name(table)))") {
      guard let number = row["id"]?.integer, let parent = row["table"]?.text else { continue }
      var reference = Reference(model: definition?.model, target: self.definition(of: parent)?.model ?? parent)
      let column = row["from"]?.text ?? ""
      if let definition { reference.property = definition.reference(of: column)?.property }
      if let pairs {
        let side = column == PairsTable.source ? pairs.source : pairs.target
        (reference.model, reference.property) = (side.model, side.property)
      }
      references[number] = reference
    }
    return references
  }

  /// Returns the key of the row with the row ID; the row ID itself if the table belongs to no model.
  private func key(of number: Value, _ keys: [String], _ rowNumber: String, _ table: String) throws -> [String: Value] {
    guard !number.isNull else { return [:] }
    guard !keys.isEmpty else { return [rowNumber: number] }
    let list = keys.map(Quoting.name).joined(separator: ", ")
    let row = try connection.query("SELECT \(list) FROM main.\(table) WHERE \(rowNumber) = ?1", [number]).first
    return keys.reduce(into: [:]) { $0[$1] = row?[$1] ?? .null }
  }

  // MARK: Derived values

  func checkDerivedValues(of column: DerivedColumn) throws {
    do {
      try forEachRow(column.mismatches(in: .file)) { statement in
        guard keeps(.derivedValue) else { return add(.derivedValue, "") }
        report.add(.derivedValue, limit: limit) {
          StoreReport.Finding(
            .derivedValue, model: column.model, property: column.property, table: column.table,
            key: [column.key: StoredColumn(statement.pointer, 0).value],
            "\(column.model).\(column.property) of a row is not what its rows say. Whoever wrote the file last did not keep it: compute it anew with store.rebuildDerived()."
          )
        }
      }
    } catch let error as StoreError where error.code == .invalidValue || error.code == .unsupported {
      add(
        .derivedValue, model: column.model, property: column.property, table: column.table,
        "\(column.model).\(column.property) cannot be computed anew: \(error.message)")
    }
  }
}

extension String {
  /// The name with "a" or "an" before it.
  fileprivate var withArticle: String {
    (first.map { "AEIOUaeiou".contains($0) } == true ? "an " : "a ") + self
  }
}
