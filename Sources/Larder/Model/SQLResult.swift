/// What SQL can return: a stored value, which is one column; a model, which is all of its columns; or an optional of
/// them.
///
/// ```swift
/// let pairs = try await store.sql(
///   "select \(Trip.columns), \(Stop.columns) from \(Trip.self) left join \(Stop.self) on …", as: (Trip, Stop?).self)
/// ```
///
/// Every ``StoredValue`` and ``Model`` conforms to it.
public protocol SQLResult: Sendable {
  /// The columns of a model in their order; nil for a single value.
  @_documentation(visibility: internal)
  static var _sqlColumns: [String]? { get }

  /// Reads a value from the next columns.
  @_documentation(visibility: internal)
  static func _read(_ row: inout SQLRow) throws -> Self

  /// Reads a value from the next columns; nil if they are NULL.
  @_documentation(visibility: internal)
  static func _readOptional(_ row: inout SQLRow) throws -> Self?
}

/// The current row of a statement, read from left to right.
@_documentation(visibility: internal)
public struct SQLRow {
  var values: SelectedValues
}

extension StoredValue {
  @_documentation(visibility: internal)
  public static var _sqlColumns: [String]? { nil }

  @_documentation(visibility: internal)
  public static func _read(_ row: inout SQLRow) throws -> Self { try Self(from: row.values.advance()) }

  @_documentation(visibility: internal)
  public static func _readOptional(_ row: inout SQLRow) throws -> Self? { try Self?(from: row.values.advance()) }
}

extension Model {
  @_documentation(visibility: internal)
  public static var _sqlColumns: [String]? { schema.columns.map(\.name) }

  @_documentation(visibility: internal)
  public static func _read(_ row: inout SQLRow) throws -> Self { try row.values.next(Self.self) }

  @_documentation(visibility: internal)
  public static func _readOptional(_ row: inout SQLRow) throws -> Self? { try row.values.nextOptional(Self.self) }
}

extension Optional: SQLResult where Wrapped: SQLResult {
  @_documentation(visibility: internal)
  public static var _sqlColumns: [String]? { Wrapped._sqlColumns }

  @_documentation(visibility: internal)
  public static func _read(_ row: inout SQLRow) throws -> Wrapped? { try Wrapped._readOptional(&row) }

  @_documentation(visibility: internal)
  public static func _readOptional(_ row: inout SQLRow) throws -> Wrapped?? { .some(try Wrapped._readOptional(&row)) }
}
