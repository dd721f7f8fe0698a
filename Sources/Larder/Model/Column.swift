public import Foundation

/// A stored property of a model in a query: `$0.title`.
///
/// `@Model` generates one for each stored property; you never need to create one.
public struct Column<Root: Model, Output>: Sendable {
  private let facts: ColumnFacts<Root, Output>
  /// Where a query finds the column; by default in its own table.
  var scope = ColumnScope.current

  /// The property's name in Swift, for messages.
  public var property: String { facts.property }
  /// The column's name in the database.
  public var name: String { facts.name }
  var keyPath: any PartialKeyPath<Root> & Sendable { facts.keyPath }
  var value: @Sendable (Root) -> Output { facts.value }
  var coding: ColumnCoding<Output> { facts.coding }
  var embeddedValue: (@Sendable (Any) throws -> Value?)? { facts.embeddedValue }

  init(
    _ path: any KeyPath<Root, Output> & Sendable, _ property: String, _ name: String?, _ coding: ColumnCoding<Output>,
    embeddedValue: (@Sendable (Any) throws -> Value?)? = nil
  ) {
    facts = ColumnFacts(
      keyPath: path, property: property, name: name ?? property, value: { $0[keyPath: path] }, coding: coding,
      embeddedValue: embeddedValue)
  }

  init(
    keyPath: any PartialKeyPath<Root> & Sendable, property: String, name: String,
    value: @escaping @Sendable (Root) -> Output,
    coding: ColumnCoding<Output>
  ) {
    facts = ColumnFacts(
      keyPath: keyPath, property: property, name: name, value: value, coding: coding, embeddedValue: nil)
  }

  /// - Parameter read: Reads a value. Written where the type is known, it is specialized for it.
  @usableFromInline
  init(
    _ path: any KeyPath<Root, Output> & Sendable, _ property: String, _ name: String?,
    reading read: @escaping @Sendable (StoredColumn) throws -> Output
  ) where Output: StoredValue {
    self.init(path, property, name, .stored.reading(read))
  }

  /// - Parameter read: Reads a value. Written where the type is known, it is specialized for it.
  @usableFromInline
  init(
    _ path: any KeyPath<Root, Output> & Sendable, _ property: String, _ name: String?,
    readingRaw read: @escaping @Sendable (StoredColumn) throws -> Output
  ) where Output: RawRepresentable & Sendable, Output.RawValue: StoredValue {
    self.init(path, property, name, .rawValue.reading(read))
  }

  /// Returns the stored form of the property's value in an instance. Throws for a value that can't be stored.
  func storedValue(in instance: Root) throws -> Value {
    try coding.encode(value(instance))
  }
}

extension Column {
  /// Creates the column of a property with a storable type.
  ///
  /// - Parameters:
  ///   - path: The key path of the property.
  ///   - property: The property's name in Swift.
  ///   - column: The column's name; nil if it is the property's.
  @_documentation(visibility: internal)
  @inlinable
  public init(_ path: any KeyPath<Root, Output> & Sendable, _ property: String, column: String? = nil)
  where Output: StoredValue {
    self.init(path, property, column, reading: { try Output(from: $0) })
  }

  /// Creates the column of a property that is stored as its raw value.
  ///
  /// - Parameters:
  ///   - path: The key path of the property.
  ///   - property: The property's name in Swift.
  ///   - column: The column's name; nil if it is the property's.
  @_documentation(visibility: internal)
  @inlinable
  public init(_ path: any KeyPath<Root, Output> & Sendable, _ property: String, column: String? = nil)
  where Output: RawRepresentable & Sendable, Output.RawValue: StoredValue {
    self.init(path, property, column, readingRaw: { try RawValueCoding.decode($0) })
  }

  /// Creates the column of a property whose type is storable and also has a raw value. The storable form is used.
  ///
  /// - Parameters:
  ///   - path: The key path of the property.
  ///   - property: The property's name in Swift.
  ///   - column: The column's name; nil if it is the property's.
  @_documentation(visibility: internal)
  @inlinable
  public init(_ path: any KeyPath<Root, Output> & Sendable, _ property: String, column: String? = nil)
  where Output: RawRepresentable & StoredValue, Output.RawValue: StoredValue {
    self.init(path, property, column, reading: { try Output(from: $0) })
  }

  /// Creates the column of an optional property that is stored as its raw value.
  ///
  /// - Parameters:
  ///   - path: The key path of the property.
  ///   - property: The property's name in Swift.
  ///   - column: The column's name; nil if it is the property's.
  @_documentation(visibility: internal)
  public init<Wrapped: RawRepresentable & Sendable>(
    _ path: any KeyPath<Root, Output> & Sendable, _ property: String, column: String? = nil
  )
  where Output == Wrapped?, Wrapped.RawValue: StoredValue {
    self.init(path, property, column, .optionalRawValue())
  }

  /// Creates the column of a property that is stored as JSON.
  ///
  /// - Parameters:
  ///   - path: The key path of the property.
  ///   - property: The property's name in Swift.
  ///   - column: The column's name; nil if it is the property's.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  public init(_ path: any KeyPath<Root, Output> & Sendable, _ property: String, column: String? = nil)
  where Output: Codable & Sendable {
    self.init(path, property, column, .json)
  }

  /// Creates the column of a date that is stored as text.
  ///
  /// - Parameters:
  ///   - path: The key path of the property.
  ///   - property: The property's name in Swift.
  ///   - column: The column's name; nil if it is the property's.
  ///   - format: The format of the text.
  @_documentation(visibility: internal)
  public init(
    _ path: any KeyPath<Root, Output> & Sendable, _ property: String, column: String? = nil, as format: DateFormat
  )
  where Output == Date {
    self.init(path, property, column, .text(format))
  }

  /// Creates the column of an optional date that is stored as text.
  ///
  /// - Parameters:
  ///   - path: The key path of the property.
  ///   - property: The property's name in Swift.
  ///   - column: The column's name; nil if it is the property's.
  ///   - format: The format of the text.
  @_documentation(visibility: internal)
  public init(
    _ path: any KeyPath<Root, Output> & Sendable, _ property: String, column: String? = nil, as format: DateFormat
  )
  where Output == Date? {
    self.init(path, property, column, .text(format))
  }
}

extension Column {
  /// What the compiler says of a property whose type can't be stored.
  @available(
    *, unavailable,
    message:
      "the type of this property can't be stored. Make it Codable and Sendable, give it a raw value, conform it to StoredValue, or mark it @Embeddable and the property @Embedded; for rows of another model, declare a ToMany or a ToOne"
  )
  @_documentation(visibility: internal)
  @_disfavoredOverload
  public init(_ path: any KeyPath<Root, Output> & Sendable, _ property: String, column: String? = nil) {
    fatalError("unavailable")
  }

  /// What the compiler says of a property of models.
  @available(
    *, deprecated,
    message:
      "rows of another model are a relationship: declare the property as a ToMany; copies of them belong into a Codable struct"
  )
  @_documentation(visibility: internal)
  public init<Target: Model & Codable>(
    _ path: any KeyPath<Root, Output> & Sendable, _ property: String, column: String? = nil
  )
  where Output == [Target] {
    self.init(path, property, column, .json)
  }

  /// What the compiler says of a property that is an optional model.
  @available(
    *, deprecated,
    message:
      "a row of another model is a relationship: declare the property as an optional ToOne; a copy of it belongs into a Codable struct"
  )
  @_documentation(visibility: internal)
  public init<Target: Model & Codable>(
    _ path: any KeyPath<Root, Output> & Sendable, _ property: String, column: String? = nil
  )
  where Output == Target? {
    self.init(path, property, column, .json)
  }
}

/// A column with an unknown value type.
protocol AnyColumn<Root>: Sendable {
  associatedtype Root: Model
  var property: String { get }
  var name: String { get }
  var keyPath: any PartialKeyPath<Root> & Sendable { get }
  var type: ColumnType { get }
  var embeddedValue: (@Sendable (Any) throws -> Value?)? { get }
  func storedValue(in instance: Root) throws -> Value
  /// Returns the stored form of a value that a condition compares the column with, whatever its type there.
  func storedValue(of value: Any) throws -> Value
  /// Returns the JSON of a value that a condition compares the column with, if it has unordered parts.
  func unorderedJSON(of value: Any) throws -> UnorderedJSON?
  /// Returns the property's value for a stored value. Throws if the stored value doesn't fit the property's type.
  func value(of stored: Value) throws -> Any
  /// Returns the stored value in Larder's format. Throws if it doesn't fit the property's type.
  func canonical(_ stored: Value) throws -> Value
  /// The raw values of an enum that lists its cases, in order.
  var cases: [String]? { get }
  /// Whether the property is stored as its raw value.
  var isRawValue: Bool { get }
  /// The path to the property through a reference to the model, as in a `#Predicate`.
  var pathThroughReference: AnyKeyPath? { get }
}

extension AnyColumn {
  func unorderedJSON(of value: Any) throws -> UnorderedJSON? { nil }
}

extension Column: AnyColumn {
  var type: ColumnType { coding.type }

  func unorderedJSON(of value: Any) throws -> UnorderedJSON? {
    guard let unordered = coding.unordered, let value = value as? Output else { return nil }
    return try unordered(value)
  }

  func value(of stored: Value) throws -> Any {
    try coding.decode(stored)
  }

  func canonical(_ stored: Value) throws -> Value {
    try coding.encode(try coding.decode(stored))
  }

  var cases: [String]? { RawValueCoding.cases(of: Output.self) }

  var isRawValue: Bool { RawValueCoding.isRawValue(Output.self) }

  var pathThroughReference: AnyKeyPath? {
    (keyPath as? KeyPath<Root, Output>).map { \ToOne<Root>.[dynamicMember: $0] }
  }

  func storedValue(of value: Any) throws -> Value {
    if let value = value as? Output { return try coding.encode(value) }
    guard let value = value as? any StoredValue else {
      throw ValueFailure(
        .unsupported, problem: "is compared with a \(Swift.type(of: value))",
        remedy: "compare it with a value of its own type")
    }
    return try value.storedValue()
  }
}
