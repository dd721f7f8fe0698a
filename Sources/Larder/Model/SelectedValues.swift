import GRDBSQLite

/// The values of the current row, from left to right.
@usableFromInline
struct SelectedValues {
  @usableFromInline let statement: OpaquePointer
  /// The position of the next value; after an error, one past the value at fault.
  @usableFromInline var index: Int32 = 0
  /// Whether SQLite makes sure that each column holds a value of its property's storage class or NULL.
  @usableFromInline var isStrict = false
  private let models: any ModelRowReader

  init(_ statement: OpaquePointer, _ models: any ModelRowReader) {
    self.statement = statement
    self.models = models
  }

  /// Returns to the first value, of another row.
  @inlinable
  mutating func begin() { index = 0 }

  @inlinable
  mutating func advance() -> StoredColumn {
    defer { index &+= 1 }
    return StoredColumn(statement, index)
  }

  /// Reads a stored property.
  @inlinable
  @inline(__always)
  mutating func property<Output: StoredValue>() throws -> Output {
    defer { index &+= 1 }
    var isNull = false
    if isStrict, let value = Output._readStrict(statement, index, isNull: &isNull) { return value }
    return try Output(from: StoredColumn(statement, index))
  }

  /// Reads a whole row of a model. Its errors name the property.
  mutating func next<M: Model>(_ model: M.Type) throws -> M {
    defer { index += Int32(M.schema.columns.count) }
    return try models.decode(model, statement, at: index)
  }

  /// Reads a whole row of a model; nil if a join found none, so that its key is NULL.
  mutating func nextOptional<M: Model>(_ model: M.Type) throws -> M? {
    guard M.schema.keyIndexes.allSatisfy({ StoredColumn(statement, index + Int32($0)).isNull }) else {
      return try next(model)
    }
    index += Int32(M.schema.columns.count)
    return nil
  }
}

/// Reads rows of models. A connection conforms to it; the protocol keeps queries independent of the engine.
protocol ModelRowReader {
  /// Returns the model's row whose columns begin at the position.
  func decode<M: Model>(_ model: M.Type, _ statement: OpaquePointer, at index: Int32) throws -> M
}
