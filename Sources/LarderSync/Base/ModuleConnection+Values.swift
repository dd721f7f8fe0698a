import Foundation
import GRDBSQLite
import Larder

extension ModuleConnection {
  /// Executes a kept statement with these arguments.
  func run(_ sql: String, _ arguments: [ReplicatedValue] = []) throws {
    try withStatement(sql) { statement in
      bind(arguments, to: statement)
      while try step(statement) {}
    }
  }

  /// Returns what the closure makes of each row of a kept statement.
  func rows<Output>(
    _ sql: String, _ arguments: [ReplicatedValue] = [], _ body: (StatementRow) throws -> Output
  ) throws -> [Output] {
    try withStatement(sql) { statement in
      bind(arguments, to: statement)
      var rows: [Output] = []
      while try step(statement) { rows.append(try body(StatementRow(statement: statement))) }
      return rows
    }
  }

  /// Returns what the closure makes of the first row of a kept statement; nil if there is none.
  func first<Output>(
    _ sql: String, _ arguments: [ReplicatedValue] = [], _ body: (StatementRow) throws -> Output
  ) throws -> Output? {
    try withStatement(sql) { statement in
      bind(arguments, to: statement)
      return try step(statement) ? try body(StatementRow(statement: statement)) : nil
    }
  }

  /// Returns whether a kept statement has a row for which the closure says so. The rows after it aren't read.
  func contains(_ sql: String, _ isWanted: (StatementRow) throws -> Bool) throws -> Bool {
    try withStatement(sql) { statement in
      while try step(statement) {
        if try isWanted(StatementRow(statement: statement)) { return true }
      }
      return false
    }
  }

  /// Returns whether a kept statement finds a row.
  func finds(_ sql: String, _ arguments: [ReplicatedValue] = []) throws -> Bool {
    try first(sql, arguments) { _ in true } ?? false
  }

  /// Binds the arguments. SQLite copies text and bytes, because the statement outlives them.
  private func bind(_ arguments: [ReplicatedValue], to statement: OpaquePointer) {
    // Source: SQLITE_TRANSIENT in <https://www.sqlite.org/c3ref/c_static.html>.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    for (position, argument) in arguments.enumerated() {
      let place = Int32(position + 1)
      switch argument {
      case .null: sqlite3_bind_null(statement, place)
      case .integer(let value): sqlite3_bind_int64(statement, place, value)
      case .real(let value): sqlite3_bind_double(statement, place, value)
      case .text(let bytes):
        bytes.withUnsafeBytes { bytes in
          let text = bytes.bindMemory(to: CChar.self).baseAddress
          if let text {
            _ = sqlite3_bind_text64(
              statement, place, text, UInt64(bytes.count), transient, UInt8(truncatingIfNeeded: SQLITE_UTF8))
          } else {
            _ = sqlite3_bind_text(statement, place, "", 0, transient)
          }
        }
      case .blob(let bytes):
        bytes.withUnsafeBytes { bytes in
          if let start = bytes.baseAddress {
            _ = sqlite3_bind_blob64(statement, place, start, UInt64(bytes.count), transient)
          } else {
            _ = sqlite3_bind_zeroblob(statement, place, 0)
          }
        }
      }
    }
  }
}

/// The current row of a statement. Columns count from zero.
struct StatementRow {
  let statement: OpaquePointer

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

  func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

  func bytes(_ column: Int32) -> Data {
    // The order is SQLite's: the bytes first, then their number.
    let start = sqlite3_column_blob(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    return start.map { Data(bytes: $0, count: count) } ?? Data()
  }

  func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

  func value(_ column: Int32) -> ReplicatedValue {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_FLOAT: .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT: .text(bytes(column))
    case SQLITE_BLOB: .blob(bytes(column))
    default: .null
    }
  }
}

extension ReplicatedValue {
  /// Creates a text.
  init(_ text: String) { self = .text(Data(text.utf8)) }

  /// Creates a value as the database stores it.
  init(_ value: Value) {
    switch value {
    case .null: self = .null
    case .integer(let value): self = .integer(value)
    case .real(let value): self = .real(value)
    case .text(let value): self = .text(Data(value.utf8))
    case .blob(let value): self = .blob(value)
    }
  }

  var isNull: Bool { self == .null }

  /// Returns a number in the form in which a column of this class holds it, if that is exact; any other value as it is.
  func converted(to storageClass: StorageClass) -> ReplicatedValue {
    switch (self, storageClass) {
    case (.integer(let value), .real): Double(exactly: value).map { .real($0) } ?? self
    case (.real(let value), .integer): Int64(exactly: value).map { .integer($0) } ?? self
    default: self
    }
  }

  /// Whether a column of this class can hold the value.
  func fits(_ storageClass: StorageClass) -> Bool {
    switch (self, storageClass) {
    case (.integer, .integer), (.real, .real), (.text, .text), (.blob, .blob): true
    default: false
    }
  }

  /// Whether a column of this class can hold the value, and a property can be read that has it.
  ///
  /// - Parameter test: The test of the property's type; nil if the type has every value of the class.
  func isReadable(_ storageClass: StorageClass, _ test: ValueTest?) -> Bool {
    guard fits(storageClass) else { return false }
    if case .text(let bytes) = self {
      // Most text is ASCII, and needs no string to be made.
      let isValid = bytes.withUnsafeBytes { bytes in
        bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
      }
      guard isValid else { return false }
    }
    return test?.passes(stored) ?? true
  }
}

extension String {
  /// The name in SQL.
  var quotedName: String {
    // Few names have a quotation mark, and looking for it is quicker than replacing.
    utf8.contains(UInt8(ascii: "\"")) ? "\"" + replacing("\"", with: "\"\"") + "\"" : "\"" + self + "\""
  }
  /// The text as a literal of SQL.
  var quotedLiteral: String { "'" + replacing("'", with: "''") + "'" }
}
