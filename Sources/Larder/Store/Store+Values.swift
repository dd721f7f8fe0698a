extension Store {
  /// Returns the selected values, groups or joined rows of the query, in its order.
  ///
  /// ```swift
  /// for (name, stops) in try await store.fetch(Trip.select { ($0.name, $0.stops.count) }) { print(name, stops) }
  /// ```
  ///
  /// - Parameter query: A query with `select`, `grouped` or `join`.
  /// - Returns: One result for each row or group: a tuple, or what `map` makes of it.
  /// - Throws: ``StoreError`` `.invalidValue` if a value doesn't fit its type or a sum of integers overflows, what the
  ///   closure of `map` throws, and the errors of any read.
  public func fetch<Q: ValueQuery>(_ query: Q) async throws -> [Q.Result] where Q.Result: Sendable {
    let statement = query._statement
    return try await reading { try $0.fetch(statement) }
  }

  /// Returns the first result of the query.
  ///
  /// - Parameter query: A query with `select`, `grouped` or `join`.
  /// - Returns: The result, or nil if there is none.
  /// - Throws: The errors of ``fetch(_:)-(Q)``.
  public func first<Q: ValueQuery>(_ query: Q) async throws -> Q.Result? where Q.Result: Sendable {
    let statement = query._statement
    return try await reading { try $0.first(statement) }
  }

  /// Returns the number of results of the query, without reading them.
  ///
  /// - Parameter query: A query with `select`, `grouped` or `join`. Its limit counts as well.
  /// - Returns: The number of results.
  /// - Throws: The errors of any read.
  public func count<Q: ValueQuery>(_ query: Q) async throws -> Int {
    let statement = query._statement
    return try await reading { try $0.count(statement) }
  }

  /// Returns the results of the query as the database computes them.
  ///
  /// - Parameter query: A query with `select`, `grouped` or `join`.
  /// - Returns: One ``Row`` for each result.
  /// - Throws: The errors of any read.
  public func rows<Q: ValueQuery>(_ query: Q) async throws -> [Row] {
    let statement = query._statement
    return try await reading { try $0.rows(statement) }
  }
}
