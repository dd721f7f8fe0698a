import GRDBSQLite

extension StoreCheck {
  /// Finds values that their properties can't hold. What can be read is decided as reading decides it: by the properties'
  /// types, or if the program doesn't declare the model, by what the file says of them.
  func checkValues(of table: TableDefinition) throws {
    let described =
      table.isDescribed
      ? TableDescription(table, among: connection.environment.tables, retired: []).properties : []
    let columns = table.columns
    let list = columns.map { Quoting.name($0.name) }.joined(separator: ", ")
    try forEachRow("SELECT \(list) FROM main.\(Quoting.name(table.name))") { statement in
      for (position, column) in columns.enumerated() {
        let property = described.first { $0.column.isSameColumn(as: column.name) }
        guard
          let error = Self.error(of: StoredColumn(statement.pointer, Int32(position)), column, property, table.model)
        else { continue }
        report.add(.unreadableValue, limit: limit) {
          var key: [String: Value] = [:]
          for (position, column) in columns.enumerated() where column.isKey {
            key[column.name] = StoredColumn(statement.pointer, Int32(position)).value
          }
          return StoreReport.Finding(
            .unreadableValue, model: table.model, property: column.property, table: table.name, key: key, error)
        }
      }
    }
  }

  /// Returns what reading the value says; nil if it can be read.
  private static func error(
    of stored: StoredColumn, _ column: TableDefinition.Column, _ property: TableDescription.Property?, _ model: String
  ) -> String? {
    func place(_ problem: String, _ remedy: String) -> String {
      "\(model).\(column.property) of a row \(problem), so reading the row throws. Correct the value with SQL or `larder sql`: \(remedy)."
    }
    do {
      let value = try stored.exactValue
      if value.isNull {
        if column.type.isOptional { return nil }
        throw ValueFailure.unexpected(.null, expected: column.swiftType ?? "a value")
      }
      if let property {
        _ = try property.stored(value)
      } else {
        _ = try column.canonical(value)
      }
      return nil
    } catch let failure as ValueFailure {
      return place(failure.problem, failure.remedy)
    } catch let error as StoreError {
      return place("can't be read (\(error.message))", "give it a value of the property's type")
    } catch {
      return place("can't be read as its type", "give it a value of the property's type")
    }
  }
}
