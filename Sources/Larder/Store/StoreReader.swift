/// What can be asked of stored values, without waiting: a ``Snapshot``, a ``Transaction``, and ``Store/blocking`` all answer.
///
/// Write functions that read against this protocol, and they work everywhere:
///
/// ```swift
/// func overdue(in db: some StoreReader) throws -> [Invoice] {
///   try db.fetch(Invoice.where { $0.dueAt < .now && !$0.isPaid })
/// }
/// ```
public protocol StoreReader {
  /// Calls the closure with a connection to read from. Not for use outside of Larder: the verbs stand on it.
  ///
  /// - Parameter isReentrant: Whether the closure calls one of the user's, which may read again.
  func _read<Result>(isReentrant: Bool, _ body: (ReadAccess) throws -> Result) throws -> Result
}

extension StoreReader {
  func _read<Result>(_ body: (ReadAccess) throws -> Result) throws -> Result {
    try _read(isReentrant: false, body)
  }
}

/// A connection that the library's own verbs read from.
public struct ReadAccess {
  let connection: Connection
}

extension StoreReader {
  /// The row with the key, or nil.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` where the row holds what the model's properties cannot.
  /// - Complexity: One look-up in the index of the key.
  public func find<M: Model>(_ model: M.Type, _ id: M.ID) throws -> M? {
    try _read { try $0.connection.find(model, id) }
  }

  /// The rows of the query, in its order.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` where a row holds what the model's properties cannot, `.unsupported` for a `#Predicate` that SQL cannot say.
  public func fetch<M: Model>(_ query: Query<M>) throws -> [M] {
    try _read { try $0.connection.fetch(query) }
  }

  /// The groups of the query, one tuple each.
  public func fetch<M: Model, Key, each Output>(_ query: GroupedQuery<M, Key, repeat each Output>) throws -> [(repeat each Output)] {
    try _read { try $0.connection.fetch(query) }
  }

  /// The first row of the query, or nil. Without a sort any row of the query may be the first.
  public func first<M: Model>(_ query: Query<M>) throws -> M? {
    try _read { try $0.connection.first(query) }
  }

  /// The number of rows of the query. No row is read.
  public func count<M: Model>(_ query: Query<M>) throws -> Int {
    try _read { try $0.connection.count(query) }
  }

  /// Whether the query has a row.
  public func exists<M: Model>(_ query: Query<M>) throws -> Bool {
    try _read { try $0.connection.first(query, columns: "1") != .null }
  }

  /// The sum over the rows of the query, zero where there is none.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` where a sum of integers leaves the 64-bit range.
  public func sum<M: Model, Output: QueryNumber & AdditiveArithmetic>(
    _ query: Query<M>, of path: KeyPath<M.Columns, Column<M, Output>>
  ) throws -> Output {
    try _read { try $0.connection.aggregate(query, .sum(M.columns[keyPath: path].expression) as QueryExpression<Output>) }
  }

  /// The sum of the values that are not nil.
  public func sum<M: Model, Output: QueryNumber & AdditiveArithmetic>(
    _ query: Query<M>, of path: KeyPath<M.Columns, Column<M, Output?>>
  ) throws -> Output {
    try _read { try $0.connection.aggregate(query, .sum(M.columns[keyPath: path].expression) as QueryExpression<Output>) }
  }

  /// The sum of small integers, which is an `Int`.
  public func sum<M: Model, Output: QuerySmallInteger>(_ query: Query<M>, of path: KeyPath<M.Columns, Column<M, Output>>) throws -> Int {
    try _read { try $0.connection.aggregate(query, .sum(M.columns[keyPath: path].expression) as QueryExpression<Int>) }
  }

  /// The sum of the small integers that are not nil, which is an `Int`.
  public func sum<M: Model, Output: QuerySmallInteger>(_ query: Query<M>, of path: KeyPath<M.Columns, Column<M, Output?>>) throws -> Int {
    try _read { try $0.connection.aggregate(query, .sum(M.columns[keyPath: path].expression) as QueryExpression<Int>) }
  }

  /// The mean of the values that are not nil, or nil where there is none.
  public func average<M: Model, Key: QueryExpressible>(_ query: Query<M>, of path: KeyPath<M.Columns, Key>) throws -> Double?
  where Key.Output: QueryNumber {
    try _read { try $0.connection.aggregate(query, .average(M.columns[keyPath: path].expression)) }
  }

  /// The least value, or nil where there is none.
  public func min<M: Model, Output>(_ query: Query<M>, of path: KeyPath<M.Columns, Column<M, Output>>) throws -> Output? {
    try _read { try $0.connection.aggregate(query, .extreme(.min, M.columns[keyPath: path].expression) as QueryExpression<Output?>) }
  }

  /// The least of the values that are not nil, or nil where there is none.
  public func min<M: Model, Output>(_ query: Query<M>, of path: KeyPath<M.Columns, Column<M, Output?>>) throws -> Output? {
    try _read { try $0.connection.aggregate(query, .extreme(.min, M.columns[keyPath: path].expression) as QueryExpression<Output??>) ?? nil }
  }

  /// The greatest value, or nil where there is none.
  public func max<M: Model, Output>(_ query: Query<M>, of path: KeyPath<M.Columns, Column<M, Output>>) throws -> Output? {
    try _read { try $0.connection.aggregate(query, .extreme(.max, M.columns[keyPath: path].expression) as QueryExpression<Output?>) }
  }

  /// The greatest of the values that are not nil, or nil where there is none.
  public func max<M: Model, Output>(_ query: Query<M>, of path: KeyPath<M.Columns, Column<M, Output?>>) throws -> Output? {
    try _read { try $0.connection.aggregate(query, .extreme(.max, M.columns[keyPath: path].expression) as QueryExpression<Output??>) ?? nil }
  }

  /// The rows of the query as the database holds them: the values by the names of the columns.
  public func rows<M: Model>(_ query: Query<M>) throws -> [Row] {
    try _read { try $0.connection.rows(query) }
  }

  /// Calls the closure with each row of the query, one after another: memory for one row at a time.
  public func forEach<M: Model>(_ query: Query<M>, _ body: (M) throws -> Void) throws {
    try _read(isReentrant: true) { try $0.connection.forEach(query, body) }
  }

  /// The matches of a search, each with its score and the text around the words that were found.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` for a pattern that FTS5 cannot read, `.unsupported` for a query without a search.
  public func matches<M: Model>(_ query: Query<M>, style: SnippetStyle = SnippetStyle()) throws -> [SearchMatch<M>] {
    try _read { try $0.connection.matches(query, style) }
  }

  /// The rows that an SQL query returns. Interpolated values are bound, models and columns become their names:
  /// `"select name from \(Account.self) where id = \(id)"`.
  ///
  /// Statements that write are executed as well where the reader can write: by a ``Transaction`` and by ``Store/blocking``. Live results hear of
  /// what they change.
  ///
  /// - Throws: ``StoreError`` `.unsupported` with SQLite's message for SQL that it cannot read, for more than one statement, and for `BEGIN`,
  ///   `COMMIT` and the like; `.readOnly` for a statement that writes in a ``Snapshot``.
  @discardableResult
  public func sql(_ statement: SQL) throws -> [Row] {
    try _read { try $0.connection.rows(statement) }
  }

  /// The rows of an SQL query as tuples, column by column: `db.sql("select name, age …", as: (String, Int).self)`.
  public func sql<each Output: StoredValue>(_ statement: SQL, as type: (repeat each Output).Type) throws -> [(repeat each Output)] {
    try _read { try $0.connection.tuples(statement) }
  }

  /// The rows of an SQL query as values of any `Decodable`, whose keys are the names of the columns.
  @_disfavoredOverload
  public func sql<Output: Decodable>(_ statement: SQL, as type: Output.Type) throws -> [Output] {
    try _read { try $0.connection.decoded(statement) }
  }
}
