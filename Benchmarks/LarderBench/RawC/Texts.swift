import GRDBSQLite

// Texts between SQLite and Swift, without a copy that isn't needed.

/// Reads a text. The column is looked up once; its kind is not asked for, because SQLite returns no text for NULL.
@inline(__always)
func text(_ row: OpaquePointer, _ column: Int32) -> String? {
  let value = sqlite3_column_value(row, column)
  guard let bytes = sqlite3_value_text(value) else { return nil }
  let utf8 = UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(value)))
  guard isASCII(utf8) else { return String(decoding: utf8, as: UTF8.self) }
  #if compiler(>=6.2)
  if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
    // Doesn't look at the bytes again.
    return String(copying: unsafe UTF8Span(unchecked: utf8.span, isKnownASCII: true))
  }
  #endif
  return String(decoding: utf8, as: UTF8.self)
}

/// Returns whether all bytes are ASCII, eight at a time.
@inline(__always)
private func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
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

/// Binds a text while the closure runs, or NULL for nil.
///
/// Swift lends the bytes of a `String` to a closure. The statement is executed in there, so nobody copies them (`SQLITE_STATIC`). Several texts are closures within closures.
@inline(__always)
func withText<Result>(
  _ text: String?, boundTo statement: OpaquePointer, _ parameter: Int32, _ body: () throws -> Result
) rethrows -> Result {
  guard var text else {
    sqlite3_bind_null(statement, parameter)
    return try body()
  }
  return try text.withUTF8 { utf8 in
    bind(UnsafeRawBufferPointer(utf8), to: statement, parameter)
    return try body()
  }
}

/// Binds the bytes of a text, which outlive the step.
@inline(__always)
func bind(_ utf8: UnsafeRawBufferPointer, to statement: OpaquePointer, _ parameter: Int32) {
  // Without an address, SQLite would bind NULL.
  guard let bytes = utf8.baseAddress else {
    sqlite3_bind_text(statement, parameter, "", 0, nil)
    return
  }
  sqlite3_bind_text(statement, parameter, bytes.assumingMemoryBound(to: CChar.self), Int32(utf8.count), nil)
}
