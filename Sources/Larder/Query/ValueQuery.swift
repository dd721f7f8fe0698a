import GRDBSQLite

/// A query whose results aren't rows of one model: selected values, groups, or joined rows.
///
/// ``SelectedQuery``, ``GroupedQuery`` and ``JoinedQuery`` conform to it. Write functions against this protocol for
/// what applies to all of them: `func show<Q: ValueQuery>(_ query: Q) where Q.Result == (String, Int)`.
public protocol ValueQuery<Result>: Sendable {
  /// What the query returns for each row or group.
  associatedtype Result

  /// What the store executes. Don't call it yourself.
  var _statement: ValueStatement<Result> { get }
}

/// The statement of a ``ValueQuery``, and how its rows are read.
@_documentation(visibility: internal)
public struct ValueStatement<Result>: Sendable {
  /// The model that messages name.
  let model: any Model.Type
  /// The values in their order, as far as they are values of that model.
  let nodes: [SQLNode]
  let write: @Sendable (inout SQLWriter) throws -> Void
  let decode: @Sendable (inout SelectedValues) throws -> Result
}

/// The values of the current row, from left to right.
struct SelectedValues {
  let statement: OpaquePointer
  /// The position of the next value; after a throw of ``next(_:)``, one past the value at fault.
  private(set) var index: Int32 = 0
  private let models: any ModelRowReader

  init(_ statement: OpaquePointer, _ models: any ModelRowReader) {
    self.statement = statement
    self.models = models
  }

  mutating func next<Value>(_ coding: ColumnCoding<Value>) throws -> Value {
    let column = StoredColumn(statement, index)
    index += 1
    return try coding.read?(column) ?? coding.decode(try column.exactValue)
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

extension SQLWriter {
  /// Writes the values of a `SELECT`.
  mutating func writeList(_ nodes: [SQLNode]) throws {
    for (position, node) in nodes.enumerated() {
      if position > 0 { write(", ") }
      try write(node.asValue)
    }
  }

  /// Writes values by which rows are grouped or sorted.
  mutating func writeOrderedList(_ nodes: [SQLNode]) throws {
    for (position, node) in nodes.enumerated() {
      if position > 0 { write(", ") }
      try writeOrdered(node.asValue, node.order)
    }
  }
}
