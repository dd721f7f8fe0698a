import Foundation
import GRDBSQLite

/// An empty table in memory with the constraints of another one, in which SQLite says of each row whether it keeps them.
///
/// The constraints are those of the program that made the table. A connection that only reads doesn't have them: SQLite
/// leaves them out of the schema there. Source: `sqlite3AddCheckConstraint` in
/// <https://www.sqlite.org/src/file/src/build.c>.
final class ConstraintProbe {
  /// What SQLite says of a row.
  enum Verdict: Equatable {
    case keeps
    /// The name of the constraint, or what it says if it has none.
    case breaks(String)
    /// The constraints can't be evaluated for the row.
    case isUnknown
  }

  /// The extended result code of a row that breaks a `CHECK` constraint, which is a C macro that Swift can't read.
  /// Source: <https://www.sqlite.org/rescode.html#constraint_check>.
  private static let failedCheck = SQLITE_CONSTRAINT | (1 << 8)
  /// What the declaration of a table does while it is compiled. A hostile file may declare something else.
  private static let actions: Set<Int32> = [
    SQLITE_CREATE_TABLE, SQLITE_CREATE_INDEX, SQLITE_INSERT, SQLITE_UPDATE, SQLITE_READ, SQLITE_FUNCTION,
  ]
  /// How many instructions SQLite executes between two questions whether the check is cancelled.
  private static let progressInterval: Int32 = 10_000

  private let handle: OpaquePointer
  private let connection: Connection
  private var insertion: OpaquePointer?
  private var deletion: OpaquePointer?
  private let columnCount: Int32

  /// - Parameters:
  ///   - declaration: The statement that declares the table, in the bytes that the file has, and a zero.
  ///   - columns: The columns of the rows, without computed ones.
  ///   - connection: The connection that reads the rows. If its work is cancelled, so is this.
  /// - Throws: ``StoreError`` with SQLite's message if the table can't be made.
  init(_ declaration: [UInt8], columns: [String], for connection: Connection) throws {
    var pointer: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let result = sqlite3_open_v2(":memory:", &pointer, flags, nil)
    guard let pointer, result == SQLITE_OK else {
      sqlite3_close_v2(pointer)
      throw StoreError(.unsupported, "SQLite could not make a table in memory.")
    }
    handle = pointer
    self.connection = connection
    columnCount = Int32(columns.count)
    sqlite3_set_authorizer(
      handle,
      { _, action, _, name, _, _ in
        guard ConstraintProbe.actions.contains(action) else { return SQLITE_DENY }
        // It tells addresses in memory.
        let isDangerous = action == SQLITE_FUNCTION && name.map { strcasecmp($0, "fts3_tokenizer") == 0 } == true
        return isDangerous ? SQLITE_DENY : SQLITE_OK
      }, nil)
    let isMade = declaration.withUnsafeBytes {
      sqlite3_exec(handle, $0.assumingMemoryBound(to: CChar.self).baseAddress, nil, nil, nil)
    }
    sqlite3_set_authorizer(handle, nil, nil)
    guard isMade == SQLITE_OK else { throw failure }
    let tables = try compile("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'sqlite_sequence'")
    defer { sqlite3_finalize(tables) }
    guard sqlite3_step(tables) == SQLITE_ROW, let tables, let name = StoredColumn(tables, 0).text else {
      throw StoreError(.unsupported, "its declaration makes no table.")
    }
    let table = Quoting.name(name)
    let list = columns.map(Quoting.name).joined(separator: ", ")
    let values = columns.map { _ in "?" }.joined(separator: ", ")
    // As it is said here, no clause of the table lets SQLite pass over a row.
    insertion = try compile("INSERT OR ABORT INTO \(table) (\(list)) VALUES (\(values))")
    deletion = try compile("DELETE FROM \(table)")
    sqlite3_progress_handler(
      handle, Self.progressInterval,
      { context in
        guard let context else { return 0 }
        return Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().interruption.isPending ? 1 : 0
      }, Unmanaged.passUnretained(connection).toOpaque())
  }

  deinit {
    sqlite3_finalize(insertion)
    sqlite3_finalize(deletion)
    sqlite3_close_v2(handle)
  }

  private func compile(_ sql: String) throws -> OpaquePointer? {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure }
    return statement
  }

  /// SQLite's message about the schema; there are no values yet that it could show.
  private var failure: StoreError {
    StoreError(.unsupported, "\(Self.shortened(String(cString: sqlite3_errmsg(handle)))).")
  }

  /// Returns what SQLite says of the current row of a statement, which selects the columns first.
  func verdict(of row: OpaquePointer) -> Verdict {
    for column in 0..<columnCount { sqlite3_bind_value(insertion, column + 1, sqlite3_column_value(row, column)) }
    let result = sqlite3_step(insertion)
    let code = sqlite3_extended_errcode(handle)
    defer { sqlite3_reset(insertion) }
    if result == SQLITE_DONE {
      sqlite3_step(deletion)
      sqlite3_reset(deletion)
      return .keeps
    }
    // Of other constraints, other parts of the check tell.
    if code & 0xFF == SQLITE_CONSTRAINT, code != Self.failedCheck { return .keeps }
    guard code == Self.failedCheck else { return .isUnknown }
    let message = String(cString: sqlite3_errmsg(handle))
    return .breaks(Self.shortened(String(message.drop { $0 != ":" }.dropFirst())))
  }

  /// The most characters of a schema that a message shows.
  private static let longest = 80

  private static func shortened(_ text: String) -> String {
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ").unicodeScalars
    return words.count > longest ? String(String.UnicodeScalarView(words.prefix(longest))) + "…" : String(words)
  }
}
