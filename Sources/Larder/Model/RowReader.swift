public import GRDBSQLite

/// Reads the columns of a row from left to right, for a model's generated initializer.
@frozen
@_documentation(visibility: internal)
public struct RowReader {
  @usableFromInline let statement: OpaquePointer
  /// The position of the column that ``next()`` reads; after a throw, one past the column at fault.
  @usableFromInline var index: Int32

  /// Whether SQLite makes sure that each column holds a value of its property's storage class or NULL.
  @usableFromInline let isStrict: Bool

  @inlinable
  init(_ statement: OpaquePointer, at index: Int32 = 0, isStrict: Bool = false) {
    self.statement = statement
    self.index = index
    self.isStrict = isStrict
  }

  @inlinable
  @inline(__always)
  mutating func advance() -> StoredColumn {
    let column = StoredColumn(statement, index)
    index &+= 1
    return column
  }

  @inlinable
  @inline(__always)
  mutating func value<Output: StoredValue>() throws -> Output {
    if isStrict {
      var isNull = false
      if let value = Output._readStrict(statement, index, isNull: &isNull) {
        index &+= 1
        return value
      }
    }
    return try Output(from: advance())
  }

  @inlinable
  @inline(__always)
  mutating func optionalValue<Output: StoredValue>() throws -> Output? {
    if isStrict {
      var isNull = false
      let value = Output._readStrict(statement, index, isNull: &isNull)
      if isNull {
        index &+= 1
        return nil
      }
      if let value {
        index &+= 1
        return value
      }
    }
    let column = advance()
    return column.isNull ? nil : try Output(from: column)
  }

  /// Reads a value of a storable type.
  ///
  /// - Parameter overload: Makes the function for optionals the better match for an optional.
  @inlinable
  @inline(__always)
  public mutating func next<Output: StoredValue>(_ overload: Void = ()) throws -> Output { try value() }

  /// Reads an optional of a storable type: nil for NULL.
  ///
  /// Through the conformance of `Optional`, which is conditional, the compiler would find that of the wrapped type only
  /// at run time.
  @inlinable
  @inline(__always)
  public mutating func next<Output: StoredValue>() throws -> Output? { try optionalValue() }

  /// Reads an enum or struct from its raw value. Throws if no case has the raw value.
  @inlinable
  @inline(__always)
  public mutating func next<Output: RawRepresentable>() throws -> Output where Output.RawValue: StoredValue {
    try RawValueCoding.decode(rawValue: try value())
  }

  /// Reads an optional enum or struct from its raw value: nil for NULL. Throws if no case has the raw value.
  @inlinable
  @inline(__always)
  public mutating func next<Output: RawRepresentable>() throws -> Output? where Output.RawValue: StoredValue {
    try optionalValue().map { try RawValueCoding.decode(rawValue: $0) }
  }

  /// Reads a storable type that also has a raw value. The storable form is used.
  @inlinable
  @inline(__always)
  public mutating func next<Output: StoredValue & RawRepresentable>() throws -> Output
  where Output.RawValue: StoredValue {
    try value()
  }

  /// Reads an optional of a storable type that also has a raw value. The storable form is used.
  @inlinable
  @inline(__always)
  public mutating func next<Output: StoredValue & RawRepresentable>() throws -> Output?
  where Output.RawValue: StoredValue {
    try optionalValue()
  }

  /// Reads the columns of an embedded struct.
  @inlinable
  @inline(__always)
  public mutating func nextEmbedded<Output: Embeddable>() throws -> Output {
    try Output(from: &self)
  }

  /// Reads any other `Codable` from JSON. Throws if the column doesn't hold JSON that fits the type.
  @_disfavoredOverload
  @inlinable
  public mutating func next<Output: Codable>() throws -> Output {
    try JSONCoding.decode(advance())
  }
}

// Each call into SQLite looks the column up again, so these ask for what a column holds only where the value doesn't tell.
extension RowReader {
  /// Reads an integer; nil for NULL.
  @inlinable
  @inline(__always)
  static func integer(_ statement: OpaquePointer, _ index: Int32, isNull: inout Bool) -> Int64? {
    let integer = sqlite3_column_int64(statement, index)
    if integer != 0 { return integer }
    isNull = sqlite3_column_type(statement, index) == SQLITE_NULL
    return isNull ? nil : integer
  }

  /// Reads a real number; nil for NULL.
  @inlinable
  @inline(__always)
  static func real(_ statement: OpaquePointer, _ index: Int32, isNull: inout Bool) -> Double? {
    let real = sqlite3_column_double(statement, index)
    if real != 0 { return real }
    isNull = sqlite3_column_type(statement, index) == SQLITE_NULL
    return isNull ? nil : real
  }

  /// Reads a text; nil for NULL, and for bytes that aren't valid UTF-8.
  @inlinable
  @inline(__always)
  static func text(_ statement: OpaquePointer, _ index: Int32, isNull: inout Bool) -> String? {
    let value = sqlite3_column_value(statement, index)
    if let bytes = sqlite3_value_text(value) { return StoredColumn.text(bytes, of: value) }
    // There are no bytes without memory, either.
    isNull = sqlite3_value_type(value) == SQLITE_NULL
    return nil
  }
}

extension RowReader {
  /// The compiler's choice for a type that can't be stored, about which the property's ``Column`` has said what to do.
  @available(*, unavailable, message: "the type of this property can't be stored")
  @_documentation(visibility: internal)
  @_disfavoredOverload
  public mutating func next<Output>() throws -> Output {
    fatalError("unavailable")
  }
}
