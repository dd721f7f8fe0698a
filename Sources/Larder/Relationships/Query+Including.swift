/// A relationship in a query: a ``ToOneColumn`` or a ``ToManyColumn``.
public protocol RelationshipColumn<Root, Target>: Sendable {
  associatedtype Root: Model
  associatedtype Target: Model

  /// Returns what loads the rows of the relationship. Not for use outside of Larder.
  func _inclusion(of rows: Query<Target>) -> Inclusion<Root>
  /// Saves the rows of the relationship in a value, and returns them. Not for use outside of Larder.
  func _saveRelated(of value: Root, _ access: WriteAccess) throws -> [Target]
  /// Makes stored rows belong to the value. Not for use outside of Larder.
  func _relate(_ rows: [Target], to value: Root, _ access: WriteAccess) throws
}

extension Query {
  /// Returns the query with the rows of a relationship loaded into ``ToMany/loaded`` or ``ToOne/loaded``.
  ///
  /// ```swift
  /// let accounts = try await store.fetch(Account.all.including(\.costs))
  /// for account in accounts { print(account.name, account.costs.count) }
  /// ```
  ///
  /// - Parameter path: The relationship.
  /// - Returns: A new query; this one doesn't change.
  /// - Complexity: One more statement for each relationship, two for many-to-many, regardless of the number of rows.
  ///   All statements see the same commit.
  public func including<Related: RelationshipColumn>(_ path: KeyPath<M.Columns, Related>) -> Query
  where Related.Root == M {
    including(path) { $0 }
  }

  /// Returns the query with the rows of two relationships loaded: `including(\.costs, \.owner)`.
  ///
  /// - Parameters:
  ///   - first: A relationship.
  ///   - second: Another relationship of the same model.
  /// - Returns: A new query; this one doesn't change.
  public func including<First: RelationshipColumn, Second: RelationshipColumn>(
    _ first: KeyPath<M.Columns, First>, _ second: KeyPath<M.Columns, Second>
  ) -> Query where First.Root == M, Second.Root == M {
    including(first).including(second)
  }

  /// Returns the query with the rows of three relationships loaded: `including(\.costs, \.owner, \.tags)`.
  ///
  /// - Parameters:
  ///   - first: A relationship.
  ///   - second: Another relationship of the same model.
  ///   - third: A third one.
  /// - Returns: A new query; this one doesn't change.
  public func including<First: RelationshipColumn, Second: RelationshipColumn, Third: RelationshipColumn>(
    _ first: KeyPath<M.Columns, First>, _ second: KeyPath<M.Columns, Second>, _ third: KeyPath<M.Columns, Third>
  ) -> Query where First.Root == M, Second.Root == M, Third.Root == M {
    including(first).including(second).including(third)
  }

  /// Returns the query with the rows of a relationship, and of a relationship of those, loaded:
  /// `including(\.costs, then: \.category)`.
  ///
  /// - Parameters:
  ///   - path: The relationship.
  ///   - next: The relationship of its rows. For more than one, or rows that a condition selects, see
  ///     ``including(_:_:)-(_,(Query<Related.Target>)->Query<Related.Target>)``.
  /// - Returns: A new query; this one doesn't change.
  public func including<First: RelationshipColumn, Second: RelationshipColumn>(
    _ path: KeyPath<M.Columns, First>, then next: KeyPath<First.Target.Columns, Second>
  ) -> Query where First.Root == M, Second.Root == First.Target {
    including(path) { $0.including(next) }
  }

  /// Returns the query with some of the rows of a relationship loaded, in an order.
  ///
  /// ```swift
  /// Account.all.including(\.costs) { $0.where { $0.amount > 0 }.sorted(by: \.date).including(\.category) }
  /// ```
  ///
  /// - Parameters:
  ///   - path: The relationship.
  ///   - rows: Returns the query for the rows. With a limit, running the query throws ``StoreError`` `.unsupported`,
  ///     because the limit would count the rows of all owners together.
  /// - Returns: A new query; this one doesn't change.
  public func including<Related: RelationshipColumn>(
    _ path: KeyPath<M.Columns, Related>, _ rows: (Query<Related.Target>) -> Query<Related.Target>
  ) -> Query where Related.Root == M {
    var query = self
    let inclusion = M.columns[keyPath: path]._inclusion(of: rows(Query<Related.Target>()))
    if let position = inclusions.firstIndex(where: { $0.path == inclusion.path }) {
      query.inclusions[position] = inclusions[position].merged(with: inclusion)
    } else {
      query.inclusions.append(inclusion)
    }
    return query
  }
}
