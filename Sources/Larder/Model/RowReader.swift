/// Reads the columns of a row from left to right, for a model's generated initializer.
@frozen
@_documentation(visibility: internal)
public struct RowReader {
  @usableFromInline let statement: OpaquePointer
  /// The position of the column that ``next()`` reads; after a throw, one past the column at fault.
  @usableFromInline var index: Int32

  @inlinable
  init(_ statement: OpaquePointer, at index: Int32 = 0) {
    self.statement = statement
    self.index = index
  }

  @inlinable
  @inline(__always)
  mutating func advance() -> StoredColumn {
    let column = StoredColumn(statement, index)
    index &+= 1
    return column
  }

  /// Reads a value of a storable type.
  ///
  /// - Parameter overload: Makes the function for optionals the better match for an optional.
  @inlinable
  @inline(__always)
  public mutating func next<Output: StoredValue>(_ overload: Void = ()) throws -> Output {
    try Output(from: advance())
  }

  /// Reads an optional of a storable type: nil for NULL.
  ///
  /// Through the conformance of `Optional`, which is conditional, the compiler would find that of the wrapped type only
  /// at run time.
  @inlinable
  @inline(__always)
  public mutating func next<Output: StoredValue>() throws -> Output? {
    let column = advance()
    return column.isNull ? nil : try Output(from: column)
  }

  /// Reads an enum or struct from its raw value. Throws if no case has the raw value.
  @inlinable
  @inline(__always)
  public mutating func next<Output: RawRepresentable>() throws -> Output where Output.RawValue: StoredValue {
    try RawValueCoding.decode(advance())
  }

  /// Reads an optional enum or struct from its raw value: nil for NULL. Throws if no case has the raw value.
  @inlinable
  @inline(__always)
  public mutating func next<Output: RawRepresentable>() throws -> Output? where Output.RawValue: StoredValue {
    let column = advance()
    return column.isNull ? nil : try RawValueCoding.decode(column) as Output
  }

  /// Reads a storable type that also has a raw value. The storable form is used.
  @inlinable
  @inline(__always)
  public mutating func next<Output: StoredValue & RawRepresentable>() throws -> Output
  where Output.RawValue: StoredValue {
    try Output(from: advance())
  }

  /// Reads an optional of a storable type that also has a raw value. The storable form is used.
  @inlinable
  @inline(__always)
  public mutating func next<Output: StoredValue & RawRepresentable>() throws -> Output?
  where Output.RawValue: StoredValue {
    let column = advance()
    return column.isNull ? nil : try Output(from: column)
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

extension RowReader {
  /// The compiler's choice for a type that can't be stored, about which the property's ``Column`` has said what to do.
  @available(*, unavailable, message: "the type of this property can't be stored")
  @_documentation(visibility: internal)
  @_disfavoredOverload
  public mutating func next<Output>() throws -> Output {
    fatalError("unavailable")
  }
}
