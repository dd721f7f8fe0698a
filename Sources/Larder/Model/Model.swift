public import GRDBSQLite

/// A struct that a ``Store`` keeps. `@Model` writes the conformance.
public protocol Model: Identifiable, Sendable where ID: Sendable {
  /// The type of the columns, which the macro writes.
  associatedtype Columns: ModelColumns where Columns.Root == Self

  /// The columns, as queries name them.
  static var columns: Columns { get }

  /// The table, its columns, options and defaults.
  static var schema: ModelSchema<Self> { get }

  /// Indexes over several properties, and unique rules over several. By default none.
  static var indexes: [Index<Self>] { get }

  /// Makes a value from a row. Throws where a column holds what its property cannot.
  init(from row: inout RowReader) throws

  /// Hands the properties to a row, in the schema's order. Throws for a value that cannot be stored.
  func encode(to row: inout RowWriter) throws

  /// Binds a key in the order of the key's columns.
  static func bind(key: ID, to row: inout RowWriter) throws

  /// Reads a key from the columns of a row in the order of the key's columns. Throws where a column holds what the key cannot.
  static func key(from row: inout RowReader) throws -> ID

  /// Called before every insert and update. What it throws refuses the write and reaches the caller unchanged.
  func validate() throws

  /// Reads every row that the cursor still has. A requirement, so that the loop is compiled for the model itself.
  static func _decodeAll(_ cursor: inout RowCursor, into values: inout [Self]) throws

  /// Reads every row that the cursor still has into the group that it belongs to; a row without a group is left out. A requirement, so that the
  /// loop is compiled for the model itself.
  static func _decodeGroups(_ cursor: inout RowCursor, into groups: inout [[Self]], _ group: (RowCursor) -> Int?) throws

  /// Binds and executes a statement once for each value. A requirement, so that the loop is compiled for the model itself.
  static func _executeAll(_ values: [Self], _ execution: inout RowExecution) throws
}

/// The columns of a model. `@Model` writes one for each model.
public protocol ModelColumns: Sendable {
  /// The model.
  associatedtype Root: Model
  /// The columns of the model; they have no state.
  init()
}

extension Model {
  public static var indexes: [Index<Self>] { [] }

  @inlinable public func validate() throws {}

  @inlinable
  public static func _decodeAll(_ cursor: inout RowCursor, into values: inout [Self]) throws {
    while try cursor.step() {
      var row = RowReader(cursor.statement)
      do {
        values.append(try Self(from: &row))
      } catch {
        cursor.failedColumn = row.index &- 1
        throw error
      }
    }
  }

  @inlinable
  public static func _decodeGroups(_ cursor: inout RowCursor, into groups: inout [[Self]], _ group: (RowCursor) -> Int?) throws {
    while try cursor.step() {
      guard let position = group(cursor) else { continue }
      var row = RowReader(cursor.statement)
      do {
        groups[position].append(try Self(from: &row))
      } catch {
        cursor.failedColumn = row.index &- 1
        throw error
      }
    }
  }

  @inlinable
  public static func _executeAll(_ values: [Self], _ execution: inout RowExecution) throws {
    for value in values {
      try value.validate()
      var row = RowWriter(execution.statement, arena: execution.arena)
      do {
        try value.encode(to: &row)
      } catch {
        execution.failedParameter = row.index
        throw error
      }
      try execution.step()
    }
  }
}

/// A statement that returns rows.
@frozen
public struct RowCursor {
  @usableFromInline let statement: OpaquePointer
  /// The column that could not be read, if one could not.
  @usableFromInline var failedColumn: Int32 = -1

  @usableFromInline
  init(_ statement: OpaquePointer) {
    self.statement = statement
  }

  /// Moves to the next row; false past the last one. Throws the database's error.
  @inlinable
  mutating func step() throws -> Bool {
    var result = sqlite3_step(statement)
    if result == SQLITE_ROW { return true }
    if result == SQLITE_DONE { return false }
    result = stepAgain(statement, after: result)
    guard result == SQLITE_ROW || result == SQLITE_DONE else { throw ResultCode(result) }
    return result == SQLITE_ROW
  }
}

/// Steps once more a statement that SQLite could not compile anew after another connection had changed the schema.
///
/// While it compiles a statement that writes to a full-text index, the index's own statements find that the schema is old, and SQLite cannot read the
/// new one before it has ended compiling. The next time it has. Nothing was executed before.
///
/// - Returns: The result of the step, or the one before for every other error.
@usableFromInline
func stepAgain(_ statement: OpaquePointer, after result: Int32) -> Int32 {
  guard result & 0xFF == SQLITE_SCHEMA else { return result }
  sqlite3_reset(statement)
  return sqlite3_step(statement)
}

/// A statement that writes a row each time that it is executed.
@frozen
public struct RowExecution {
  @usableFromInline let statement: OpaquePointer
  @usableFromInline let arena: BindingArena
  /// The number of the parameter that could not be bound, if one could not.
  @usableFromInline var failedParameter: Int32 = 0
  /// How many values were written before the one at hand.
  @usableFromInline var count = 0
  /// Whether a value that changes no row is an error.
  @usableFromInline let requiresChange: Bool
  /// Whether triggers do the work of the statement: then changes are told by the connection's total.
  @usableFromInline let isOverlaid: Bool

  @usableFromInline
  init(_ statement: OpaquePointer, arena: BindingArena, requiresChange: Bool, isOverlaid: Bool = false) {
    self.statement = statement
    self.arena = arena
    self.requiresChange = requiresChange
    self.isOverlaid = isOverlaid
  }

  /// Executes the statement with what is bound, and makes it ready for the next value.
  @inlinable
  mutating func step() throws {
    guard arena.failure == SQLITE_OK else { throw ResultCode(arena.failure) }
    if isOverlaid { return try stepOverlaid() }
    var result = sqlite3_step(statement)
    if result != SQLITE_DONE { result = stepAgain(statement, after: result) }
    guard result == SQLITE_DONE else { throw ResultCode(result) }
    sqlite3_reset(statement)
    arena.reset()
    if requiresChange, sqlite3_changes(sqlite3_db_handle(statement)) == 0 { throw MissingRow() }
    count &+= 1
  }

  @usableFromInline
  mutating func stepOverlaid() throws {
    let total = sqlite3_total_changes(sqlite3_db_handle(statement))
    var result = sqlite3_step(statement)
    if result != SQLITE_DONE { result = stepAgain(statement, after: result) }
    guard result == SQLITE_DONE else { throw ResultCode(result) }
    sqlite3_reset(statement)
    arena.reset()
    if requiresChange, sqlite3_total_changes(sqlite3_db_handle(statement)) == total { throw MissingRow() }
    count &+= 1
  }
}

/// A result code of SQLite other than success; the store turns it into a ``StoreError``.
@usableFromInline
struct ResultCode: Error {
  let code: Int32

  @usableFromInline
  init(_ code: Int32) {
    self.code = code
  }
}

/// An update found no row with the value's key.
@usableFromInline
struct MissingRow: Error {
  @usableFromInline init() {}
}
