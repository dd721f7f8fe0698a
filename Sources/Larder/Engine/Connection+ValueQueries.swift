import GRDBSQLite

extension Connection {
  func fetch<Result>(_ query: ValueStatement<Result>) throws -> [Result] {
    try using(query) { statement, context in
      var results: [Result] = []
      var cursor = RowCursor(
        statement.pointer, query.areColumns ? strictness(of: statement, query.model) : .unknown)
      try decoding(query, statement) { try query.decoding.all(&cursor, &$0, &results) }
      return results
    }
  }

  func first<Result>(_ query: ValueStatement<Result>) throws -> Result? {
    try using(query) { statement, context in
      try step(statement, context) ? try decode(query, statement) : nil
    }
  }

  func count<Result>(_ query: ValueStatement<Result>) throws -> Int {
    var writer = environment.makeWriter()
    writer.write("SELECT count(*) FROM (")
    try query.write(&writer)
    writer.write(")")
    return Int(try value(writer, ErrorContext(query.model)).integer ?? 0)
  }

  func rows<Result>(_ query: ValueStatement<Result>) throws -> [Row] {
    try using(query) { try rows($0, $1) }
  }

  private func using<Output, Result>(
    _ query: ValueStatement<Result>, _ body: (PreparedStatement, ErrorContext) throws -> Output
  ) throws -> Output {
    var writer = environment.makeWriter()
    try query.write(&writer)
    let context = ErrorContext(query.model)
    return try using(writer, context) { try body($0, context) }
  }

  /// Returns what the query makes of the statement's current row.
  func decode<Result>(_ query: ValueStatement<Result>, _ statement: PreparedStatement) throws -> Result {
    try decoding(query, statement) { try query.decoding.one(&$0) }
  }

  /// Calls the closure with the values of the statement's row, and names the property of a value that doesn't fit.
  private func decoding<Result, Output>(
    _ query: ValueStatement<Result>, _ statement: PreparedStatement, _ body: (inout SelectedValues) throws -> Output
  ) throws -> Output {
    var row = SelectedValues(statement.pointer, self)
    do {
      return try body(&row)
    } catch let failure as ValueFailure {
      let position = Int(row.index) - 1
      let context = ErrorContext(query.model)
      let node = query.nodes.indices.contains(position) ? query.nodes[position] : nil
      if StoredColumn(statement.pointer, Int32(position)).isNull,
        case .related(.column(let reference), _, let key) = node
      {
        throw StoreError.unreachableTarget(
          model: context.model, property: context.property(reference.name) ?? reference.name, target: key.table)
      }
      let property = node?.columnName.flatMap(context.property)
      if property == nil, node?.isComputed == true, StoredColumn(statement.pointer, Int32(position)).isNull {
        throw StoreError(
          .invalidValue, model: context.model,
          "value \(position + 1) of the selection is nil, as a division by zero is; give it a default, such as ($0.total / $0.count).or(0)"
        )
      }
      throw StoreError(failure, model: context.model, property: property)
    }
  }
}

extension Connection: ModelRowReader {
  func decode<M: Model>(_ model: M.Type, _ statement: OpaquePointer, at index: Int32) throws -> M {
    try decode(model, statement, at: index, isStrict: false)
  }

  func decode<M: Model>(_ model: M.Type, _ statement: OpaquePointer, at index: Int32, isStrict: Bool) throws -> M {
    var row = RowReader(statement, at: index, isStrict: isStrict)
    do {
      let value = try M(from: &row)
      overlay?.didRead([value])
      return value
    } catch {
      throw Self.naming(error, model, column: Int(row.index - index) - 1)
    }
  }
}
