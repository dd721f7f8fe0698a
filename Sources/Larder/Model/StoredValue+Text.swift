public import Foundation

extension String: StoredValue {
  @inlinable public static var storageClass: StorageClass { .text }

  /// Reads text, or a number that an existing column stores instead.
  public init(storedValue: Value) throws {
    switch storedValue {
    case .text(let text): self = text
    case .integer(let integer): self = String(integer)
    case .real(let real): self = String(real)
    case .null, .blob: throw ValueFailure.unexpected(storedValue, expected: "String")
    }
  }

  public func storedValue() throws -> Value { .text(self) }

  @inlinable @inline(__always) public init(from column: StoredColumn) throws {
    if let text = column.text {
      self = text
    } else {
      self = try Self.converted(column)
    }
  }

  @_documentation(visibility: internal)
  @inlinable @inline(__always)
  public static func _readStrict(_ statement: OpaquePointer, _ index: Int32, isNull: inout Bool) -> String? {
    RowReader.text(statement, index, isNull: &isNull)
  }

  @inlinable @inline(__always) public func bind(to parameter: inout StatementParameter) throws {
    parameter.bind(self)
  }
}

extension Data: StoredValue {
  @inlinable public static var storageClass: StorageClass { .blob }

  /// Reads a blob, or the UTF-8 of text that an existing column stores instead.
  public init(storedValue: Value) throws {
    switch storedValue {
    case .blob(let data): self = data
    case .text(let text): self = Data(text.utf8)
    default: throw ValueFailure.unexpected(storedValue, expected: "Data")
    }
  }

  /// The bytes of text are used whether they are valid UTF-8 or not.
  @usableFromInline
  init(bytesOf column: StoredColumn) throws {
    if let bytes = column.withTextBytes({ Data($0) }) { self = bytes } else { try self.init(storedValue: column.value) }
  }

  public func storedValue() throws -> Value { .blob(self) }

  @inlinable @inline(__always) public init(from column: StoredColumn) throws {
    if let blob = column.blob {
      self = blob
    } else {
      try self.init(bytesOf: column)
    }
  }

  @inlinable @inline(__always) public func bind(to parameter: inout StatementParameter) throws {
    withUnsafeBytes { parameter.bind($0) }
  }
}

extension URL: StoredValue {
  public static var storageClass: StorageClass { .text }

  public init(storedValue: Value) throws {
    guard case .text(let text) = storedValue, let url = URL(string: text) else {
      throw ValueFailure.unexpected(storedValue, expected: "a URL")
    }
    self = url
  }

  /// The absolute string: a relative URL is stored resolved against its base.
  public func storedValue() throws -> Value { .text(absoluteString) }
}
