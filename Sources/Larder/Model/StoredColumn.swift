public import Foundation
public import GRDBSQLite

/// One column of the row that a statement stands on. Valid until the statement steps.
///
/// The `sqlite3_column_` functions each find the column anew, under the connection's mutex. This finds it once and asks the value itself, which is
/// safe where, as here, nobody else uses the connection meanwhile: see <https://sqlite.org/c3ref/column_blob.html> on unprotected values.
@frozen
public struct StoredColumn {
  @usableFromInline let pointer: OpaquePointer?
  /// The kind of the stored value, asked for once: every look at it is a call into SQLite.
  @usableFromInline let type: Int32

  @inlinable
  init(_ statement: OpaquePointer, _ index: Int32) {
    pointer = sqlite3_column_value(statement, index)
    type = sqlite3_value_type(pointer)
  }

  /// Whether the column holds NULL.
  @inlinable public var isNull: Bool {
    type == SQLITE_NULL
  }

  /// The integer, without a conversion; nil where the column holds anything else.
  @inlinable public var integer: Int64? {
    type == SQLITE_INTEGER ? sqlite3_value_int64(pointer) : nil
  }

  /// The number, for columns that hold a real or an integer; nil otherwise.
  @inlinable public var real: Double? {
    return type == SQLITE_FLOAT || type == SQLITE_INTEGER ? sqlite3_value_double(pointer) : nil
  }

  /// The text; nil where the column holds anything else. Invalid UTF-8 is repaired with U+FFFD, as everywhere in Swift.
  @inlinable public var text: String? {
    guard type == SQLITE_TEXT, let bytes = sqlite3_value_text(pointer) else { return nil }
    let count = Int(sqlite3_value_bytes(pointer))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// Calls the closure with the bytes of a blob; nil where the column holds anything else.
  @inlinable public func withBlob<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result? {
    guard type == SQLITE_BLOB else { return nil }
    let count = Int(sqlite3_value_bytes(pointer))
    return try body(UnsafeRawBufferPointer(start: sqlite3_value_blob(pointer), count: count))
  }

  /// The bytes of a blob, copied; nil where the column holds anything else.
  @inlinable public var blob: Data? {
    withBlob { Data($0) }
  }

  /// The value, whatever its kind.
  public var value: Value {
    switch type {
    case SQLITE_INTEGER: .integer(sqlite3_value_int64(pointer))
    case SQLITE_FLOAT: .real(sqlite3_value_double(pointer))
    case SQLITE_TEXT: .text(text ?? "")
    case SQLITE_BLOB: .blob(blob ?? Data())
    default: .null
    }
  }

  /// The error for a column that does not hold what the type needs.
  @usableFromInline
  func unexpected(expected: String) -> any Error {
    ValueFailure.unexpected(value, expected: expected)
  }
}
