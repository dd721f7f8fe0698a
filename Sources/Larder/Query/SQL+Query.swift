// SQL itself is no QueryExpressible: each string literal beside an operator could then be one, and the compiler would try.
extension SQL {
  /// Returns the SQL as a value of a typed query.
  ///
  /// ```swift
  /// Note.select { ($0.title, SQL("length(\($0.title))").as(Int.self)) }
  /// ```
  ///
  /// - Parameter type: The type of the value; an optional if it can be NULL.
  /// - Returns: An expression, for conditions, sorts, groups and selections.
  public func `as`<Output: StoredValue>(_ type: Output.Type) -> QueryExpression<Output> {
    var fragment = fragment
    fragment.order = Output.order
    return QueryExpression(node: .fragment(fragment), coding: .stored)
  }
}

extension Model {
  /// Returns a query for the rows that satisfy a condition in SQL: `Note.where { SQL("\($0.views) % 2 = 0") }`.
  ///
  /// - Parameter condition: Returns the SQL for the model's columns. Beside other conditions, write
  ///   `SQL("…").as(Bool.self)`.
  /// - Returns: A new query; this one doesn't change.
  @_disfavoredOverload
  public static func `where`(_ condition: (Columns) -> SQL) -> Query<Self> { all.where(condition) }
}

extension Query {
  /// Returns a query for the rows of this query that also satisfy a condition in SQL.
  ///
  /// - Parameter condition: Returns the SQL for the model's columns.
  /// - Returns: A new query; this one doesn't change.
  @_disfavoredOverload
  public func `where`(_ condition: (M.Columns) -> SQL) -> Query {
    filtered(by: condition(M.columns).as(Bool.self).node)
  }
}

/// SQL as SQLite executes it.
struct WrittenSQL {
  let text: String
  let arguments: [SQLWriter.Argument]
  /// The names of columns that aren't written as names alone, by what is written.
  let names: [String: String]

  /// - Parameter writer: A writer for the connection.
  /// - Throws: The error of an interpolated value that can't be stored.
  init(_ sql: SQL, _ writer: SQLWriter) throws {
    var writer = writer
    writer.isQualified = true
    var names: [String: String] = [:]
    try writer.write(sql.fragment, &names)
    (text, arguments, self.names) = (writer.sql, writer.arguments, names)
  }
}

extension SQLWriter {
  /// Writes SQL as a value of a typed query.
  mutating func write(_ fragment: SQLFragment) throws {
    hasFragments = true
    var names: [String: String] = [:]
    write("(")
    try write(fragment, &names)
    // A comment would otherwise end after the bracket.
    write("\n)")
  }

  /// - Parameter names: Takes the names of columns that aren't written as names alone.
  fileprivate mutating func write(_ fragment: SQLFragment, _ names: inout [String: String]) throws {
    for part in fragment.parts {
      switch part {
      case .text(let text): write(text)
      case .argument(let value): bindNext(value)
      case .node(.column(let column)):
        let start = sql.utf8.count
        try writeComparable(.column(column))
        let written = String(decoding: sql.utf8.dropFirst(start), as: UTF8.self)
        if !written.hasSuffix("\"") { names[written] = column.name }
      case .node(let node): try writeComparable(node.asValue)
      case .rows(let rows):
        guard let statement = rows.statement as? any WrittenSubquery else { preconditionFailure("not a statement") }
        try within(statement.table) { try statement.write(&$0) }
      }
    }
  }

  /// Writes a value so that any comparison beside it is one of its type.
  ///
  /// The result of a function isn't converted for a comparison with a number, and text is greater than every number to
  /// SQLite. Source: <https://www.sqlite.org/datatype3.html#type_conversions_prior_to_comparison>.
  private mutating func writeComparable(_ node: SQLNode) throws {
    guard node.order == .decimal, !node.isConstant, !isOwnColumn(node) else {
      return try writeOrdered(node, node.order)
    }
    write("CAST(")
    try write(node)
    write(" AS TEXT) COLLATE \(Collation.decimal.rawValue)")
  }

  /// Whether the node is a column in the form that Larder gave it, which has an affinity, and whose index can be used.
  private func isOwnColumn(_ node: SQLNode) -> Bool {
    guard case .column(let column) = node else { return false }
    return adopted.column(column.name, of: column.table) == nil
  }
}
