/// The rows of another model that belong to a row, derived from the references on the other side.
///
/// ```swift
/// @Model
/// struct Account {
///   var id: UUID = .v7()
///   @Relationship(deleteRule: .cascade, inverse: \Cost.account) var costs: ToMany<Cost> = []
/// }
///
/// let large = try await store.fetch(account.costs.where { $0.amount > 1000 })
/// ```
///
/// A row stores nothing for it. ``all`` and ``where(_:)`` are queries for the rows; ``loaded`` holds them where ``Query/including(_:)`` asked for them
/// or the value was made with them. Only then the collection can be walked through: before that its elements are unknown, and asking for them is a
/// programmer's mistake that traps. Because it is no part of what a row stores, it takes no part in comparisons: any two are equal.
public struct ToMany<Target: Model>: Sendable {
  /// The rows, where a query loaded them or they were given to be saved; otherwise nil.
  public var loaded: [Target]?
  /// The row that the rows belong to.
  private var owner: (any RelationshipOwner<Target>)?

  /// Rows that belong together, for ``StoreWriter/save(_:including:)``.
  public init(_ values: [Target]) {
    loaded = values
  }

  init() {}

  /// The same rows as those of an owner. Generated code calls it, so that ``all`` knows whose rows are meant.
  public func owned<Owner: Model>(by owner: Owner, _ column: ToManyColumn<Owner, Target>) -> ToMany {
    var copy = self
    copy.owner = Ownership(owner: owner.id, column: column)
    return copy
  }

  /// A query for all of the rows; in the order that the user gave where the relationship is ordered.
  public var all: Query<Target> {
    guard let owner else {
      return Query().failing(
        StoreError(
          .unsupported, model: "\(Target.self)",
          "A ToMany<\(Target.self)> that belongs to no model has no rows in a store. Ask the property of a model for them: account.costs.all."))
    }
    return owner.query
  }

  /// A query for those of the rows for which the condition is true.
  public func `where`(_ condition: (Target.Columns) -> some QueryExpressible<Bool>) -> Query<Target> {
    all.where(condition)
  }

  @inlinable var elements: [Target] {
    guard let loaded else {
      preconditionFailure("the rows of a ToMany<\(Target.self)> were not loaded; fetch with including(_:), or fetch `all`")
    }
    return loaded
  }
}

/// The model that a ``ToMany`` is a property of, without its type.
private protocol RelationshipOwner<Target>: Sendable {
  associatedtype Target: Model
  var query: Query<Target> { get }
}

private struct Ownership<Owner: Model, Target: Model>: RelationshipOwner {
  let owner: Owner.ID
  let column: ToManyColumn<Owner, Target>

  var query: Query<Target> { column.query(ownedBy: owner) }
}

extension ToMany: ExpressibleByArrayLiteral {
  /// `[]` says nothing of the rows, as a value has it that was just made; other literals are the rows.
  public init(arrayLiteral elements: Target...) {
    loaded = elements.isEmpty ? nil : elements
  }
}

extension ToMany: RandomAccessCollection {
  @inlinable public var startIndex: Int { elements.startIndex }
  @inlinable public var endIndex: Int { elements.endIndex }
  /// The number of rows that were loaded.
  @inlinable public var count: Int { elements.count }
  /// Whether no row was loaded.
  @inlinable public var isEmpty: Bool { elements.isEmpty }
  @inlinable public subscript(position: Int) -> Target { elements[position] }
  @inlinable public func makeIterator() -> Array<Target>.Iterator { elements.makeIterator() }
}

extension ToMany: Hashable {
  public static func == (left: ToMany, right: ToMany) -> Bool { true }

  public func hash(into hasher: inout Hasher) {}
}

extension ToMany: Codable {
  /// Reads nothing: the rows are stored by themselves.
  public init(from decoder: any Decoder) throws {
    self.init()
  }

  /// Writes nothing but an empty list: the rows are stored by themselves.
  public func encode(to encoder: any Encoder) throws {
    _ = encoder.unkeyedContainer()
  }
}

extension ToMany: CustomStringConvertible, CustomReflectable {
  public var description: String {
    loaded.map { "ToMany<\(Target.self)>(\($0.count) loaded)" } ?? "ToMany<\(Target.self)>(not loaded)"
  }

  public var customMirror: Mirror { Mirror(self, children: ["loaded": loaded as Any]) }
}
