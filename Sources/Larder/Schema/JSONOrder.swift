import Logging

/// Writes the JSON of a table in the canonical order of sets and dictionaries, which earlier versions of Larder didn't
/// keep. SQL compares JSON as text.
struct JSONOrder {
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

  func apply(to connection: Connection, _ log: Logger?) throws {
    let name = Quoting.name(table.name)
    for column in table.columns where column.mayHoldUnorderedJSON {
      let function = ScalarFunction("larder_ordered_json", 1) { values in
        values[0].text.map { .text(Self.ordered($0, column)) } ?? values[0]
      }
      function.register(on: connection.handle)
      let stored = Quoting.name(column.name)
      let differs = "\(stored) IS NOT larder_ordered_json(\(stored))"
      // Rows whose values are equal and must be unique stay as they are.
      try connection.change("UPDATE OR IGNORE \(name) SET \(stored) = larder_ordered_json(\(stored)) WHERE \(differs)")
      if try !connection.query("SELECT 1 FROM \(name) WHERE \(differs) LIMIT 1").isEmpty {
        log?.warning(
          "\(table.model).\(column.property) is unique, and rows of \(table.name) have equal values in another order; change or delete them"
        )
      }
    }
  }

  /// Returns the JSON in the canonical order; unchanged if it can't be read, or anything but the order would change,
  /// such as members that the type doesn't know.
  private static func ordered(_ json: String, _ column: TableDefinition.Column) -> String {
    guard let canonical = try? column.canonical(.text(json)).text, canonical.utf8.count == json.utf8.count,
      canonical.utf8.sorted() == json.utf8.sorted()
    else { return json }
    return canonical
  }
}
