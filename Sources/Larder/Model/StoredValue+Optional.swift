extension Optional: StoredValue where Wrapped: StoredValue {
  @inlinable public static var storageClass: StorageClass { Wrapped.storageClass }
  @inlinable public static var isOptional: Bool { true }
  @inlinable public static var order: ValueOrder { Wrapped.order }

  public init(storedValue: Value) throws {
    if case .null = storedValue { self = nil } else { self = try Wrapped(storedValue: storedValue) }
  }

  public func storedValue() throws -> Value {
    try self?.storedValue() ?? .null
  }

  @inlinable @inline(__always) public init(from column: StoredColumn) throws {
    if column.isNull { self = nil } else { self = try Wrapped(from: column) }
  }

  @_documentation(visibility: internal)
  @inlinable @inline(__always)
  public static func _readStrict(_ statement: OpaquePointer, _ index: Int32, isNull: inout Bool) -> Wrapped?? {
    let value = Wrapped._readStrict(statement, index, isNull: &isNull)
    return isNull ? .some(nil) : value.map { .some($0) }
  }

  @inlinable @inline(__always) public func bind(to parameter: inout StatementParameter) throws {
    if let self { try self.bind(to: &parameter) } else { parameter.bindNull() }
  }
}
