import GRDBSQLite

extension Connection {
  /// Throws ``StoreError`` `.unsupported` if SQL by hand computes with decimals as SQLite does, with binary
  /// fractions, or compares computed decimals as text.
  ///
  /// - Parameter isTyped: Whether the SQL is part of a typed query, which sorts and groups in an order of its own.
  func checkDecimals(of statement: PreparedStatement, _ sql: String, isTyped: Bool = false) throws {
    guard !statement.isDecimalSafe else { return }
    let mayCompute = environment.tables.contains { table in
      guard let columns = statement.facts.reads.tables[table.name] else { return false }
      return table.columns.contains { $0.type.order == .decimal && columns.overlaps(.named([$0.name])) }
    }
    guard mayCompute, sqlite3_stmt_isexplain(statement.pointer) == 0 else {
      statement.isDecimalSafe = true
      return
    }
    var arithmetic = DecimalArithmetic(checksSorts: !isTyped) { [self] page, database in
      try decimals(at: page, database)
    }
    guard let finding = try arithmetic.finding(in: try program(of: sql)) else {
      statement.isDecimalSafe = true
      return
    }
    let column = finding.column
    if finding.fault == .order, !finding.origin.isCollated {
      throw StoreError(
        .unsupported,
        "\(finding.operation) in SQL would compare \(column), a Decimal, as text, because its column doesn't have the order of decimals. Interpolate the column, \\(Model.columns.\(column)), or write \(column) collate larder_decimal."
      )
    }
    if finding.fault == .order {
      throw StoreError(
        .unsupported,
        "\(finding.operation) in SQL would compare what is computed from \(column), a Decimal, as text or with numbers that aren't text. Add the order of decimals, and compare with a Decimal: max(\(column)) collate larder_decimal > \\(Decimal(50)), coalesce(\(column), '0') collate larder_decimal."
      )
    }
    throw StoreError(
      .unsupported,
      "\(finding.operation) in SQL would compute \(finding.column), a Decimal, with binary fractions. \(Self.remedy(for: finding)); or cast(\(finding.column) as real), if fractions may be inexact."
    )
  }

  /// Returns the instructions of a statement.
  private func program(of sql: String) throws -> [DecimalArithmetic.Instruction] {
    let statement = try compile("EXPLAIN \(sql)", isPersistent: false)
    return try using(statement, [], nil) { statement in
      var program: [DecimalArithmetic.Instruction] = []
      while try step(statement, nil) {
        // Address, operation, three operands, a fourth of any type, flags: https://www.sqlite.org/lang_explain.html. For
        // a constant of bytes, the fourth is a text that isn't UTF-8.
        func column(_ position: Int32) -> StoredColumn { StoredColumn(statement.pointer, position) }
        func number(_ position: Int32) -> Int { Int(column(position).integer ?? 0) }
        program.append(
          DecimalArithmetic.Instruction(
            operation: column(1).text ?? "", first: number(2), second: number(3), third: number(4),
            detail: column(5).text ?? "", flags: number(6)))
      }
      return program
    }
  }

  private static func remedy(for finding: DecimalArithmetic.Finding) -> String {
    switch finding.operation {
    case "sum", "total": "Use larder_decimal_sum(\(finding.column))"
    case "avg": "Use larder_decimal_average(\(finding.column))"
    default: "Interpolate an expression of columns, such as \\(Model.columns.\(finding.column) * 2)"
    }
  }

  /// Returns the decimals that a table or index stores as text, by the places of their columns.
  private func decimals(at rootPage: Int, _ database: Int) throws -> [Int: DecimalArithmetic.Origin] {
    let schema = database == 1 ? "temp" : "main"
    let place = try query(
      "SELECT type, name, tbl_name FROM \(schema).sqlite_master WHERE rootpage = ?1", [.integer(Int64(rootPage))]
    ).first
    guard let place, let name = place["name"]?.text, let table = place["tbl_name"]?.text else { return [:] }
    let definition = environment.tables.first { $0.name.isSameColumn(as: table) }
    let columns =
      place["type"] == "index"
      ? try query("PRAGMA \(schema).index_xinfo(\(Quoting.name(name)))").map { $0["name"]?.text }
      // Virtual generated columns aren't stored.
      : try query("PRAGMA \(schema).table_xinfo(\(Quoting.name(name)))").filter { $0["hidden"] != 2 }
        .map { $0["name"]?.text }
    let decimals = columns.enumerated().compactMap { place, column -> (Int, DecimalArithmetic.Origin)? in
      guard let column, let facts = declaration(of: column, in: table, of: schema) else { return nil }
      let isCollated = facts.collation == Collation.decimal.rawValue
      let isDecimal = isCollated || definition?.column(column)?.type.order == .decimal
      guard isDecimal, Self.isText(facts.type) else { return nil }
      return (place, DecimalArithmetic.Origin(column: column, isCollated: isCollated))
    }
    return Dictionary(uniqueKeysWithValues: decimals)
  }

  /// Whether SQLite keeps the values of a column with this declared type as text: https://www.sqlite.org/datatype3.html.
  private static func isText(_ type: String) -> Bool {
    let type = type.uppercased()
    return !type.contains("INT") && ["CHAR", "CLOB", "TEXT"].contains { type.contains($0) }
  }

  /// Returns the declared type and collation of a column.
  private func declaration(
    of column: String, in table: String, of schema: String
  ) -> (type: String, collation: String)? {
    var (type, collation): (UnsafePointer<CChar>?, UnsafePointer<CChar>?)
    let result = sqlite3_table_column_metadata(handle, schema, table, column, &type, &collation, nil, nil, nil)
    guard result == SQLITE_OK, let type, let collation else { return nil }
    return (String(cString: type), String(cString: collation))
  }
}
