import GRDBSQLite

/// The columns of a statement that the elements of a tuple are read from.
struct SQLResultColumns {
  private let connection: Connection
  private let statement: PreparedStatement
  /// The names of the statement's columns.
  let names: [String]
  /// For the columns of a model that stand in another order: the place of each, and a statement that returns its
  /// parameters.
  private var arranged: (places: [Int32], parameters: PreparedStatement)?

  /// - Parameters:
  ///   - elements: For each element of the tuple the columns of its model; nil for a single value.
  ///   - names: The names of the statement's columns.
  /// - Throws: ``StoreError`` `.invalidValue` if the columns aren't those of the elements.
  init(_ elements: [[String]?], _ names: [String], of statement: PreparedStatement, _ connection: Connection) throws {
    (self.statement, self.connection, self.names) = (statement, connection, names)
    if Self.areInOrder(elements, names) { return }
    guard elements.count == 1, let columns = elements[0] else { throw Self.error(elements, names) }
    let places = try columns.map { column in
      let found = names.indices.filter { names[$0].isSameColumn(as: column) }
      guard found.count == 1 else { throw Self.error(missing: column, isTwice: !found.isEmpty, names) }
      return Int32(found[0])
    }
    let parameters = (1...places.count).map { "?\($0)" }.joined(separator: ", ")
    arranged = (places, try connection.compile("SELECT \(parameters)", isPersistent: false))
  }

  /// Calls the closure with the current row.
  func withRow<Result>(_ body: (inout SQLRow) throws -> Result) throws -> Result {
    guard let (places, parameters) = arranged else {
      var row = SQLRow(values: SelectedValues(statement.pointer, connection))
      do {
        return try body(&row)
      } catch let failure as ValueFailure {
        throw StoreError(failure, model: nil, property: names[Int(row.values.index) - 1])
      }
    }
    for (number, place) in places.enumerated() {
      sqlite3_bind_value(parameters.pointer, Int32(number + 1), sqlite3_column_value(statement.pointer, place))
    }
    defer { sqlite3_reset(parameters.pointer) }
    guard sqlite3_step(parameters.pointer) == SQLITE_ROW else {
      throw StoreError(ResultCode(sqlite3_reset(parameters.pointer)), on: connection.handle, context: nil)
    }
    var row = SQLRow(values: SelectedValues(parameters.pointer, connection))
    return try body(&row)
  }

  /// Whether the columns of each model stand one after the other, as interpolating its `columns` writes them.
  private static func areInOrder(_ elements: [[String]?], _ names: [String]) -> Bool {
    guard elements.reduce(0, { $0 + ($1?.count ?? 1) }) == names.count else { return false }
    var rest = names[...]
    for element in elements {
      let width = element?.count ?? 1
      if let element, !zip(element, rest).allSatisfy({ $0.isSameColumn(as: $1) }) { return false }
      rest = rest.dropFirst(width)
    }
    return true
  }

  private static func error(_ elements: [[String]?], _ names: [String]) -> StoreError {
    guard elements.contains(where: { $0 != nil }) else {
      return StoreError(
        .invalidValue,
        "The SQL returns \(names.count) columns, and the tuple has \(elements.count) elements. Make them equal.")
    }
    let expected = elements.map { $0.map { "[\($0.joined(separator: ", "))]" } ?? "a value" }.joined(separator: ", ")
    return StoreError(
      .invalidValue,
      "The SQL returns \(names.joined(separator: ", ")), and the tuple expects \(expected). Select a model in a tuple with \\(Model.columns), from an alias with \\(Model.columns, of: \"alias\")."
    )
  }

  private static func error(missing column: String, isTwice: Bool, _ names: [String]) -> StoreError {
    StoreError(
      .invalidValue,
      "The SQL returns \(isTwice ? "the column \(column) more than once" : "no column \(column)"); it returns \(names.joined(separator: ", ")). Select a model with \\(Model.columns)."
    )
  }
}
