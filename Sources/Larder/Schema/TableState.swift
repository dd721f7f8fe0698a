import GRDBSQLite

/// A table as it stands in the file.
struct TableState {
  struct Column {
    let name: String
    let declaredType: String
    let isRequired: Bool
    /// The position in the primary key, from 1 on; 0 outside of it.
    let keyPosition: Int
    let hasDefault: Bool
    let isGenerated: Bool
  }

  let name: String
  var columns: [Column]
  let sql: String

  func column(_ name: String) -> Column? {
    columns.first { $0.name.isSameColumn(as: name) }
  }

  /// The table or view of that name, or nil.
  static func read(_ name: String, from connection: Connection) throws -> TableState? {
    let dialect = Dialect.sqlite
    let master = try connection.query("SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'view') AND lower(name) = lower(?)", [.text(name)])
    guard let table = master.first else { return nil }
    let rows = try connection.query("PRAGMA table_xinfo(\(dialect.quote(name)))")
    let columns = try rows.map { row in
      Column(
        name: try row.get("name"), declaredType: try row.get("type"), isRequired: try row.get("notnull"), keyPosition: try row.get("pk"),
        hasDefault: row["dflt_value"]?.isNull == false, isGenerated: (try row.get("hidden") as Int) > 1)
    }
    return TableState(name: try table.get("name"), columns: columns, sql: table["sql"]?.text ?? "")
  }
}

extension Connection {
  /// The rows of SQL that Larder itself wrote.
  func query(_ sql: String, _ arguments: [Value] = []) throws -> [Row] {
    let statement = try compile(sql, isPersistent: false)
    defer { statement.reset() }
    do {
      try statement.bind(arguments.map { .value($0) })
    } catch let code as ResultCode {
      throw error(code.code, nil)
    }
    return try rows(statement, nil)
  }

  /// Executes a statement of a schema change, which is not worth keeping.
  func change(_ sql: String, _ arguments: [Value] = []) throws {
    _ = try query(sql, arguments)
  }
}
