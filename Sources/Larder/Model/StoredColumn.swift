public import Foundation
public import GRDBSQLite

/// A column of a statement's current row. Valid until the next step.
///
/// The `sqlite3_column_` functions each look up the column again, under the connection's mutex. This looks it up once
/// and reads the value itself, which is safe because no other thread uses the connection meanwhile: see
/// <https://sqlite.org/c3ref/column_blob.html> on unprotected values.
@frozen
public struct StoredColumn {
  @usableFromInline let pointer: OpaquePointer?
  /// The kind of the stored value, cached because reading it is a call into SQLite.
  @usableFromInline let type: Int32

  @inlinable
  @inline(__always)
  init(_ statement: OpaquePointer, _ index: Int32) {
    pointer = sqlite3_column_value(statement, index)
    type = sqlite3_value_type(pointer)
  }

  /// Whether the column holds NULL.
  @inlinable public var isNull: Bool {
    type == SQLITE_NULL
  }

  /// The integer, without conversion; nil if the column holds anything else.
  @inlinable public var integer: Int64? {
    type == SQLITE_INTEGER ? sqlite3_value_int64(pointer) : nil
  }

  /// The number, if the column holds a real number or an integer; nil otherwise.
  @inlinable public var real: Double? {
    return type == SQLITE_FLOAT || type == SQLITE_INTEGER ? sqlite3_value_double(pointer) : nil
  }

  /// The number, if the column holds a real number; nil for anything else, including an integer.
  @inlinable var exactReal: Double? {
    type == SQLITE_FLOAT ? sqlite3_value_double(pointer) : nil
  }

  /// The text; nil if the column holds anything else, or text that isn't valid UTF-8.
  @inlinable public var text: String? {
    type == SQLITE_TEXT ? Self.text(of: pointer) : nil
  }

  /// Returns the text of a value that is text; nil if its bytes aren't valid UTF-8.
  @usableFromInline
  static func text(of pointer: OpaquePointer?) -> String? {
    guard let bytes = sqlite3_value_text(pointer) else { return nil }
    return text(bytes, of: pointer)
  }

  /// Returns the text with the bytes of a value; nil if they aren't valid UTF-8.
  @inlinable
  @inline(__always)
  static func text(_ bytes: UnsafePointer<UInt8>, of pointer: OpaquePointer?) -> String? {
    let buffer = UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(pointer)))
    guard isASCII(buffer) else { return exactText(buffer) }
    #if compiler(>=6.2)
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      // Doesn't look at the bytes again.
      return String(copying: unsafe UTF8Span(unchecked: buffer.span, isKnownASCII: true))
    }
    #endif
    return String(decoding: buffer, as: UTF8.self)
  }

  /// Returns whether all bytes are ASCII, and therefore valid UTF-8.
  @inlinable
  @inline(__always)
  static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let count = bytes.count
    let bytes = UnsafeRawBufferPointer(bytes)
    var bits: UInt64 = 0
    if count >= 8 {
      var position = 0
      while position &+ 8 < count {
        bits |= bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        position &+= 8
      }
      // The last eight bytes may overlap those before.
      bits |= bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
    } else {
      for byte in bytes { bits |= UInt64(byte) }
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }

  /// Returns the text of the bytes; nil if they aren't valid UTF-8.
  ///
  /// `String(validating:as:)` takes several times as long as decoding with repair, so this decodes and checks for a
  /// repair, which replaces one to three bytes with the three bytes of U+FFFD: the text is then longer, or equally long
  /// with a U+FFFD that the bytes don't have.
  @usableFromInline
  static func exactText(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    var text = String(decoding: bytes, as: UTF8.self)
    guard text.utf8.count == bytes.count else { return nil }
    let isExact = text.withUTF8 { utf8 in
      guard let read = utf8.baseAddress, let stored = bytes.baseAddress else { return true }
      // U+FFFD begins with this byte, and few texts have it.
      return memchr(read, 0xEF, utf8.count) == nil || memcmp(read, stored, utf8.count) == 0
    }
    return isExact ? text : nil
  }

  /// Calls the closure with the bytes of a text, valid or not; returns nil if the column holds anything else.
  func withTextBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result? {
    guard type == SQLITE_TEXT, let bytes = sqlite3_value_text(pointer) else { return nil }
    return try body(UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(pointer))))
  }

  /// Calls the closure with the bytes of a blob.
  ///
  /// - Parameter body: The closure. The bytes are only valid during the call.
  /// - Returns: What `body` returns, or nil if the column doesn't hold a blob.
  /// - Throws: What `body` throws.
  @inlinable public func withBlob<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result? {
    guard type == SQLITE_BLOB else { return nil }
    let count = Int(sqlite3_value_bytes(pointer))
    return try body(UnsafeRawBufferPointer(start: sqlite3_value_blob(pointer), count: count))
  }

  /// A copy of the bytes of a blob; nil if the column holds anything else.
  @inlinable public var blob: Data? {
    withBlob { Data($0) }
  }

  /// The value of any kind. Throws for text that isn't valid UTF-8, which a `String` can't represent.
  @usableFromInline var exactValue: Value {
    get throws {
      guard type == SQLITE_TEXT else { return value }
      guard let text else { throw ValueFailure.invalidText }
      return .text(text)
    }
  }

  /// The value of any kind. Invalid UTF-8 is repaired with U+FFFD.
  public var value: Value {
    switch type {
    case SQLITE_INTEGER: .integer(sqlite3_value_int64(pointer))
    case SQLITE_FLOAT: .real(sqlite3_value_double(pointer))
    case SQLITE_TEXT: .text(withTextBytes { String(decoding: $0, as: UTF8.self) } ?? "")
    case SQLITE_BLOB: .blob(blob ?? Data())
    default: .null
    }
  }

  /// Returns the error for a column that doesn't hold a value of the required type.
  @usableFromInline
  func unexpected(expected: String) -> any Error {
    ValueFailure.unexpected(value, expected: expected)
  }
}

extension ValueFailure {
  @usableFromInline static var invalidText: ValueFailure {
    ValueFailure(
      problem: "holds text that is not valid UTF-8",
      remedy: "read the bytes in SQL with CAST(… AS BLOB), and write them back as text of a known encoding")
  }
}
