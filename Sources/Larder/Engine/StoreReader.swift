/// The synchronous methods that read stored values.
///
/// A ``Snapshot``, a ``Transaction``, a ``Context`` and ``Store/blocking`` conform to it. Write functions that read
/// against this protocol, and they work with all of them:
///
/// ```swift
/// func overdue(in db: some StoreReader) throws -> [Invoice] {
///   try db.fetch(Invoice.where { $0.dueAt < .now && !$0.isPaid })
/// }
/// ```
public protocol StoreReader {
  /// Calls the closure with a connection to read from. The methods of this protocol are built on it; don't call it
  /// yourself.
  ///
  /// - Parameters:
  ///   - isReentrant: Whether the closure runs code of the program, which may read again.
  ///   - body: The closure.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, and the errors of any read.
  func _read<Result>(isReentrant: Bool, _ body: (ReadAccess) throws -> Result) throws -> Result
}

extension StoreReader {
  func _read<Result>(_ body: (ReadAccess) throws -> Result) throws -> Result {
    try _read(isReentrant: false, body)
  }
}

/// The connection that the library's own methods read from.
@_documentation(visibility: internal)
public struct ReadAccess {
  let connection: Connection
}

extension StoreReader {
  /// Returns the row with the key.
  ///
  /// - Parameters:
  ///   - model: The type of the row.
  ///   - id: The row's key.
  /// - Returns: The row, or nil if no row has the key.
  /// - Throws: ``StoreError`` `.invalidValue` if the row holds a value that doesn't fit its property, and the errors of
  ///   any read.
  /// - Complexity: One lookup in the primary key's index.
  public func find<M: Model>(_ model: M.Type, _ id: M.ID) throws -> M? {
    var value: M?
    try _read { try $0.connection.find(model, id, into: &value) }
    return value
  }

  /// Returns the rows of the query, in its order.
  ///
  /// - Parameter query: The condition, order, limit and inclusions of the rows.
  /// - Returns: The rows; an empty array if none meets the condition.
  /// - Throws: ``StoreError`` `.invalidValue` if a row holds a value that doesn't fit its property, `.unsupported` if a
  ///   `#Predicate` can't be translated to SQL, and the errors of any read.
  public func fetch<M: Model>(_ query: Query<M>) throws -> [M] {
    try _read { try $0.connection.fetch(query) }
  }

  /// Returns the first row of the query.
  ///
  /// Without a sort, any row of the query may be the first.
  ///
  /// - Parameter query: The condition and order of the rows.
  /// - Returns: The row, or nil if no row meets the condition.
  /// - Throws: The errors of ``fetch(_:)-(Query<M>)``.
  public func first<M: Model>(_ query: Query<M>) throws -> M? {
    try _read { try $0.connection.first(query) }
  }

  /// Returns the number of rows of the query, without reading them.
  ///
  /// - Parameter query: The condition of the rows. Its limit counts as well.
  /// - Returns: The number of rows.
  /// - Throws: ``StoreError`` `.unsupported` if a `#Predicate` can't be translated to SQL, and the errors of any read.
  public func count<M: Model>(_ query: Query<M>) throws -> Int {
    try _read { try $0.connection.count(query) }
  }

  /// Returns whether the query has at least one row.
  ///
  /// - Parameter query: The condition of the rows.
  /// - Returns: `true` if a row meets the condition.
  /// - Throws: ``StoreError`` `.unsupported` if a `#Predicate` can't be translated to SQL, and the errors of any read.
  public func exists<M: Model>(_ query: Query<M>) throws -> Bool {
    try _read { try $0.connection.first(query, columns: "1") != .null }
  }

  /// Returns the sum of a property over the rows of the query.
  ///
  /// - Parameters:
  ///   - query: The condition of the rows. A limit applies before the sum.
  ///   - path: The property to add up.
  /// - Returns: The sum, or zero if there are no rows.
  /// - Throws: ``StoreError`` `.invalidValue` if a sum of integers overflows 64 bits, and the errors of any read.
  public func sum<M: Model, Output: QueryNumber & AdditiveArithmetic>(
    _ query: Query<M>, of path: KeyPath<M.Columns, some QueryExpressible<Output>>
  ) throws -> Output {
    try _read {
      try $0.connection.aggregate(query, .sum(M.columns[keyPath: path].expression) as QueryExpression<Output>)
    }
  }

  /// Returns the sum of an optional property over the rows of the query, ignoring nil.
  ///
  /// - Parameters:
  ///   - query: The condition of the rows. A limit applies before the sum.
  ///   - path: The property to add up.
  /// - Returns: The sum, or zero if every value is nil.
  /// - Throws: ``StoreError`` `.invalidValue` if a sum of integers overflows 64 bits, and the errors of any read.
  public func sum<M: Model, Output: QueryNumber & AdditiveArithmetic>(
    _ query: Query<M>, of path: KeyPath<M.Columns, some QueryExpressible<Output?>>
  ) throws -> Output {
    try _read {
      try $0.connection.aggregate(query, .sum(M.columns[keyPath: path].expression) as QueryExpression<Output>)
    }
  }

  /// Returns the sum of a property of a small integer type, as an `Int`.
  ///
  /// - Parameters:
  ///   - query: The condition of the rows. A limit applies before the sum.
  ///   - path: The property to add up.
  /// - Returns: The sum, or zero if there are no rows.
  /// - Throws: ``StoreError`` `.invalidValue` if the sum overflows 64 bits, and the errors of any read.
  public func sum<M: Model, Output: QuerySmallInteger>(
    _ query: Query<M>, of path: KeyPath<M.Columns, some QueryExpressible<Output>>
  ) throws -> Int {
    try _read { try $0.connection.aggregate(query, .sum(M.columns[keyPath: path].expression) as QueryExpression<Int>) }
  }

  /// Returns the sum of an optional property of a small integer type, as an `Int`, ignoring nil.
  ///
  /// - Parameters:
  ///   - query: The condition of the rows. A limit applies before the sum.
  ///   - path: The property to add up.
  /// - Returns: The sum, or zero if every value is nil.
  /// - Throws: ``StoreError`` `.invalidValue` if the sum overflows 64 bits, and the errors of any read.
  public func sum<M: Model, Output: QuerySmallInteger>(
    _ query: Query<M>, of path: KeyPath<M.Columns, some QueryExpressible<Output?>>
  ) throws -> Int {
    try _read { try $0.connection.aggregate(query, .sum(M.columns[keyPath: path].expression) as QueryExpression<Int>) }
  }

  /// Returns the mean of a property over the rows of the query, ignoring nil.
  ///
  /// - Parameters:
  ///   - query: The condition of the rows. A limit applies before the mean.
  ///   - path: The property to average.
  /// - Returns: The mean, or nil if there are no values.
  /// - Throws: ``StoreError`` with the codes of any read.
  public func average<M: Model, Key: QueryExpressible>(
    _ query: Query<M>, of path: KeyPath<M.Columns, Key>
  ) throws -> Double?
  where Key.Output: QueryNumber {
    try _read { try $0.connection.aggregate(query, .average(M.columns[keyPath: path].expression)) }
  }

  /// Returns the least value of a property over the rows of the query.
  ///
  /// - Parameters:
  ///   - query: The condition of the rows.
  ///   - path: The property to compare.
  /// - Returns: The least value, or nil if there are no rows.
  /// - Throws: ``StoreError`` `.invalidValue` if the value doesn't fit its property, and the errors of any read.
  public func min<M: Model, Output>(_ query: Query<M>, of path: KeyPath<M.Columns, Column<M, Output>>) throws -> Output?
  {
    try _read {
      try $0.connection.aggregate(
        query, .extreme(.min, M.columns[keyPath: path].expression) as QueryExpression<Output?>)
    }
  }

  /// Returns the least value of an optional property over the rows of the query, ignoring nil.
  ///
  /// - Parameters:
  ///   - query: The condition of the rows.
  ///   - path: The property to compare.
  /// - Returns: The least value, or nil if every value is nil.
  /// - Throws: ``StoreError`` `.invalidValue` if the value doesn't fit its property, and the errors of any read.
  public func min<M: Model, Output>(
    _ query: Query<M>, of path: KeyPath<M.Columns, Column<M, Output?>>
  ) throws -> Output? {
    try _read {
      try $0.connection.aggregate(
        query, .extreme(.min, M.columns[keyPath: path].expression) as QueryExpression<Output??>) ?? nil
    }
  }

  /// Returns the greatest value of a property over the rows of the query.
  ///
  /// - Parameters:
  ///   - query: The condition of the rows.
  ///   - path: The property to compare.
  /// - Returns: The greatest value, or nil if there are no rows.
  /// - Throws: ``StoreError`` `.invalidValue` if the value doesn't fit its property, and the errors of any read.
  public func max<M: Model, Output>(_ query: Query<M>, of path: KeyPath<M.Columns, Column<M, Output>>) throws -> Output?
  {
    try _read {
      try $0.connection.aggregate(
        query, .extreme(.max, M.columns[keyPath: path].expression) as QueryExpression<Output?>)
    }
  }

  /// Returns the greatest value of an optional property over the rows of the query, ignoring nil.
  ///
  /// - Parameters:
  ///   - query: The condition of the rows.
  ///   - path: The property to compare.
  /// - Returns: The greatest value, or nil if every value is nil.
  /// - Throws: ``StoreError`` `.invalidValue` if the value doesn't fit its property, and the errors of any read.
  public func max<M: Model, Output>(
    _ query: Query<M>, of path: KeyPath<M.Columns, Column<M, Output?>>
  ) throws -> Output? {
    try _read {
      try $0.connection.aggregate(
        query, .extreme(.max, M.columns[keyPath: path].expression) as QueryExpression<Output??>) ?? nil
    }
  }

  /// Returns the rows of the query as the database stores them.
  ///
  /// - Parameter query: The condition and order of the rows.
  /// - Returns: One ``Row`` for each row, which maps column names to stored values.
  /// - Throws: ``StoreError`` with the codes of any read.
  public func rows<M: Model>(_ query: Query<M>) throws -> [Row] {
    try _read { try $0.connection.rows(query) }
  }

  /// Calls the closure with each row of the query, keeping one row at a time in memory.
  ///
  /// - Parameters:
  ///   - query: The condition and order of the rows.
  ///   - body: The closure to call with each row. An error that it throws ends the iteration.
  /// - Throws: The errors of ``fetch(_:)-(Query<M>)``, and what `body` throws.
  public func forEach<M: Model>(_ query: Query<M>, _ body: (M) throws -> Void) throws {
    try _read(isReentrant: true) { try $0.connection.forEach(query, body) }
  }

  /// Returns the matches of a full-text search, each with its score and a snippet of the matching text.
  ///
  /// - Parameters:
  ///   - query: A query that begins with a search.
  ///   - style: How the snippet marks the words that were found.
  /// - Returns: One match for each row.
  /// - Throws: ``StoreError`` `.invalidValue` if FTS5 can't parse the search text, `.unsupported` if the query has no
  ///   search, and the errors of any read.
  public func matches<M: Model>(_ query: Query<M>, style: SnippetStyle = SnippetStyle()) throws -> [SearchMatch<M>] {
    try _read { try $0.connection.matches(query, style) }
  }

  /// Calls a closure with each row that a statement returns. The memory it takes doesn't depend on the number of rows.
  ///
  /// - Parameters:
  ///   - statement: The statement, which only reads.
  ///   - body: The closure. It may read; what it throws ends the iteration.
  /// - Throws: ``StoreError`` `.unsupported` for a statement that writes, the errors of ``sql(_:)``, and what `body`
  ///   throws.
  public func forEach(_ statement: SQL, _ body: (Row) throws -> Void) throws {
    try _read(isReentrant: true) { try $0.connection.forEach(statement, body) }
  }

  /// Executes an SQL statement and returns its rows.
  ///
  /// Interpolated values are bound; models and columns become their quoted names:
  /// `"select name from \(Account.self) where id = \(id)"`.
  ///
  /// A ``Transaction`` and ``Store/blocking`` also execute statements that write, and live results update.
  ///
  /// - Parameter statement: One SQL statement.
  /// - Returns: The rows; an empty array for a statement that returns none.
  /// - Throws: ``StoreError`` `.unsupported` with SQLite's message if the SQL is invalid, has more than one statement,
  ///   or controls transactions (`BEGIN`, `COMMIT` ...); `.readOnly` if a statement writes in a ``Snapshot``; and the
  ///   errors of any read or write.
  @discardableResult
  public func sql(_ statement: SQL) throws -> [Row] {
    try _read { try $0.connection.rows(statement) }
  }

  /// Returns the rows of an SQL query as values, models, or tuples of them.
  ///
  /// ```swift
  /// let trips = try await store.sql("select * from \(Trip.self)", as: Trip.self)
  /// let pairs = try await store.sql("select \(Trip.columns), count(*) from …", as: (Trip, Int).self)
  /// ```
  ///
  /// A value is one column. A model is all of its columns: alone, in any order, as in `select *`; in a tuple, one after
  /// the other, as interpolating its `columns` writes them.
  ///
  /// - Parameters:
  ///   - statement: The SQL. Interpolated values are bound.
  ///   - type: The type of a row, such as `String.self`, `Trip.self` or `(Trip, Stop?, Int).self`. An optional model is
  ///     nil where a join found no row.
  /// - Returns: One element for each row.
  /// - Throws: ``StoreError`` `.invalidValue` if the columns aren't those of the type, or one doesn't hold a value of
  ///   its element's type; and the errors of ``sql(_:)``.
  public func sql<each Output: SQLResult>(
    _ statement: SQL, as type: (repeat each Output).Type
  ) throws -> [(repeat each Output)] {
    try _read { try $0.connection.tuples(statement) }
  }

  /// Returns the rows of an SQL query, decoded by the names of their columns.
  ///
  /// - Parameters:
  ///   - statement: The SQL. Interpolated values are bound.
  ///   - type: The type to decode from each row.
  /// - Returns: One value for each row.
  /// - Throws: ``StoreError`` `.invalidValue` if a row can't be decoded, and the errors of ``sql(_:)``.
  @_disfavoredOverload
  public func sql<Output: Decodable>(_ statement: SQL, as type: Output.Type) throws -> [Output] {
    try _read { try $0.connection.decoded(statement) }
  }
}
