/// A reference to one row of another model: the row's key, kept as a foreign key.
///
/// ```swift
/// @Model
/// struct Cost {
///   var id: UUID = .v7()
///   var amount: Decimal
///   var account: ToOne<Account>            // required
///   var category: ToOne<Category>?         // optional
/// }
///
/// let cost = Cost(amount: 12, account: ToOne(account))
/// ```
///
/// Two references are equal if their keys are. ``loaded`` is the row itself where a query asked for it with ``Query/including(_:)``; then its
/// properties can be read straight from the reference: `cost.account.name`.
@dynamicMemberLookup
public struct ToOne<Target: Model>: Sendable {
  /// The key of the row that is referred to.
  public let id: Target.ID
  @usableFromInline let box: Box?

  /// A struct that refers to its own kind, as in a tree, cannot hold one of its kind; a reference to a box can.
  @usableFromInline
  final class Box: Sendable {
    @usableFromInline let value: Target

    @usableFromInline
    init(_ value: Target) { self.value = value }
  }

  /// A reference to the row with the key.
  @inlinable
  public init(_ id: Target.ID) {
    self.id = id
    box = nil
  }

  /// A reference to the value's row. The value itself is ``loaded``.
  @inlinable
  public init(_ value: Target) {
    id = value.id
    box = Box(value)
  }

  /// The row, where a query loaded it with ``Query/including(_:)`` or the reference was made from it; otherwise nil.
  @inlinable public var loaded: Target? { box?.value }

  /// A property of the row that was loaded. Where none was it is a programming error and traps: fetch with `including`.
  public subscript<Value>(dynamicMember path: KeyPath<Target, Value>) -> Value {
    guard let box else {
      preconditionFailure("the \(Target.self) that a ToOne refers to was not loaded; fetch with including(_:), or look at `loaded`")
    }
    return box.value[keyPath: path]
  }
}

extension ToOne: Hashable {
  public static func == (left: ToOne, right: ToOne) -> Bool { left.id == right.id }

  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension ToOne: Identifiable {}

extension ToOne: Encodable where Target.ID: Encodable {
  /// Encodes the key.
  public func encode(to encoder: any Encoder) throws { try id.encode(to: encoder) }
}

extension ToOne: Decodable where Target.ID: Decodable {
  /// Decodes the key.
  public init(from decoder: any Decoder) throws { self.init(try Target.ID(from: decoder)) }
}

// No `description`, which is the name of many a property.
extension ToOne: CustomDebugStringConvertible {
  public var debugDescription: String { "ToOne<\(Target.self)>(\(id))" }
}

extension RowReader {
  /// Reads a reference. Throws where the column holds no key of the other model.
  @inlinable
  public mutating func nextReference<Target: Model>() throws -> ToOne<Target> {
    ToOne(try Target.key(from: &self))
  }

  /// Reads an optional reference: nil for NULL.
  @inlinable
  public mutating func nextReference<Target: Model>() throws -> ToOne<Target>? {
    if StoredColumn(statement, index).isNull {
      index &+= 1
      return nil
    }
    return ToOne(try Target.key(from: &self))
  }
}

extension RowWriter {
  /// Binds the key of a reference.
  @inlinable
  public mutating func bind<Target: Model>(reference: ToOne<Target>) throws {
    try Target.bind(key: reference.id, to: &self)
  }

  /// Binds the key of an optional reference: NULL for nil.
  @inlinable
  public mutating func bind<Target: Model>(reference: ToOne<Target>?) throws {
    if let reference { return try Target.bind(key: reference.id, to: &self) }
    var parameter = advance()
    parameter.bindNull()
  }
}
