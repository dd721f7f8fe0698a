import GRDBSQLite

extension StoreCheck {
  /// Finds values that their properties can't hold, and those that conditions don't see as equal to what Larder writes for
  /// the same value.
  ///
  /// What can be read is decided as reading decides it: by the properties' types, or if the program doesn't declare the
  /// model, by what the file says of them.
  func checkValues(of table: TableDefinition) throws {
    let described =
      table.isDescribed
      ? TableDescription(table, among: connection.environment.tables, retired: []).properties : []
    let columns = table.columns
    let list = columns.map { Quoting.name($0.name) }.joined(separator: ", ")
    try forEachRow("SELECT \(list) FROM main.\(Quoting.name(table.name))") { statement in
      for (position, column) in columns.enumerated() {
        let property = described.first { $0.column.isSameColumn(as: column.name) }
        let stored = StoredColumn(statement.pointer, Int32(position))
        guard let finding = finding(stored, column, property, table.model) else { continue }
        report.add(finding.kind, limit: limit) {
          var key: [String: Value] = [:]
          for (position, column) in columns.enumerated() where column.isKey {
            key[column.name] = StoredColumn(statement.pointer, Int32(position)).value
          }
          return StoreReport.Finding(
            finding.kind, model: table.model, property: column.property, table: table.name, key: key, finding.message)
        }
      }
    }
  }

  /// Returns what is wrong with a value; nil if nothing is.
  private func finding(
    _ stored: StoredColumn, _ column: TableDefinition.Column, _ property: TableDescription.Property?, _ model: String
  ) -> (kind: StoreReport.Finding.Kind, message: String)? {
    func unreadable(_ problem: String, _ remedy: String) -> (StoreReport.Finding.Kind, String) {
      (
        .unreadableValue,
        "\(model).\(column.property) of a row \(problem), so reading the row throws. Correct the value with SQL or `larder sql`: \(remedy)."
      )
    }
    do {
      let value = try stored.exactValue
      if value.isNull {
        if column.type.isOptional { return nil }
        throw ValueFailure.unexpected(.null, expected: column.swiftType ?? "a value")
      }
      let written = try property?.stored(value) ?? column.canonical(value)
      guard connection.environment.isManaged, ValueForm.differs(value, written, column) else { return nil }
      let remedy =
        ValueForm.isKnown(column) ? "rebuildDerived() writes it anew" : "Read the row and save it, which writes it anew"
      return (
        .valueForm,
        "\(model).\(column.property) of a row is stored in another form than Larder writes, so conditions don't find it. \(remedy), unless the value must be unique and another row has it: change or delete one of them."
      )
    } catch let failure as ValueFailure {
      return unreadable(failure.problem, failure.remedy)
    } catch let error as StoreError {
      return unreadable("can't be read (\(error.message))", "give it a value of the property's type")
    } catch {
      return unreadable("can't be read as its type", "give it a value of the property's type")
    }
  }
}
