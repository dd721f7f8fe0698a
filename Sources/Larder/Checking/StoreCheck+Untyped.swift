import GRDBSQLite

/// What no model describes: tables of other programs, and documents.
extension StoreCheck {
  /// Returns the tables of other programs and the collections of documents; reports those that can't be described.
  func untypedTables() throws -> [TableDescription] {
    try shownTables().filter { definition(of: $0) == nil }.compactMap { name in
      do {
        let table = try connection.description(of: name)
        return (table.kind == .table || table.kind == .documents) && !table.properties.isEmpty ? table : nil
      } catch let error as StoreError where Self.concernsTable(error) || Self.isDamage(error) {
        if error.code != .notFound { addUnreadable(name, error) }
        return nil
      }
    }
  }

  /// Returns the tables of the file without those that Larder and SQLite keep for themselves.
  private func shownTables() throws -> [String] {
    let tables = try allTables().filter { !ReservedNames.isOwn($0) }
    do {
      let shown = Set(try connection.tableNames)
      return tables.filter(shown.contains)
    } catch let error as StoreError where Self.concernsTable(error) || Self.isDamage(error) {
      return tables
    }
  }

  /// Returns all tables of the file; reports those whose names can't be read.
  func allTables() throws -> [String] {
    if let tables { return tables }
    var names: [String] = []
    // Where the schema is damaged, the tables before that place are checked.
    defer { tables = names }
    try forEachRow("SELECT name FROM main.sqlite_master WHERE type = 'table' ORDER BY name") { statement in
      if let name = StoredColumn(statement.pointer, 0).text { return names.append(name) }
      add(
        .unreadableValue,
        "The name of a table isn't text in UTF-8, so nothing of it can be read. Rename it with the program that made it."
      )
    }
    return names
  }

  /// Returns whether an error comes from what a table or a row is, so that the others can be checked nevertheless.
  static func concernsTable(_ error: StoreError) -> Bool {
    [.unsupported, .schemaMismatch, .invalidValue, .constraint, .notFound].contains(error.code)
  }

  func addUnreadable(_ table: String, model: String? = nil, _ error: StoreError) {
    add(.unreadableValue, model: model, table: table, "\(table) can't be read: \(error.message)")
  }

  /// Finds what can't be read of a table that no model describes.
  func checkValues(of table: TableDescription) throws {
    do {
      try table.kind == .documents ? checkDocuments(in: table) : checkTexts(of: table)
    } catch let error as StoreError where Self.concernsTable(error) {
      addUnreadable(table.name, model: table.model, error)
    }
  }

  /// The number of columns that are read at a time; SQLite returns at most two thousand.
  private static let columnsAtOnce = 1000

  /// Of what a column may hold, only texts can be no value of Swift's.
  private func checkTexts(of table: TableDescription) throws {
    let keys = table.properties.filter(\.isKey)
    for start in stride(from: 0, to: table.properties.count, by: Self.columnsAtOnce) {
      let end = min(start + Self.columnsAtOnce, table.properties.count)
      try checkTexts(of: table, Array(table.properties[start..<end]), keys)
    }
  }

  private func checkTexts(
    of table: TableDescription, _ properties: [TableDescription.Property], _ keys: [TableDescription.Property]
  ) throws {
    let list = (properties + keys).map { Quoting.name($0.column) }.joined(separator: ", ")
    try forEachRow("SELECT \(list) FROM main.\(Quoting.name(table.name))") { statement in
      func column(_ position: Int) -> StoredColumn { StoredColumn(statement.pointer, Int32(position)) }
      for (position, property) in properties.enumerated() {
        guard column(position).type == SQLITE_TEXT, column(position).text == nil else { continue }
        report.add(.unreadableValue, limit: limit) {
          let failure = ValueFailure.invalidText
          return StoreReport.Finding(
            .unreadableValue, property: property.name, table: table.name,
            key: Dictionary(keys.enumerated().map { ($1.column, column(properties.count + $0).value) }) { first, _ in
              first
            },
            "\(table.name).\(property.name) of a row \(failure.problem), so reading the row throws. Correct the value with SQL or `larder sql`: \(failure.remedy)."
          )
        }
      }
    }
  }

  private func checkDocuments(in table: TableDescription) throws {
    try forEachRow("SELECT key, json FROM main.\(Quoting.name(table.name))") { statement in
      let (key, json) = (StoredColumn(statement.pointer, 0), StoredColumn(statement.pointer, 1))
      // What reading says of it names values, which no finding does.
      let isReadable: ()? = try? key.text.flatMap { key in
        try json.withTextBytes { _ = try DocumentReader.document($0, of: key, in: table.name) }
      }
      guard isReadable == nil else { return }
      report.add(.unreadableValue, limit: limit) {
        StoreReport.Finding(
          .unreadableValue, table: table.name, key: ["key": key.value],
          "A document in \(table.name) is not JSON of an object in UTF-8, so reading it throws. Save it anew, or correct it with SQL or `larder sql`."
        )
      }
    }
  }
}
