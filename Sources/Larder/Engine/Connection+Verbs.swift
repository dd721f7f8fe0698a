import Foundation
import GRDBSQLite

extension Connection {
  func first<M: Model>(_ query: Query<M>) throws -> M? {
    if !query.inclusions.isEmpty { return try fetch(query.firstOnly).first }
    var writer = environment.makeWriter()
    try query.firstOnly.writeSelect(&writer)
    return try using(writer, ErrorContext(M.self)) { statement in
      try step(statement, ErrorContext(M.self)) ? try decode(M.self, statement) : nil
    }
  }

  /// Returns the value of one SQL expression in the first row.
  func first<M: Model>(_ query: Query<M>, columns: String) throws -> Value {
    var writer = environment.makeWriter()
    try query.firstOnly.writeSelect(&writer, columns)
    return try value(writer, ErrorContext(M.self))
  }

  func count<M: Model>(_ query: Query<M>) throws -> Int {
    try aggregate(query, .rowCount)
  }

  /// Returns a value computed over all rows of the query, after its limit.
  func aggregate<M: Model, Output>(_ query: Query<M>, _ expression: QueryExpression<Output>) throws -> Output {
    var writer = environment.makeWriter()
    if query.limit != nil || query.offset > 0 {
      writer.write("SELECT ")
      try writer.write(expression.node)
      writer.write(" FROM (")
      try query.writeSelect(&writer, M.schema.allColumns(of: query))
      writer.write(") AS \(M.schema.statements.table)")
    } else {
      writer.write("SELECT ")
      var unranked = query
      if query.cursor == nil { unranked.search?.isRanked = false }
      try writer.write(expression.node)
      try unranked.writeSource(&writer)
    }
    let stored = try value(writer, ErrorContext(M.self))
    do {
      return try expression.coding.decode(stored)
    } catch let failure as ValueFailure {
      throw StoreError(
        failure, model: M.schema.modelName, property: expression.node.columnName.flatMap(ErrorContext(M.self).property))
    }
  }

  func rows<M: Model>(_ query: Query<M>) throws -> [Row] {
    var writer = environment.makeWriter()
    try query.writeSelect(&writer)
    return try rows(writer, ErrorContext(M.self))
  }

  func matches<M: Model>(_ query: Query<M>, _ style: SnippetStyle) throws -> [SearchMatch<M>] {
    guard query.search != nil else {
      throw StoreError(
        .unsupported, model: M.schema.modelName, "Only a search has matches; begin the query with \(M.self).search(…).")
    }
    try style.validate(M.schema.modelName)
    var writer = environment.makeWriter()
    var ranked = query.ranked()
    let isPending = environment.pendingText?.sources[M.schema.table] != nil
    if isPending { ranked.search?.style = style }
    try ranked.writeSelect(&writer) { writer in
      let index = Quoting.name(SearchClause.table(of: M.schema.table))
      if isPending {
        writer.write("-\(index).rank, \(index).snippet")
      } else {
        writer.write("-bm25(\(index)), ")
        style.write(&writer, index: index)
      }
      writer.write(", \(M.schema.statements.qualifiedColumns)")
    }
    let context = ErrorContext(M.self)
    return try inOneView {
      var values: [M] = []
      let found = try using(writer, context) { statement in
        var found: [(score: Double, snippet: String)] = []
        while try step(statement, context) {
          values.append(try decode(M.self, statement, at: 2))
          found.append((StoredColumn(statement.pointer, 0).real ?? 0, StoredColumn(statement.pointer, 1).text ?? ""))
        }
        return found
      }
      try load(query.inclusions, into: &values)
      return zip(values, found).map { SearchMatch(value: $0, score: $1.score, snippet: $1.snippet) }
    }
  }

  func updateAll<M: Model>(_ query: Query<M>, _ list: AssignmentList) throws -> Int {
    guard !list.assignments.isEmpty else { return 0 }
    for column in M.schema.columns where column.derivation != nil && list.value(of: column.name) != nil {
      throw StoreError(
        .unsupported, model: M.schema.modelName, property: column.property,
        "\(M.schema.modelName).\(column.property) is derived and cannot be set. Change the rows that it is derived from."
      )
    }
    var writer = environment.makeWriter()
    do {
      try query.update(&writer, list)
    } catch let error as StoreError {
      throw error.naming(M.schema.modelName)
    }
    func update() throws -> Int { try namingSums { try change(writer, rowsOf: query) } }
    do {
      return try update()
    } catch let error as StoreError where error.code == .duplicate {
      return try environment.features.withoutHidden(after: error, self, update)
    } catch let error as StoreError where error.code == .invalidValue && error.property == nil {
      throw naming(error, query, list)
    }
  }

  /// Returns the error with the property whose new value can't be computed or stored, and the key of the first such
  /// row: the one at which a query for the new values alone fails.
  private func naming<M: Model>(_ error: StoreError, _ query: Query<M>, _ list: AssignmentList) -> StoreError {
    for assignment in list.assignments {
      // Without the values, the same query returns the same rows in the same order.
      guard case .failed(let count) = keys(query, assignment, isComputed: true, limit: .max),
        case .found(let key) = keys(query, assignment, isComputed: false, limit: count)
      else { continue }
      let property = ErrorContext(M.self).property(assignment.column) ?? assignment.column
      return StoreError(
        .invalidValue, model: M.schema.modelName, property: property, key: key,
        "\(M.schema.modelName).\(property): \(error.message)")
    }
    return error
  }

  private enum KeySearch {
    /// A row failed after this number of rows.
    case failed(after: Int)
    case found([Value])
    case ended
  }

  /// Returns the key after `limit` rows that an update changes, if computing its new value doesn't fail before.
  private func keys<M: Model>(
    _ query: Query<M>, _ assignment: (column: String, node: SQLNode), isComputed: Bool, limit: Int
  ) -> KeySearch {
    var writer = environment.makeWriter()
    var count = 0
    do {
      try query.selectKeys(&writer, with: assignment, isComputed: isComputed)
      return try using(writer, ErrorContext(M.self)) { statement in
        while try step(statement, ErrorContext(M.self)) {
          if count == limit {
            return .found((0..<Int32(M.schema.keyColumns.count)).map { StoredColumn(statement.pointer, $0).value })
          }
          count += 1
        }
        return .ended
      }
    } catch let error as StoreError where error.code == .invalidValue {
      return .failed(after: count)
    } catch {
      return .ended
    }
  }

  func deleteAll<M: Model>(_ query: Query<M>) throws -> Int {
    var writer = environment.makeWriter()
    try query.delete(&writer)
    do {
      return try deleting(M.self) {
        try change(writer, rowsOf: query, countsBefore: environment.deletions.cascadesToItself.contains(M.schema.table))
      }
    } catch {
      throw referringRows(to: M.self, error)
    }
  }

  /// Executes a statement that changes the rows of the query, and returns their number.
  ///
  /// Two kinds are counted first, because SQLite counts neither: the rows of a context, and rows that delete rules may
  /// delete while others of the query are being deleted.
  private func change<M: Model>(_ writer: SQLWriter, rowsOf query: Query<M>, countsBefore: Bool = false) throws -> Int {
    guard overlay != nil || countsBefore else { return try change(writer, ErrorContext(M.self)) }
    let count = try count(query)
    _ = try change(writer, ErrorContext(M.self))
    return count
  }
}

extension Query {
  /// The query limited to its first row. Without a sort, it has no order.
  fileprivate var firstOnly: Query {
    var query = self
    query.limit = min(limit ?? 1, 1)
    query.isOrderFree = sorts.isEmpty && cursor == nil && limit == nil
    return query
  }
}

extension ModelSchema {
  func allColumns(of query: Query<Root>) -> String {
    query.isRanked ? statements.qualifiedColumns : statements.columns
  }
}
