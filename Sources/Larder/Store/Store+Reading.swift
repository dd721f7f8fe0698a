extension Store {
  /// The row with the key, or nil.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` where the row holds what the model's properties cannot; `CancellationError`.
  /// - Complexity: One look-up in the index of the key.
  public func find<M: Model>(_ model: M.Type, _ id: M.ID) async throws -> M? {
    try Task.checkCancellation()
    if let readers, case .some(let result) = try readers.withIdleConnection({ try $0.find(model, id) }) { return result }
    return try await reading { try $0.find(model, id) }
  }

  /// The rows of the query, in its order.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` where a row holds what the model's properties cannot, `.unsupported` for a `#Predicate` that SQL
  ///   cannot say; `CancellationError` as soon as the task is cancelled, also while the query runs.
  public func fetch<M: Model>(_ query: Query<M>) async throws -> [M] {
    try await reading { try $0.fetch(query) }
  }

  /// The groups of the query, one tuple each.
  public func fetch<M: Model, Key, each Output: Sendable>(
    _ query: GroupedQuery<M, Key, repeat each Output>
  ) async throws -> [(repeat each Output)] {
    try await reading { try $0.fetch(query) }
  }

  /// The first row of the query, or nil. Without a sort any row of the query may be the first.
  public func first<M: Model>(_ query: Query<M>) async throws -> M? {
    try await reading { try $0.first(query) }
  }

  /// The number of rows of the query. No row is read.
  public func count<M: Model>(_ query: Query<M>) async throws -> Int {
    try await reading { try $0.count(query) }
  }

  /// Whether the query has a row.
  public func exists<M: Model>(_ query: Query<M>) async throws -> Bool {
    try await reading { try $0.first(query, columns: "1") != .null }
  }

  /// The sum over the rows of the query, zero where there is none.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` where a sum of integers leaves the 64-bit range.
  public func sum<M: Model, Output: QueryNumber & AdditiveArithmetic>(
    _ query: Query<M>, of path: KeyPath<M.Columns, Column<M, Output>>
  ) async throws -> Output {
    let sum: QueryExpression<Output> = .sum(M.columns[keyPath: path].expression)
    return try await reading { try $0.aggregate(query, sum) }
  }

  /// The sum of the values that are not nil.
  public func sum<M: Model, Output: QueryNumber & AdditiveArithmetic>(
    _ query: Query<M>, of path: KeyPath<M.Columns, Column<M, Output?>>
  ) async throws -> Output {
    let sum: QueryExpression<Output> = .sum(M.columns[keyPath: path].expression)
    return try await reading { try $0.aggregate(query, sum) }
  }

  /// The sum of small integers, which is an `Int`.
  public func sum<M: Model, Output: QuerySmallInteger>(_ query: Query<M>, of path: KeyPath<M.Columns, Column<M, Output>>) async throws -> Int {
    let sum: QueryExpression<Int> = .sum(M.columns[keyPath: path].expression)
    return try await reading { try $0.aggregate(query, sum) }
  }

  /// The sum of the small integers that are not nil, which is an `Int`.
  public func sum<M: Model, Output: QuerySmallInteger>(_ query: Query<M>, of path: KeyPath<M.Columns, Column<M, Output?>>) async throws -> Int {
    let sum: QueryExpression<Int> = .sum(M.columns[keyPath: path].expression)
    return try await reading { try $0.aggregate(query, sum) }
  }

  /// The mean of the values that are not nil, or nil where there is none.
  public func average<M: Model, Key: QueryExpressible>(_ query: Query<M>, of path: KeyPath<M.Columns, Key>) async throws -> Double?
  where Key.Output: QueryNumber {
    let average: QueryExpression<Double?> = .average(M.columns[keyPath: path].expression)
    return try await reading { try $0.aggregate(query, average) }
  }

  /// The least value, or nil where there is none.
  public func min<M: Model, Output: Sendable>(_ query: Query<M>, of path: KeyPath<M.Columns, Column<M, Output>>) async throws -> Output? {
    let least: QueryExpression<Output?> = .extreme(.min, M.columns[keyPath: path].expression)
    return try await reading { try $0.aggregate(query, least) }
  }

  /// The least of the values that are not nil, or nil where there is none.
  public func min<M: Model, Output: Sendable>(_ query: Query<M>, of path: KeyPath<M.Columns, Column<M, Output?>>) async throws -> Output? {
    let least: QueryExpression<Output??> = .extreme(.min, M.columns[keyPath: path].expression)
    return try await reading { try $0.aggregate(query, least) ?? nil }
  }

  /// The greatest value, or nil where there is none.
  public func max<M: Model, Output: Sendable>(_ query: Query<M>, of path: KeyPath<M.Columns, Column<M, Output>>) async throws -> Output? {
    let greatest: QueryExpression<Output?> = .extreme(.max, M.columns[keyPath: path].expression)
    return try await reading { try $0.aggregate(query, greatest) }
  }

  /// The greatest of the values that are not nil, or nil where there is none.
  public func max<M: Model, Output: Sendable>(_ query: Query<M>, of path: KeyPath<M.Columns, Column<M, Output?>>) async throws -> Output? {
    let greatest: QueryExpression<Output??> = .extreme(.max, M.columns[keyPath: path].expression)
    return try await reading { try $0.aggregate(query, greatest) ?? nil }
  }

  /// The rows of the query as the database holds them: the values by the names of the columns.
  public func rows<M: Model>(_ query: Query<M>) async throws -> [Row] {
    try await reading { try $0.rows(query) }
  }

  /// The matches of a search, each with its score and the text around the words that were found.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` for a pattern that FTS5 cannot read, `.unsupported` for a query without a search.
  public func matches<M: Model>(_ query: Query<M>, style: SnippetStyle = SnippetStyle()) async throws -> [SearchMatch<M>] {
    try await reading { try $0.matches(query, style) }
  }

  /// The rows that an SQL statement returns. Interpolated values are bound, models and columns become their names:
  /// `"select name from \(Account.self) where id = \(id)"`. Statements that write are executed as well; live results hear of what they change.
  ///
  /// - Throws: ``StoreError`` `.unsupported` with SQLite's message for SQL that it cannot read, for more than one statement, and for `BEGIN`,
  ///   `COMMIT` and the like.
  @discardableResult
  public func sql(_ statement: SQL) async throws -> [Row] {
    try await reading { try $0.rows(statement) }
  }

  /// The rows of an SQL query as tuples, column by column: `store.sql("select name, age …", as: (String, Int).self)`.
  public func sql<each Output: StoredValue>(_ statement: SQL, as type: (repeat each Output).Type) async throws -> [(repeat each Output)] {
    try await reading { try $0.tuples(statement) }
  }

  /// The rows of an SQL query as values of any `Decodable`, whose keys are the names of the columns.
  @_disfavoredOverload
  public func sql<Output: Decodable & Sendable>(_ statement: SQL, as type: Output.Type) async throws -> [Output] {
    try await reading { try $0.decoded(statement) }
  }

  /// Calls the closure with one consistent view of the store: all of its reads see the same commit, whatever is written meanwhile.
  public func read<Result: Sendable>(_ body: @escaping @Sendable (Snapshot) throws -> Result) async throws -> Result {
    guard let readers else { return try await writer.perform { try Snapshot.reading($0, body) } }
    return try await readers.perform { try Snapshot.reading($0, body) }
  }
}
