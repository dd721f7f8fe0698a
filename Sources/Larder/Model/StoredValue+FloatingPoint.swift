extension Double: StoredValue {
  @inlinable public static var storageClass: StorageClass { .real }

  public init(storedValue: Value) throws {
    switch storedValue {
    case .real(let real): self = real
    case .integer(let integer):
      guard let value = Double(exactly: integer) else { throw ValueFailure.inexact(integerFor: "Double") }
      self = value
    case .text(let text):
      guard let spelling = DecimalSpelling(text) else { throw ValueFailure.unexpected(storedValue, expected: "Double") }
      guard let value = spelling.double(of: text) else { throw ValueFailure.inexact(integerFor: "Double") }
      self = value
    case .null, .blob: throw ValueFailure.unexpected(storedValue, expected: "Double")
    }
  }

  /// Throws for NaN, which SQLite would store as NULL.
  public func storedValue() throws -> Value {
    if isNaN { throw ValueFailure.notANumber }
    return .real(self)
  }

  @inlinable @inline(__always) public init(from column: StoredColumn) throws {
    if let real = column.exactReal {
      self = real
    } else {
      self = try Self.converted(column)
    }
  }

  @_documentation(visibility: internal)
  @inlinable @inline(__always)
  public static func _readStrict(_ statement: OpaquePointer, _ index: Int32, isNull: inout Bool) -> Double? {
    RowReader.real(statement, index, isNull: &isNull)
  }

  @inlinable @inline(__always) public func bind(to parameter: inout StatementParameter) throws {
    if isNaN { throw ValueFailure.notANumber }
    parameter.bind(self)
  }
}

extension Float: StoredValue {
  @inlinable public static var storageClass: StorageClass { .real }

  /// Reads the nearest `Float`. Throws for a number that is too large, or so small that it would become zero.
  public init(storedValue: Value) throws {
    try self.init(nearest: try Double(storedValue: storedValue))
  }

  @usableFromInline
  init(nearest real: Double) throws {
    self = Float(real)
    guard isFinite == real.isFinite, isZero == (real == 0) else {
      throw ValueFailure(problem: "holds a number outside the range of Float", remedy: "make the property a Double")
    }
  }

  public func storedValue() throws -> Value {
    try Double(self).storedValue()
  }

  @inlinable @inline(__always) public init(from column: StoredColumn) throws {
    try self.init(nearest: try Double(from: column))
  }

  @inlinable @inline(__always) public func bind(to parameter: inout StatementParameter) throws {
    try Double(self).bind(to: &parameter)
  }
}

extension ValueFailure {
  static func inexact(integerFor type: String) -> ValueFailure {
    ValueFailure(
      problem: "holds a number that \(type) would round or not hold",
      remedy: "make the property an Int64, a Decimal or a String")
  }

  @usableFromInline static var notANumber: ValueFailure {
    ValueFailure(
      problem: "is NaN, which the database would store as NULL",
      remedy: "make the property optional and store nil instead")
  }
}
