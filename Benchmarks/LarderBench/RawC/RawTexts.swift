import GRDBSQLite

/// Memory for the bytes of the texts that a statement is bound to.
///
/// Swift only lends the bytes of a `String`. They are copied here, which costs less than a copy by SQLite
/// (`SQLITE_TRANSIENT`): that allocates memory for each text.
struct RawTexts {
  private var bytes: UnsafeMutablePointer<CChar>
  private var capacity = 4096
  private var count = 0
  /// Memory that was too small, to which parameters may still be bound.
  private var outgrown: [UnsafeMutablePointer<CChar>] = []

  init() {
    bytes = .allocate(capacity: capacity)
  }

  mutating func deallocate() {
    removeAll()
    bytes.deallocate()
  }

  /// Forgets the texts. Those that were bound must not be used any longer.
  @inline(__always)
  mutating func removeAll() {
    count = 0
    if !outgrown.isEmpty { freeOutgrown() }
  }

  /// Binds a text that holds until ``removeAll()``, or NULL for nil.
  @inline(__always)
  mutating func bind(_ text: String?, to statement: OpaquePointer, _ parameter: Int32) {
    guard var text else {
      sqlite3_bind_null(statement, parameter)
      return
    }
    text.withUTF8 { utf8 in
      if utf8.count > capacity - count { grow(by: utf8.count) }
      let copy = bytes + count
      if let source = utf8.baseAddress { UnsafeMutableRawPointer(copy).copyMemory(from: source, byteCount: utf8.count) }
      count += utf8.count
      sqlite3_bind_text(statement, parameter, copy, Int32(utf8.count), nil)
    }
  }

  private mutating func grow(by length: Int) {
    outgrown.append(bytes)
    capacity = max(capacity * 2, length)
    bytes = .allocate(capacity: capacity)
    count = 0
  }

  private mutating func freeOutgrown() {
    for bytes in outgrown { bytes.deallocate() }
    outgrown.removeAll()
  }
}
