extension Store {
  /// Returns the sum of a computed value over the rows of the query: `sum(Line.all) { $0.price * $0.quantity }`.
  ///
  /// - Parameters:
  ///   - query: The condition of the rows. A limit applies before the sum.
  ///   - isolation: The caller's actor, on which the closure runs.
  ///   - value: Returns the value to add up.
  /// - Returns: The sum, or zero if there are no rows.
  /// - Throws: ``StoreError`` `.invalidValue` if a sum of integers overflows 64 bits, and the errors of any read.
  public func sum<M: Model, Output: QueryNumber & AdditiveArithmetic>(
    _ query: Query<M>, isolation: isolated (any Actor)? = #isolation,
    of value: (M.Columns) -> some QueryExpressible<Output>
  ) async throws -> Output {
    let sum: QueryExpression<Output> = .sum(value(M.columns).expression)
    return try await reading { try $0.aggregate(query, sum) }
  }

  /// Returns the sum of a computed value of a small integer type over the rows of the query, as an `Int`.
  ///
  /// - Parameters:
  ///   - query: The condition of the rows. A limit applies before the sum.
  ///   - isolation: The caller's actor, on which the closure runs.
  ///   - value: Returns the value to add up.
  /// - Returns: The sum, or zero if there are no rows.
  /// - Throws: ``StoreError`` `.invalidValue` if the sum overflows 64 bits, and the errors of any read.
  public func sum<M: Model, Output: QuerySmallInteger>(
    _ query: Query<M>, isolation: isolated (any Actor)? = #isolation,
    of value: (M.Columns) -> some QueryExpressible<Output>
  ) async throws -> Int {
    let sum: QueryExpression<Int> = .sum(value(M.columns).expression)
    return try await reading { try $0.aggregate(query, sum) }
  }

  /// Returns the mean of a computed value over the rows of the query, ignoring nil.
  ///
  /// - Parameters:
  ///   - query: The condition of the rows. A limit applies before the mean.
  ///   - isolation: The caller's actor, on which the closure runs.
  ///   - value: Returns the value to average.
  /// - Returns: The mean, or nil if there are no values.
  /// - Throws: ``StoreError`` with the codes of any read.
  public func average<M: Model, Input: QueryExpressible>(
    _ query: Query<M>, isolation: isolated (any Actor)? = #isolation, of value: (M.Columns) -> Input
  ) async throws -> Double? where Input.Output: QueryNumber {
    let average: QueryExpression<Double?> = .average(value(M.columns).expression)
    return try await reading { try $0.aggregate(query, average) }
  }

  /// Returns the least of a computed value over the rows of the query.
  ///
  /// - Parameters:
  ///   - query: The condition of the rows.
  ///   - isolation: The caller's actor, on which the closure runs.
  ///   - value: Returns the value to compare.
  /// - Returns: The least value, or nil if there are no rows.
  /// - Throws: ``StoreError`` with the codes of any read.
  public func min<M: Model, Output: Sendable>(
    _ query: Query<M>, isolation: isolated (any Actor)? = #isolation, of value: (M.Columns) -> QueryExpression<Output>
  ) async throws -> Output? {
    let least: QueryExpression<Output?> = .extreme(.min, value(M.columns))
    return try await reading { try $0.aggregate(query, least) }
  }

  /// Returns the least of a computed value that may be nil over the rows of the query, ignoring nil.
  ///
  /// - Parameters:
  ///   - query: The condition of the rows.
  ///   - isolation: The caller's actor, on which the closure runs.
  ///   - value: Returns the value to compare.
  /// - Returns: The least value, or nil if every value is nil.
  /// - Throws: ``StoreError`` with the codes of any read.
  public func min<M: Model, Output: Sendable>(
    _ query: Query<M>, isolation: isolated (any Actor)? = #isolation, of value: (M.Columns) -> QueryExpression<Output?>
  ) async throws -> Output? {
    let least: QueryExpression<Output?> = .optionalExtreme(.min, value(M.columns))
    return try await reading { try $0.aggregate(query, least) }
  }

  /// Returns the greatest of a computed value over the rows of the query.
  ///
  /// - Parameters:
  ///   - query: The condition of the rows.
  ///   - isolation: The caller's actor, on which the closure runs.
  ///   - value: Returns the value to compare.
  /// - Returns: The greatest value, or nil if there are no rows.
  /// - Throws: ``StoreError`` with the codes of any read.
  public func max<M: Model, Output: Sendable>(
    _ query: Query<M>, isolation: isolated (any Actor)? = #isolation, of value: (M.Columns) -> QueryExpression<Output>
  ) async throws -> Output? {
    let greatest: QueryExpression<Output?> = .extreme(.max, value(M.columns))
    return try await reading { try $0.aggregate(query, greatest) }
  }

  /// Returns the greatest of a computed value that may be nil over the rows of the query, ignoring nil.
  ///
  /// - Parameters:
  ///   - query: The condition of the rows.
  ///   - isolation: The caller's actor, on which the closure runs.
  ///   - value: Returns the value to compare.
  /// - Returns: The greatest value, or nil if every value is nil.
  /// - Throws: ``StoreError`` with the codes of any read.
  public func max<M: Model, Output: Sendable>(
    _ query: Query<M>, isolation: isolated (any Actor)? = #isolation, of value: (M.Columns) -> QueryExpression<Output?>
  ) async throws -> Output? {
    let greatest: QueryExpression<Output?> = .optionalExtreme(.max, value(M.columns))
    return try await reading { try $0.aggregate(query, greatest) }
  }
}
