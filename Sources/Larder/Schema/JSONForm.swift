import Logging

/// Writes the JSON of a table in Larder's own form: with sorted members, sets and dictionaries in the canonical order,
/// and without white space. SQL compares JSON as text.
///
/// Earlier versions of Larder didn't keep the order of sets and dictionaries. SQL by hand and other programs may write
/// any form.
struct JSONForm {
  private let table: TableDefinition

  init(_ table: TableDefinition) {
    self.table = table
  }

  /// Returns the step that a table of an earlier version needs. Columns that are new have JSON in the canonical order
  /// alone.
  static func steps(
    for table: TableDefinition, _ opening: [SchemaStep], _ entry: Catalogue.Entry?
  ) -> [SchemaStep] {
    let isNew = opening.contains { if case .createTable(let new) = $0 { new.name == table.name } else { false } }
    let isOlder = table.columns.contains { column in
      guard column.mayHoldUnorderedJSON else { return false }
      return entry.map { $0.column(opening.formerName(of: column.name, in: table)) != nil } ?? true
    }
    return !isNew && isOlder && entry?.json ?? 0 < CanonicalEncoding.version ? [.orderJSON(table)] : []
  }

  /// Writes the JSON of columns that may hold sets or dictionaries.
  func order(on connection: Connection, _ log: Logger?) throws {
    for column in table.columns where column.mayHoldUnorderedJSON {
      guard try write(column, on: connection) else { continue }
      log?.warning(
        "\(table.model).\(column.property) is unique, and rows of \(table.name) have equal values in another order; change or delete them"
      )
    }
  }

  /// Writes the JSON of all columns. Rows whose values are equal and must be unique stay as they are.
  func write(on connection: Connection) throws {
    for column in table.columns where column.type.isJSON { _ = try write(column, on: connection) }
  }

  /// Returns `FROM` and `WHERE` of the rows whose JSON has another form in the column.
  ///
  /// The connection must not be used with the condition of another column before the statement has ended.
  func others(_ column: TableDefinition.Column, on connection: Connection) -> String {
    let function = ScalarFunction(Self.function, 1) { values in
      values[0].text.map { .text(Self.written($0, column)) } ?? values[0]
    }
    function.register(on: connection.handle)
    return "FROM main.\(Quoting.name(table.name)) WHERE \(differs(column))"
  }

  private static let function = "larder_written_json"

  private func differs(_ column: TableDefinition.Column) -> String {
    "\(Quoting.name(column.name)) IS NOT \(Self.function)(\(Quoting.name(column.name)))"
  }

  /// Returns whether there are rows that stay as they are.
  private func write(_ column: TableDefinition.Column, on connection: Connection) throws -> Bool {
    let others = others(column, on: connection)
    let (name, stored) = (Quoting.name(table.name), Quoting.name(column.name))
    try connection.execute(
      "UPDATE OR IGNORE main.\(name) SET \(stored) = \(Self.function)(\(stored)) WHERE \(differs(column))")
    return try !connection.query("SELECT 1 \(others) LIMIT 1").isEmpty
  }

  /// Returns the JSON in Larder's form; unchanged if it can't be read, or if more than the form would change, such as
  /// members that the type doesn't know.
  private static func written(_ json: String, _ column: TableDefinition.Column) -> String {
    guard let written = try? column.canonical(.text(json)).text, written != json,
      let before = JSONText(json), let after = JSONText(written),
      before.tree == after.tree || (column.mayHoldUnorderedJSON && before.bytes.sorted() == after.bytes.sorted())
    else { return json }
    return written
  }
}

/// JSON without white space, and its value.
private struct JSONText {
  let bytes: [UInt8]
  let tree: JSONTree

  /// Nil if the text isn't valid JSON.
  init?(_ text: String) {
    let parts = try? Array(text.utf8).withUnsafeBufferPointer { bytes in
      var scanner = JSONScanner(bytes)
      let range = try scanner.whole()
      return (scanner.minified(range), try JSONTree(range, of: scanner, isExact: false))
    }
    guard let parts else { return nil }
    (bytes, tree) = parts
  }
}
