extension StoredValue where Self: FixedWidthInteger {
  @inlinable public static var storageClass: StorageClass { .integer }

  public init(storedValue: Value) throws {
    switch storedValue {
    case .integer(let integer):
      guard let value = Self(exactly: integer) else { throw ValueFailure.outOfRange(Self.self) }
      self = value
    case .real(let real):
      guard let value = Self(exactly: real) else {
        throw ValueFailure.unexpected(storedValue, expected: "\(Self.self)")
      }
      self = value
    case .text(let text):
      guard let value = Self(text) else { throw ValueFailure.unexpected(storedValue, expected: "\(Self.self)") }
      self = value
    case .null, .blob:
      throw ValueFailure.unexpected(storedValue, expected: "\(Self.self)")
    }
  }

  public func storedValue() throws -> Value {
    guard let integer = Int64(exactly: self) else { throw ValueFailure.outOfRange(Self.self) }
    return .integer(integer)
  }

  @inlinable @inline(__always) public init(from column: StoredColumn) throws {
    if let integer = column.integer, let value = Self(exactly: integer) {
      self = value
    } else {
      self = try Self.converted(column)
    }
  }

  @_documentation(visibility: internal)
  @inlinable @inline(__always)
  public static func _readStrict(_ statement: OpaquePointer, _ index: Int32, isNull: inout Bool) -> Self? {
    RowReader.integer(statement, index, isNull: &isNull).flatMap { Self(exactly: $0) }
  }

  @inlinable @inline(__always) public func bind(to parameter: inout StatementParameter) throws {
    guard let integer = Int64(exactly: self) else { throw ValueFailure.outOfRange(Self.self) }
    parameter.bind(integer)
  }
}

extension ValueFailure {
  @usableFromInline
  static func outOfRange(_ type: Any.Type) -> ValueFailure {
    ValueFailure(
      problem: "holds an integer outside the range that \(type) and the file's 64-bit signed integers share",
      remedy: "keep such numbers as Decimal, String or Data")
  }
}

extension Int: StoredValue {}
extension Int8: StoredValue {}
extension Int16: StoredValue {}
extension Int32: StoredValue {}
extension Int64: StoredValue {}
extension UInt: StoredValue {}
extension UInt8: StoredValue {}
extension UInt16: StoredValue {}
extension UInt32: StoredValue {}
extension UInt64: StoredValue {}

extension Bool: StoredValue {
  @inlinable public static var storageClass: StorageClass { .integer }

  public init(storedValue: Value) throws {
    switch storedValue {
    case .integer(let integer): self = integer != 0
    case .real(let real): self = real != 0
    case .text(let text):
      switch text.lowercased() {
      case "0", "false", "no": self = false
      case "1", "true", "yes": self = true
      default: throw ValueFailure.unexpected(storedValue, expected: "Bool")
      }
    case .null, .blob: throw ValueFailure.unexpected(storedValue, expected: "Bool")
    }
  }

  public func storedValue() throws -> Value { .integer(self ? 1 : 0) }

  @inlinable @inline(__always) public init(from column: StoredColumn) throws {
    if let integer = column.integer {
      self = integer != 0
    } else {
      self = try Self.converted(column)
    }
  }

  @_documentation(visibility: internal)
  @inlinable @inline(__always)
  public static func _readStrict(_ statement: OpaquePointer, _ index: Int32, isNull: inout Bool) -> Bool? {
    RowReader.integer(statement, index, isNull: &isNull).map { $0 != 0 }
  }

  @inlinable @inline(__always) public func bind(to parameter: inout StatementParameter) throws {
    parameter.bind(self ? 1 : 0 as Int64)
  }
}
