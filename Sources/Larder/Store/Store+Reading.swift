extension Store {
  /// Returns the row with the key.
  ///
  /// - Parameters:
  ///   - model: The type of the row.
  ///   - id: The row's key.
  /// - Returns: The row, or nil if no row has the key.
  /// - Throws: ``StoreError`` `.invalidValue` if the row holds a value that doesn't fit its property, and the errors of
  ///   any read.
  /// - Complexity: One lookup in the primary key's index.
  public func find<M: Model>(_ model: M.Type, _ id: M.ID) async throws -> M? {
    try Task.checkCancellation()
    var value: M?
    if let readers, try readers.withIdleConnection({ try $0.find(model, id, into: &value) }) != nil { return value }
    return try await reading { try $0.find(model, id) }
  }

  /// Returns the rows of the query, in its order.
  ///
  /// - Parameter query: The condition, order, limit and inclusions of the rows.
  /// - Returns: The rows; an empty array if none meets the condition.
  /// - Throws: ``StoreError`` `.invalidValue` if a row holds a value that doesn't fit its property, `.unsupported` if a
  ///   `#Predicate` can't be translated to SQL, and the errors of any read.
  public func fetch<M: Model>(_ query: Query<M>) async throws -> [M] {
    try await reading(isBrief: query.isBrief) { try $0.fetch(query) }
  }

  /// Returns the first row of the query.
  ///
  /// Without a sort, any row of the query may be the first.
  ///
  /// - Parameter query: The condition and order of the rows.
  /// - Returns: The row, or nil if no row meets the condition.
  /// - Throws: The errors of ``fetch(_:)-(Query<M>)``.
  public func first<M: Model>(_ query: Query<M>) async throws -> M? {
    try await reading(isBrief: query.inclusions.isEmpty) { try $0.first(query) }
  }

  /// Returns the number of rows of the query, without reading them.
  ///
  /// - Parameter query: The condition of the rows. Its limit counts as well.
  /// - Returns: The number of rows.
  /// - Throws: ``StoreError`` `.unsupported` if a `#Predicate` can't be translated to SQL, and the errors of any read.
  public func count<M: Model>(_ query: Query<M>) async throws -> Int {
    try await reading { try $0.count(query) }
  }

  /// Returns whether the query has at least one row.
  ///
  /// - Parameter query: The condition of the rows.
  /// - Returns: `true` if a row meets the condition.
  /// - Throws: ``StoreError`` `.unsupported` if a `#Predicate` can't be translated to SQL, and the errors of any read.
  public func exists<M: Model>(_ query: Query<M>) async throws -> Bool {
    try await reading(isBrief: true) { try $0.first(query, columns: "1") != .null }
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
  ) async throws -> Output {
    let sum: QueryExpression<Output> = .sum(M.columns[keyPath: path].expression)
    return try await reading { try $0.aggregate(query, sum) }
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
  ) async throws -> Output {
    let sum: QueryExpression<Output> = .sum(M.columns[keyPath: path].expression)
    return try await reading { try $0.aggregate(query, sum) }
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
  ) async throws -> Int {
    let sum: QueryExpression<Int> = .sum(M.columns[keyPath: path].expression)
    return try await reading { try $0.aggregate(query, sum) }
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
  ) async throws -> Int {
    let sum: QueryExpression<Int> = .sum(M.columns[keyPath: path].expression)
    return try await reading { try $0.aggregate(query, sum) }
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
  ) async throws -> Double?
  where Key.Output: QueryNumber {
    let average: QueryExpression<Double?> = .average(M.columns[keyPath: path].expression)
    return try await reading { try $0.aggregate(query, average) }
  }

  /// Returns the least value of a property over the rows of the query.
  ///
  /// - Parameters:
  ///   - query: The condition of the rows.
  ///   - path: The property to compare.
  /// - Returns: The least value, or nil if there are no rows.
  /// - Throws: ``StoreError`` `.invalidValue` if the value doesn't fit its property, and the errors of any read.
  public func min<M: Model, Output: Sendable>(
    _ query: Query<M>, of path: KeyPath<M.Columns, Column<M, Output>>
  ) async throws -> Output? {
    let least: QueryExpression<Output?> = .extreme(.min, M.columns[keyPath: path].expression)
    return try await reading { try $0.aggregate(query, least) }
  }

  /// Returns the least value of an optional property over the rows of the query, ignoring nil.
  ///
  /// - Parameters:
  ///   - query: The condition of the rows.
  ///   - path: The property to compare.
  /// - Returns: The least value, or nil if every value is nil.
  /// - Throws: ``StoreError`` `.invalidValue` if the value doesn't fit its property, and the errors of any read.
  public func min<M: Model, Output: Sendable>(
    _ query: Query<M>, of path: KeyPath<M.Columns, Column<M, Output?>>
  ) async throws -> Output? {
    let least: QueryExpression<Output??> = .extreme(.min, M.columns[keyPath: path].expression)
    return try await reading { try $0.aggregate(query, least) ?? nil }
  }

  /// Returns the greatest value of a property over the rows of the query.
  ///
  /// - Parameters:
  ///   - query: The condition of the rows.
  ///   - path: The property to compare.
  /// - Returns: The greatest value, or nil if there are no rows.
  /// - Throws: ``StoreError`` `.invalidValue` if the value doesn't fit its property, and the errors of any read.
  public func max<M: Model, Output: Sendable>(
    _ query: Query<M>, of path: KeyPath<M.Columns, Column<M, Output>>
  ) async throws -> Output? {
    let greatest: QueryExpression<Output?> = .extreme(.max, M.columns[keyPath: path].expression)
    return try await reading { try $0.aggregate(query, greatest) }
  }

  /// Returns the greatest value of an optional property over the rows of the query, ignoring nil.
  ///
  /// - Parameters:
  ///   - query: The condition of the rows.
  ///   - path: The property to compare.
  /// - Returns: The greatest value, or nil if every value is nil.
  /// - Throws: ``StoreError`` `.invalidValue` if the value doesn't fit its property, and the errors of any read.
  public func max<M: Model, Output: Sendable>(
    _ query: Query<M>, of path: KeyPath<M.Columns, Column<M, Output?>>
  ) async throws -> Output? {
    let greatest: QueryExpression<Output??> = .extreme(.max, M.columns[keyPath: path].expression)
    return try await reading { try $0.aggregate(query, greatest) ?? nil }
  }

  /// Returns the rows of the query as the database stores them.
  ///
  /// - Parameter query: The condition and order of the rows.
  /// - Returns: One ``Row`` for each row, which maps column names to stored values.
  /// - Throws: ``StoreError`` with the codes of any read.
  public func rows<M: Model>(_ query: Query<M>) async throws -> [Row] {
    try await reading { try $0.rows(query) }
  }

  /// Returns the matches of a full-text search, each with its score and a snippet of the matching text.
  ///
  /// - Parameters:
  ///   - query: A query that begins with a search.
  ///   - style: How the snippet marks the words that were found.
  /// - Returns: One match for each row.
  /// - Throws: ``StoreError`` `.invalidValue` if FTS5 can't parse the search text, `.unsupported` if the query has no
  ///   search, and the errors of any read.
  public func matches<M: Model>(
    _ query: Query<M>, style: SnippetStyle = SnippetStyle()
  ) async throws -> [SearchMatch<M>] {
    try await reading { try $0.matches(query, style) }
  }

  /// Executes an SQL statement and returns its rows.
  ///
  /// Interpolated values are bound; models and columns become their quoted names:
  /// `"select name from \(Account.self) where id = \(id)"`. Statements that write are executed on the store's writer,
  /// and live results update.
  ///
  /// - Parameter statement: One SQL statement.
  /// - Returns: The rows; an empty array for a statement that returns none.
  /// - Throws: ``StoreError`` `.unsupported` with SQLite's message if the SQL is invalid, has more than one statement,
  ///   or controls transactions (`BEGIN`, `COMMIT` ...), and the errors of any read or write.
  @discardableResult
  public func sql(_ statement: SQL) async throws -> [Row] {
    try await reading { try $0.rows(statement) }
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
  ) async throws -> [(repeat each Output)] {
    try await reading { try $0.tuples(statement) }
  }

  /// Returns the rows of an SQL query, decoded by the names of their columns.
  ///
  /// - Parameters:
  ///   - statement: The SQL. Interpolated values are bound.
  ///   - type: The type to decode from each row.
  /// - Returns: One value for each row.
  /// - Throws: ``StoreError`` `.invalidValue` if a row can't be decoded, and the errors of ``sql(_:)``.
  @_disfavoredOverload
  public func sql<Output: Decodable & Sendable>(_ statement: SQL, as type: Output.Type) async throws -> [Output] {
    try await reading { try $0.decoded(statement) }
  }

  /// Calls the closure with a consistent view of the store: all of its reads see the same commit.
  ///
  /// - Parameter body: The closure, called on a thread of the store. Writes that are committed meanwhile aren't visible
  ///   to it.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, and the errors of any read.
  public func read<Result: Sendable>(_ body: @escaping @Sendable (Snapshot) throws -> Result) async throws -> Result {
    guard let readers else { return try await writer.perform { try Snapshot.reading($0, body) } }
    return try await readers.perform { try Snapshot.reading($0, body) }
  }
}
