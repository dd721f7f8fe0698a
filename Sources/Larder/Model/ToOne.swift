/// A reference to one row of another model, stored as a foreign key.
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
/// Two references are equal if their keys are. If a query loaded the row with ``Query/including(_:)``, ``loaded`` is
/// that row, and its properties can be read through the reference: `cost.account.name`.
@dynamicMemberLookup
public struct ToOne<Target: Model>: Sendable {
  /// The key of the referenced row.
  public let id: Target.ID
  @usableFromInline let box: Box?

  /// A struct that refers to its own type, as in a tree, can't contain a value of that type, but it can contain a
  /// reference to a box.
  @usableFromInline
  final class Box: Sendable {
    /// Nil if a query looked for the row and found none.
    @usableFromInline let value: Target?

    @usableFromInline
    init(_ value: Target?) { self.value = value }
  }

  /// Creates a reference to the row with the key.
  ///
  /// - Parameter id: The key of the row.
  @inlinable
  public init(_ id: Target.ID) {
    self.id = id
    box = nil
  }

  /// Creates a reference to the value's row. The value becomes ``loaded``.
  ///
  /// - Parameter value: A value of the row.
  @inlinable
  public init(_ value: Target) {
    id = value.id
    box = Box(value)
  }

  /// Creates the reference of a query that found no row.
  init(missing id: Target.ID) {
    self.id = id
    box = Box(nil)
  }

  /// The row, if a query loaded it with ``Query/including(_:)`` or the reference was created from a value; otherwise
  /// nil. A query finds no row if it has expired, if the inclusion's condition leaves it out, or if another program has
  /// broken the reference.
  @inlinable public var loaded: Target? { box?.value }

  /// A property of the loaded row.
  ///
  /// If no row was loaded, reading it is a programming error and traps. Fetch with `including`, and look at ``loaded``
  /// where a row may be missing.
  public subscript<Value>(dynamicMember path: KeyPath<Target, Value>) -> Value {
    guard let box else {
      preconditionFailure(
        "the \(Target.self) that a ToOne refers to was not loaded; fetch with including(_:), or look at `loaded`")
    }
    guard let value = box.value else {
      preconditionFailure(
        "including(_:) found no \(Target.self) for a ToOne: it has expired, a condition leaves it out, or another program has deleted it, which store.check() finds; look at `loaded`"
      )
    }
    return value[keyPath: path]
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

// No `description`, which is a common property name.
extension ToOne: CustomDebugStringConvertible {
  public var debugDescription: String { "ToOne<\(Target.self)>(\(id))" }
}

extension RowReader {
  /// Reads a reference. Throws if the column doesn't hold a key of the other model.
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
