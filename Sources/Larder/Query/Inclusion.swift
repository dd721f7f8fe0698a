/// A relationship whose rows a query loads together with its own.
@_documentation(visibility: internal)
public struct Inclusion<Root: Model>: Sendable, Hashable {
  private let loader: any InclusionLoader<Root>

  init(_ loader: some InclusionLoader<Root>) {
    self.loader = loader
  }

  var path: any PartialKeyPath<Root> & Sendable { loader.path }

  var partialPaths: Set<AnyKeyPath> { loader.partialPaths }

  func merged(with other: Inclusion) -> Inclusion {
    Inclusion(any: loader.merged(with: other.loader))
  }

  private init(any loader: any InclusionLoader<Root>) {
    self.loader = loader
  }

  /// Loads the related rows of the values.
  ///
  /// - Parameter areAll: Whether the values are all rows of their table, so that their related rows need not be
  ///   selected by key.
  func load(into values: inout [Root], areAll: Bool, _ reader: some RelatedRowReader) throws {
    try loader.load(into: &values, areAll: areAll, reader)
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
  func load(into values: inout [Root], areAll: Bool, _ reader: some RelatedRowReader) throws
  /// Whether two values hold the same loaded rows.
  func hasSameContent(_ left: Root, _ right: Root) -> Bool
  /// The relationships, from here on, of which not all rows are loaded, or not in their own order.
  var partialPaths: Set<AnyKeyPath> { get }
}

/// Reads the rows that `including(_:)` loads. A connection conforms to it; the protocol keeps queries independent of
/// the engine.
protocol RelatedRowReader {
  /// Returns the rows of the query.
  func fetch<M: Model>(_ query: Query<M>) throws -> [M]
  /// Returns the rows of the query in groups: a row belongs to the group whose key its column holds.
  func fetchGroups<M: Model>(_ query: Query<M>, by column: String, _ keys: StoredKeys) throws -> [[M]]
  /// Returns the pairs of a join table, in the owner's order.
  ///
  /// - Parameters:
  ///   - keys: The keys of the owners; nil for all.
  ///   - own: The column of the owners' keys.
  ///   - other: The column of the other keys.
  func pairs(
    of keys: [SQLNode]?, table: String, own: String, other: String, isOrdered: Bool
  ) throws -> [(own: Value, other: Value)]
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
        "The rows that including(_:) loads can have a condition and an order, and no limit or search. Fetch them with a query of their own."
      )
    }
  }
}

extension Model {
  /// Returns whether two values of a row are equal in every column, and in what the inclusions loaded.
  static func hasSameContent(_ left: Self, _ right: Self, _ inclusions: [Inclusion<Self>]) -> Bool {
    for definition in schema.columns {
      // A value that was read can be stored; one that can't counts as different.
      guard
        let (one, other) = try? (definition.column.storedValue(in: left), definition.column.storedValue(in: right)),
        ExactValue(one) == ExactValue(other)
      else { return false }
    }
    return inclusions.allSatisfy { $0.hasSameContent(left, right) }
  }
}
