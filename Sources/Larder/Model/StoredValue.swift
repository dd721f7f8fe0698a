/// A type whose values can be stored in one column.
///
/// The library conforms integers, floating-point numbers, `Bool`, `String`, `Data`, `Date`, `UUID`, `Decimal`, `URL`
/// and optionals of them. Enums and structs with a raw value, and any other `Codable`, need no conformance. To store
/// your own type, convert it to and from a ``Value``:
///
/// ```swift
/// extension Version: StoredValue {
///   static var storageClass: StorageClass { .text }
///   init(storedValue: Value) throws { self = try Version(parsing: storedValue.text ?? "") }
///   func storedValue() throws -> Value { .text(description) }
/// }
/// ```
public protocol StoredValue: SQLResult {
  /// The storage class of the column.
  static var storageClass: StorageClass { get }

  /// Whether the column may hold NULL; only true for optionals.
  static var isOptional: Bool { get }

  /// How the database orders and compares the values.
  static var order: ValueOrder { get }

  /// Creates a value from its stored form.
  ///
  /// - Parameter storedValue: The stored value.
  /// - Throws: An error if the stored value doesn't fit this type.
  init(storedValue: Value) throws

  /// Returns the stored form of the value.
  ///
  /// - Returns: A value from which ``init(storedValue:)`` creates an equal one.
  /// - Throws: An error if the value can't be stored unchanged, such as NaN.
  func storedValue() throws -> Value

  /// Creates a value directly from a column of the current row; by default through ``init(storedValue:)``.
  ///
  /// - Parameter column: The column to read.
  /// - Throws: An error if the stored value doesn't fit this type.
  init(from column: StoredColumn) throws

  /// Reads a column of which SQLite makes sure that it holds a value of the type's storage class or NULL, in fewer calls
  /// than with the question of what it holds.
  ///
  /// - Parameters:
  ///   - statement: The statement with the row.
  ///   - index: The column.
  ///   - isNull: Becomes true for NULL.
  /// - Returns: The value; nil for NULL, and for what ``init(from:)`` has to convert or to report.
  @_documentation(visibility: internal)
  static func _readStrict(_ statement: OpaquePointer, _ index: Int32, isNull: inout Bool) -> Self?

  /// Binds the value directly to a parameter; by default through ``storedValue()``.
  ///
  /// - Parameter parameter: The parameter to bind.
  /// - Throws: An error if the value can't be stored unchanged, such as NaN.
  func bind(to parameter: inout StatementParameter) throws
}

extension StoredValue {
  @inlinable public static var isOptional: Bool { false }
  @inlinable public static var order: ValueOrder { .stored }

  @inlinable public init(from column: StoredColumn) throws {
    self = try Self.converted(column)
  }

  @_documentation(visibility: internal)
  @inlinable
  @inline(__always)
  public static func _readStrict(_ statement: OpaquePointer, _ index: Int32, isNull: inout Bool) -> Self? { nil }

  /// Creates a value from its stored form; the way for values that aren't in the form in which this type writes them.
  ///
  /// Inlinable, because otherwise the compiler doesn't specialize the initializers that call it in other modules, and
  /// reads each column through a table of witnesses.
  @inlinable
  @inline(never)
  static func converted(_ column: StoredColumn) throws -> Self {
    try Self(storedValue: try column.exactValue)
  }

  @inlinable public func bind(to parameter: inout StatementParameter) throws {
    parameter.bind(try storedValue())
  }
}
