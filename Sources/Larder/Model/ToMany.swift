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
/// It isn't stored in the row. ``all`` and ``where(_:)`` are queries for the rows. ``loaded`` has the rows if
/// ``Query/including(_:)`` loaded them or the value was created with them. Only then can you iterate over the
/// collection; otherwise its elements are unknown, and accessing them is a programming error that traps. All values are
/// equal, because the rows aren't part of the stored value.
public struct ToMany<Target: Model>: Sendable {
  /// The rows, if a query loaded them or they were set to be saved; otherwise nil.
  public var loaded: [Target]?
  /// The row that the rows belong to.
  var owner: (any RelationshipOwner<Target>)?

  /// Creates a collection of rows, to be saved with ``StoreWriter/save(_:including:)``.
  ///
  /// - Parameter values: The rows.
  public init(_ values: [Target]) {
    loaded = values
  }

  init() {}

  /// Returns the same rows with their owner. Called by generated code, so that ``all`` knows the owner.
  ///
  /// - Parameters:
  ///   - owner: The row that the rows belong to.
  ///   - column: The column of the property.
  /// - Returns: A copy that knows its owner.
  @_documentation(visibility: internal)
  public func owned<Owner: Model>(by owner: Owner, _ column: ToManyColumn<Owner, Target>) -> ToMany {
    var copy = self
    copy.owner = Ownership(owner: owner.id, column: column)
    return copy
  }

  @inlinable var elements: [Target] {
    guard let loaded else {
      preconditionFailure(
        "the rows of a ToMany<\(Target.self)> were not loaded; fetch with including(_:), or fetch `all`")
    }
    return loaded
  }
}

/// The model that has the ``ToMany`` property, without its type.
protocol RelationshipOwner<Target>: Sendable {
  associatedtype Owner: Model
  associatedtype Target: Model
  var owner: Owner.ID { get }
  var column: ToManyColumn<Owner, Target> { get }
}

private struct Ownership<Owner: Model, Target: Model>: RelationshipOwner {
  let owner: Owner.ID
  let column: ToManyColumn<Owner, Target>
}

extension ToMany: ExpressibleByArrayLiteral {
  /// An empty literal leaves ``loaded`` nil; any other literal sets it.
  public init(arrayLiteral elements: Target...) {
    loaded = elements.isEmpty ? nil : elements
  }
}

extension ToMany: RandomAccessCollection {
  @inlinable public var startIndex: Int { elements.startIndex }
  @inlinable public var endIndex: Int { elements.endIndex }
  /// The number of loaded rows.
  @inlinable public var count: Int { elements.count }
  /// Whether the loaded rows are empty.
  @inlinable public var isEmpty: Bool { elements.isEmpty }
  @inlinable public subscript(position: Int) -> Target { elements[position] }
  @inlinable public func makeIterator() -> Array<Target>.Iterator { elements.makeIterator() }
}

extension ToMany: Hashable {
  public static func == (left: ToMany, right: ToMany) -> Bool { true }

  public func hash(into hasher: inout Hasher) {}
}

extension ToMany: Codable {
  /// Decodes the rows, which become ``loaded``, if the other model is Decodable; nil leaves it nil.
  public init(from decoder: any Decoder) throws {
    self.init()
    guard let type = Target.self as? any Decodable.Type, var container = try? decoder.unkeyedContainer() else { return }
    func decode<Row: Decodable>(_ type: Row.Type) throws -> Target? { try container.decode(type) as? Target }
    var rows: [Target] = []
    while !container.isAtEnd {
      if let row = try decode(type) { rows.append(row) }
    }
    loaded = rows
  }

  /// Encodes the rows if they are loaded and the other model is Encodable; otherwise nil. As a property of a model, rows
  /// that aren't loaded are left out.
  public func encode(to encoder: any Encoder) throws {
    guard let loaded, Target.self is any Encodable.Type else {
      var container = encoder.singleValueContainer()
      return try container.encodeNil()
    }
    var container = encoder.unkeyedContainer()
    for case let row as any Encodable in loaded { try container.encode(row) }
  }
}

extension KeyedEncodingContainer {
  /// Encodes rows that are loaded; leaves out a relationship that isn't. The compiler's code for a Codable model calls
  /// it.
  public mutating func encode<Target: Model>(_ value: ToMany<Target>, forKey key: Key) throws {
    guard value.loaded != nil, Target.self is any Encodable.Type else { return }
    try encodeIfPresent(value, forKey: key)
  }
}

extension KeyedDecodingContainer {
  /// Decodes rows if there are any. The compiler's code for a Codable model calls it.
  public func decode<Target: Model>(_ type: ToMany<Target>.Type, forKey key: Key) throws -> ToMany<Target> {
    try decodeIfPresent(type, forKey: key) ?? []
  }
}

extension ToMany: CustomStringConvertible, CustomReflectable {
  public var description: String {
    loaded.map { "ToMany<\(Target.self)>(\($0.count) loaded)" } ?? "ToMany<\(Target.self)>(not loaded)"
  }

  public var customMirror: Mirror { Mirror(self, children: ["loaded": loaded as Any]) }
}
