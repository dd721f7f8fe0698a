extension Double: StoredValue {
  @inlinable public static var storageClass: StorageClass { .real }

  public init(storedValue: Value) throws {
    switch storedValue {
    case .real(let real): self = real
    case .integer(let integer): self = Double(integer)
    case .text(let text):
      guard let value = Double(text) else { throw ValueFailure.unexpected(storedValue, expected: "Double") }
      self = value
    case .null, .blob: throw ValueFailure.unexpected(storedValue, expected: "Double")
    }
  }

  /// Throws for NaN, which SQLite would store as NULL.
  public func storedValue() throws -> Value {
    if isNaN { throw ValueFailure.notANumber }
    return .real(self)
  }

  @inlinable public init(from column: StoredColumn) throws {
    if let real = column.real {
      self = real
    } else {
      try self.init(storedValue: column.value)
    }
  }

  @inlinable public func bind(to parameter: inout StatementParameter) throws {
    if isNaN { throw ValueFailure.notANumber }
    parameter.bind(self)
  }
}

extension Float: StoredValue {
  @inlinable public static var storageClass: StorageClass { .real }

  public init(storedValue: Value) throws {
    self = Float(try Double(storedValue: storedValue))
  }

  public func storedValue() throws -> Value {
    try Double(self).storedValue()
  }

  @inlinable public init(from column: StoredColumn) throws {
    self = Float(try Double(from: column))
  }

  @inlinable public func bind(to parameter: inout StatementParameter) throws {
    try Double(self).bind(to: &parameter)
  }
}

extension ValueFailure {
  @usableFromInline static var notANumber: ValueFailure {
    ValueFailure(problem: "is NaN, which the database would store as NULL", remedy: "make the property optional and store nil instead")
  }
}
