import Foundation
import GRDBSQLite

extension Connection {
  /// Returns the row with the key, or nil.
  func find<M: Model>(_ model: M.Type, _ key: M.ID) throws -> M? {
    var value: M?
    try find(model, key, into: &value)
    return value
  }

  /// Reads the row with the key. Not as a result, because each generic function on its way would copy it.
  ///
  /// - Parameter value: Receives the row; remains nil if there is none.
  func find<M: Model>(_ model: M.Type, _ key: M.ID, into value: inout M?) throws {
    let statement = try statement(.find, model)
    statement.isInUse = true
    defer {
      statement.reset()
      statement.isInUse = false
    }
    try statement.bindKey(key, of: model)
    var result = sqlite3_step(statement.pointer)
    if result != SQLITE_ROW, result != SQLITE_DONE { result = stepAgain(statement.pointer, after: result) }
    if result == SQLITE_DONE { return }
    guard result == SQLITE_ROW else { throw error(result, ErrorContext(model)) }
    var row = RowReader(
      statement.pointer, isStrict: strictness(of: statement, model).holds(statement.pointer))
    do {
      try M._decode(&row, into: &value)
      if let overlay, let value { overlay.didRead([value]) }
    } catch {
      throw Self.naming(error, model, column: Int(row.index) - 1)
    }
  }

  /// Returns the rows of the query.
  func fetch<M: Model>(_ query: Query<M>) throws -> [M] {
    if query.inclusions.isEmpty { return try fetchRows(query) }
    return try inOneView {
      var values = try fetchRows(query)
      try load(query.inclusions, into: &values, areAll: query.isUnrestricted)
      return values
    }
  }

  private func fetchRows<M: Model>(_ query: Query<M>) throws -> [M] {
    try withRows(query) { statement in
      var cursor = RowCursor(statement.pointer, strictness(of: statement, M.self))
      var values: [M] = []
      do {
        try M._decodeAll(&cursor, into: &values)
      } catch {
        throw named(error, M.self, column: Int(cursor.failedColumn))
      }
      overlay?.didRead(values)
      return values
    }
  }

  /// Returns the rows of the query in groups: a row belongs to the group whose key its column holds.
  func fetchGroups<M: Model>(_ query: Query<M>, by column: String, _ keys: StoredKeys) throws -> [[M]] {
    guard let index = M.schema.columns.firstIndex(where: { $0.name == column }) else { return [] }
    let mixed = environment.adopted.mixed(column, of: M.schema.table)
    return try withRows(query) { statement in
      var cursor = RowCursor(statement.pointer, strictness(of: statement, M.self))
      var groups = [[M]](repeating: [], count: keys.count)
      do {
        try M._decodeGroups(&cursor, into: &groups) { row in
          let key = StoredColumn(row.statement, Int32(index))
          return mixed.map { keys.position(of: key, canonical: $0.definition.canonical) } ?? keys.position(of: key)
        }
      } catch {
        throw named(error, M.self, column: Int(cursor.failedColumn))
      }
      return groups
    }
  }

  /// Returns the rows with the keys, in their order; nil for each that doesn't exist.
  func rows<M: Model>(of model: M.Type, with keys: ArraySlice<M.ID>, _ inclusions: [Inclusion<M>]) throws -> [M?] {
    guard M.schema.keyColumns.count == 1 else {
      return try inOneView {
        var rows = try keys.map { try find(model, $0) }
        var found = rows.compactMap { $0 }
        try load(inclusions, into: &found)
        var loaded = found.makeIterator()
        for position in rows.indices where rows[position] != nil { rows[position] = loaded.next() }
        return rows
      }
    }
    let key = SQLNode.column(M.schema.keyReference)
    var query = Query<M>().filtered(by: .isIn(key, try keys.map { .value(try M.schema.storedKey($0)) }, key.order))
    query.inclusions = inclusions
    let found = Dictionary(try fetch(query).map { (try RowKey<M>($0.id), $0) }, uniquingKeysWith: { first, _ in first })
    return try keys.map { found[try RowKey($0)] }
  }

  /// Loads the related rows of the values. Without values, nothing is read.
  func load<M: Model>(_ inclusions: [Inclusion<M>], into values: inout [M], areAll: Bool = false) throws {
    guard !values.isEmpty else { return }
    for inclusion in inclusions { try inclusion.load(into: &values, areAll: areAll, self) }
  }

  /// Calls the closure with each row of the query, one after another.
  func forEach<M: Model>(_ query: Query<M>, _ body: (M) throws -> Void) throws {
    if !query.inclusions.isEmpty { return try inOneView { try forEachIncluding(query, body) } }
    try withRows(query) { statement in
      let strictness = strictness(of: statement, M.self)
      guard try step(statement, ErrorContext(M.self)) else { return }
      let isStrict = strictness.holds(statement.pointer)
      repeat {
        try body(try decode(M.self, statement.pointer, at: 0, isStrict: isStrict))
      } while try step(statement, ErrorContext(M.self))
    }
  }

  /// The number of rows that are read together, so that their related rows take few statements.
  static let pageSize = 256

  /// Reads a page of rows at a time, and loads the related rows of the whole page.
  private func forEachIncluding<M: Model>(_ query: Query<M>, _ body: (M) throws -> Void) throws {
    try withRows(query) { statement in
      var page: [M] = []
      var isAtEnd = false
      while !isAtEnd {
        isAtEnd = try !step(statement, ErrorContext(M.self))
        if !isAtEnd { page.append(try decode(M.self, statement)) }
        guard isAtEnd || page.count == Self.pageSize else { continue }
        try load(query.inclusions, into: &page)
        for value in page { try body(value) }
        page.removeAll(keepingCapacity: true)
      }
    }
  }

  /// Decodes the statement's current row.
  func decode<M: Model>(_ model: M.Type, _ statement: PreparedStatement, at index: Int32 = 0) throws -> M {
    try decode(model, statement.pointer, at: index)
  }

  private func withRows<M: Model, Result>(
    _ query: Query<M>, _ body: (PreparedStatement) throws -> Result
  ) throws -> Result {
    if query.isEverything { return try using(try statement(.fetchAll, M.self), [], ErrorContext(M.self), body) }
    var writer = environment.makeWriter()
    try query.writeSelect(&writer)
    return try using(writer, ErrorContext(M.self), body)
  }

  /// Prepares the statement, binds its arguments, and calls the closure with it.
  func using<Result>(
    _ writer: SQLWriter, _ context: ErrorContext?, _ body: (PreparedStatement) throws -> Result
  ) throws -> Result {
    let statement: PreparedStatement
    do {
      statement = try self.statement(writer.sql)
      if writer.hasFragments { try checkDecimals(of: statement, writer.sql, isTyped: true) }
    } catch let error as StoreError {
      throw context.map { error.naming($0.model) } ?? error
    }
    return try using(statement, writer.arguments, context, body)
  }

  /// Binds the arguments and calls the closure. The statement isn't handed out again until the closure returns, and is
  /// then reset, also after an error.
  func using<Result>(
    _ statement: PreparedStatement, _ arguments: [SQLWriter.Argument], _ context: ErrorContext?,
    _ body: (PreparedStatement) throws -> Result
  ) throws -> Result {
    let isBrief = isBrief
    if isBrief, !statement.briefReads.begin() { throw LongRead() }
    statement.isInUse = true
    defer {
      statement.reset()
      statement.isInUse = false
    }
    do {
      try statement.bind(arguments)
      let result = try body(statement)
      if isBrief { statement.briefReads.end() }
      return result
    } catch let code as ResultCode {
      throw error(code.code, context)
    } catch let error as LongRead {
      statement.briefReads.giveUp()
      throw error
    }
  }

  /// Moves to the next row. Returns false after the last one.
  func step(_ statement: PreparedStatement, _ context: ErrorContext?) throws -> Bool {
    var result = sqlite3_step(statement.pointer)
    if result != SQLITE_ROW, result != SQLITE_DONE { result = stepAgain(statement.pointer, after: result) }
    switch result {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw error(result, context)
    }
  }

  /// Returns the single value of a query with one row and one column.
  func value(_ writer: SQLWriter, _ context: ErrorContext?) throws -> Value {
    try using(writer, context) { try step($0, context) ? StoredColumn($0.pointer, 0).value : .null }
  }

  /// Returns the rows of a query by the names of their columns.
  func rows(_ writer: SQLWriter, _ context: ErrorContext?) throws -> [Row] {
    try using(writer, context) { try rows($0, context) }
  }

  /// - Parameter names: The names of columns that the SQL doesn't name, by their SQL.
  func rows(
    _ statement: PreparedStatement, _ context: ErrorContext?, _ names: [String: String] = [:]
  ) throws -> [Row] {
    guard try step(statement, context) else { return [] }
    // The first step recompiles the statement if the schema has changed. Before it, the columns may be those of an
    // older schema.
    let layout = Row.Layout(statement.columnNames.map { names[$0] ?? $0 })
    var rows: [Row] = []
    repeat {
      rows.append(try Row(layout: layout, statement.pointer, model: context?.model))
    } while try step(statement, context)
    return rows
  }

  private func named<M: Model>(_ error: any Error, _ model: M.Type, column: Int) -> any Error {
    if let code = error as? ResultCode { return self.error(code.code, ErrorContext(model)) }
    return Self.naming(error, model, column: column)
  }

  /// Returns the error with the model and the property at fault.
  static func naming<M: Model>(_ error: any Error, _ model: M.Type, column: Int) -> any Error {
    naming(error, model, M.schema.columns, at: column)
  }

  static func naming<M: Model>(
    _ error: any Error, _ model: M.Type, _ columns: [ColumnDefinition<M>], at column: Int
  ) -> any Error {
    guard let failure = error as? ValueFailure else { return error }
    return StoreError(
      failure, model: M.schema.modelName, property: columns.indices.contains(column) ? columns[column].property : nil)
  }
}

extension Query {
  /// Whether the query selects all rows of the table, in any order.
  var isUnrestricted: Bool {
    filter == nil && search == nil && limit == nil && offset == 0 && cursor == nil
  }

  /// Whether the query has few rows, and none of other tables.
  var isBrief: Bool {
    inclusions.isEmpty && limit.map { $0 <= Connection.pageSize } ?? false
  }

  /// Whether the query has neither condition nor order nor limit.
  var isEverything: Bool {
    filter == nil && search == nil && sorts.isEmpty && limit == nil && offset == 0 && cursor == nil && failure == nil
  }
}
