/// A relationship in a query: a ``ToOneColumn`` or a ``ToManyColumn``.
public protocol RelationshipColumn<Root, Target>: Sendable {
  associatedtype Root: Model
  associatedtype Target: Model

  /// Returns what loads the rows of the relationship. Not for use outside of Larder.
  func _inclusion(of rows: Query<Target>) -> Inclusion<Root>
  /// Saves the rows of the relationship in a value, and returns them. Not for use outside of Larder.
  func _saveRelated(of value: Root, _ access: WriteAccess) throws -> [Target]
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
  /// - Complexity: One more statement for each relationship, two for many-to-many, regardless of the number of rows. All statements see the same
  ///   commit.
  public func including<Related: RelationshipColumn>(_ path: KeyPath<M.Columns, Related>) -> Query where Related.Root == M {
    including(path) { $0 }
  }

  /// Returns the query with the rows of a relationship, and of a relationship of those, loaded: `including(\.costs, \.category)`.
  ///
  /// - Parameters:
  ///   - first: The relationship.
  ///   - second: The relationship of its rows.
  public func including<First: RelationshipColumn, Second: RelationshipColumn>(
    _ first: KeyPath<M.Columns, First>, _ second: KeyPath<First.Target.Columns, Second>
  ) -> Query where First.Root == M, Second.Root == First.Target {
    including(first) { $0.including(second) }
  }

  /// Returns the query with some of the rows of a relationship loaded, in an order.
  ///
  /// ```swift
  /// Account.all.including(\.costs) { $0.where { $0.amount > 0 }.sorted(by: \.date).including(\.category) }
  /// ```
  ///
  /// - Parameters:
  ///   - path: The relationship.
  ///   - rows: Returns the query for the rows. With a limit, running the query throws ``StoreError`` `.unsupported`, because the limit would count
  ///     the rows of all owners together.
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

/// A relationship whose rows a query loads together with its own.
public struct Inclusion<Root: Model>: Sendable, Hashable {
  private let loader: any InclusionLoader<Root>

  init(_ loader: some InclusionLoader<Root>) {
    self.loader = loader
  }

  var path: any PartialKeyPath<Root> & Sendable { loader.path }

  func merged(with other: Inclusion) -> Inclusion {
    Inclusion(any: loader.merged(with: other.loader))
  }

  private init(any loader: any InclusionLoader<Root>) {
    self.loader = loader
  }

  /// Loads the related rows of the values.
  ///
  /// - Parameter areAll: Whether the values are all rows of their table, so that their related rows need not be selected by key.
  func load(into values: inout [Root], areAll: Bool, _ connection: Connection) throws {
    try loader.load(into: &values, areAll: areAll, connection)
  }

  /// Whether two values hold the same loaded rows.
  func hasSameContent(_ left: Root, _ right: Root) -> Bool {
    loader.hasSameContent(left, right)
  }

  public static func == (left: Inclusion, right: Inclusion) -> Bool {
    AnyHashable(left.loader) == AnyHashable(right.loader)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(AnyHashable(loader))
  }
}

protocol InclusionLoader<Root>: Sendable, Hashable {
  associatedtype Root: Model
  var path: any PartialKeyPath<Root> & Sendable { get }
  /// Returns one loader for both, for the same relationship.
  func merged(with other: any InclusionLoader<Root>) -> any InclusionLoader<Root>
  func load(into values: inout [Root], areAll: Bool, _ connection: Connection) throws
  /// Whether two values hold the same loaded rows.
  func hasSameContent(_ left: Root, _ right: Root) -> Bool
}

extension Query {
  /// Returns this query with the additional inclusions of the other one.
  func merged(with other: Query) -> Query {
    var query = self
    if let filter = other.filter { query = query.filtered(by: filter) }
    query.sorts += other.sorts
    query.failure = failure ?? other.failure
    for inclusion in other.inclusions {
      if let position = query.inclusions.firstIndex(where: { $0.path == inclusion.path }) {
        query.inclusions[position] = query.inclusions[position].merged(with: inclusion)
      } else {
        query.inclusions.append(inclusion)
      }
    }
    return query
  }

  /// Checks that the query can be included: its rows are loaded for all owners together.
  func checkIncludable() throws {
    guard limit == nil, offset == 0, cursor == nil, search == nil else {
      throw StoreError(
        .unsupported, model: "\(M.self)",
        "The rows that including(_:) loads can have a condition and an order, and no limit or search. Fetch them with a query of their own.")
    }
  }
}
