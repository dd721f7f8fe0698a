/// The form in which Larder writes values that aren't JSON. Conditions compare what is stored, so they don't find a value
/// that SQL or another program wrote in another form, though it reads as the same: 7 as `true`.
enum ValueForm {
  /// Returns whether conditions tell a stored value from what Larder writes for it.
  static func differs(_ stored: Value, _ written: Value, _ column: TableDefinition.Column) -> Bool {
    // JSON has a check of its own, and what has an order of its own is compared by it in the file, too.
    !column.type.isJSON && column.type.order == .stored && stored != written
  }

  /// Whether the file alone says what Larder writes for a value of the column.
  static func isKnown(_ column: TableDefinition.Column) -> Bool { column.type.numberForm != nil }

  /// Writes the values for which that is known. Rows whose values are equal and must be unique stay as they are.
  static func write(_ table: TableDefinition, on connection: Connection) throws {
    for column in table.columns {
      guard let form = column.type.numberForm else { continue }
      let name = Quoting.name(column.name)
      ScalarFunction(function, 1) { values in (try? written(values[0], form)) ?? values[0] }
        .register(on: connection.handle)
      try connection.execute(
        "UPDATE OR IGNORE main.\(Quoting.name(table.name)) SET \(name) = \(function)(\(name)) WHERE \(name) IS NOT \(function)(\(name))"
      )
    }
  }

  private static let function = "larder_written_number"

  private static func written(_ value: Value, _ form: ColumnType.NumberForm) throws -> Value {
    switch form {
    case .boolean: try Bool(storedValue: value).storedValue()
    case .single: try Float(storedValue: value).storedValue()
    }
  }
}
