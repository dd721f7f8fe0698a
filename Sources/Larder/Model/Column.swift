public import Foundation

/// One stored property of a model, as queries name it: `$0.title`.
///
/// `@Model` makes one for each stored property; there is no need to make one by hand.
public struct Column<Root: Model, Output>: Sendable {
  /// The property's name in Swift, for messages.
  public let property: String
  /// The column's name in the database.
  public let name: String
  let keyPath: any PartialKeyPath<Root> & Sendable
  let value: @Sendable (Root) -> Output
  let coding: ColumnCoding<Output>
  /// For a column of an embedded struct: its stored value in an instance of the outermost struct that is embedded.
  let embeddedValue: (@Sendable (Any) throws -> Value?)?
  /// Where a query finds the column; by default in its own table.
  var scope = ColumnScope.current

  init(
    _ path: any KeyPath<Root, Output> & Sendable, _ property: String, _ name: String?, _ coding: ColumnCoding<Output>,
    embeddedValue: (@Sendable (Any) throws -> Value?)? = nil
  ) {
    self.embeddedValue = embeddedValue
    self.property = property
    self.name = name ?? property
    self.keyPath = path
    self.value = { $0[keyPath: path] }
    self.coding = coding
  }

  init(
    keyPath: any PartialKeyPath<Root> & Sendable, property: String, name: String, value: @escaping @Sendable (Root) -> Output,
    coding: ColumnCoding<Output>
  ) {
    self.keyPath = keyPath
    self.property = property
    self.name = name
    self.value = value
    self.coding = coding
    embeddedValue = nil
  }

  /// The stored form of the property's value in an instance. Throws for a value that cannot be stored.
  func storedValue(in instance: Root) throws -> Value {
    try coding.encode(value(instance))
  }
}

extension Column {
  /// A property whose type is kept as it is.
  public init(_ path: any KeyPath<Root, Output> & Sendable, _ property: String, column: String? = nil) where Output: StoredValue {
    self.init(path, property, column, .stored)
  }

  /// A property kept as its raw value.
  public init(_ path: any KeyPath<Root, Output> & Sendable, _ property: String, column: String? = nil)
  where Output: RawRepresentable & Sendable, Output.RawValue: StoredValue {
    self.init(path, property, column, .rawValue)
  }

  /// A property of a type that is both stored as it is and has a raw value: as it is stored.
  public init(_ path: any KeyPath<Root, Output> & Sendable, _ property: String, column: String? = nil)
  where Output: RawRepresentable & StoredValue, Output.RawValue: StoredValue {
    self.init(path, property, column, .stored)
  }

  /// An optional property kept as its raw value.
  public init<Wrapped: RawRepresentable & Sendable>(_ path: any KeyPath<Root, Output> & Sendable, _ property: String, column: String? = nil)
  where Output == Wrapped?, Wrapped.RawValue: StoredValue {
    self.init(path, property, column, .optionalRawValue())
  }

  /// A property kept as JSON.
  @_disfavoredOverload
  public init(_ path: any KeyPath<Root, Output> & Sendable, _ property: String, column: String? = nil) where Output: Codable & Sendable {
    self.init(path, property, column, .json)
  }

  /// A date kept as text.
  public init(_ path: any KeyPath<Root, Output> & Sendable, _ property: String, column: String? = nil, as format: DateFormat)
  where Output == Date {
    self.init(path, property, column, .text(format))
  }

  /// An optional date kept as text.
  public init(_ path: any KeyPath<Root, Output> & Sendable, _ property: String, column: String? = nil, as format: DateFormat)
  where Output == Date? {
    self.init(path, property, column, .text(format))
  }
}

/// A column whose value type is not known here.
protocol AnyColumn<Root>: Sendable {
  associatedtype Root: Model
  var property: String { get }
  var name: String { get }
  var keyPath: any PartialKeyPath<Root> & Sendable { get }
  var type: ColumnType { get }
  var embeddedValue: (@Sendable (Any) throws -> Value?)? { get }
  func storedValue(in instance: Root) throws -> Value
  /// The stored form of a value that a condition compares the column with, however it is typed there.
  func storedValue(of value: Any) throws -> Value
  /// The property's value for what the database holds. Throws for a stored value that is not one of the property's type.
  func value(of stored: Value) throws -> Any
  /// The form in which Larder stores what the value stands for. Throws for a stored value that is not one of the property's type.
  func canonical(_ stored: Value) throws -> Value
  /// The raw values of an enum that lists its cases, in order.
  var cases: [String]? { get }
  /// Whether the property is kept as its raw value.
  var isRawValue: Bool { get }
  /// The path to the property by way of a reference to the model, as `#Predicate` has it.
  var pathThroughReference: AnyKeyPath? { get }
}

extension Column: AnyColumn {
  var type: ColumnType { coding.type }

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
      throw ValueFailure(.unsupported, problem: "is compared with a \(Swift.type(of: value))", remedy: "compare it with a value of its own type")
    }
    return try value.storedValue()
  }
}
