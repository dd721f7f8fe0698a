import GRDBSQLite

extension StoreCheck {
  /// Finds JSON that conditions, sorts and groups don't see as equal to what Larder writes for the same value.
  func checkJSON(of table: TableDefinition) throws {
    let keys = table.keyColumns.map(\.name)
    let list = keys.map(Quoting.name).joined(separator: ", ")
    for column in table.columns where column.type.isJSON {
      try forEachRow("SELECT \(list) \(JSONForm(table).others(column, on: connection))") { statement in
        report.add(.jsonForm, limit: limit) {
          var key: [String: Value] = [:]
          for (position, name) in keys.enumerated() {
            key[name] = StoredColumn(statement.pointer, Int32(position)).value
          }
          return StoreReport.Finding(
            .jsonForm, model: table.model, property: column.property, table: table.name, key: key,
            "\(table.model).\(column.property) of a row is JSON in another form than Larder writes, so conditions don't find it. rebuildDerived() writes it anew, unless the value must be unique and another row has it: change or delete one of them."
          )
        }
      }
    }
  }
}
