import Foundation
import GRDBSQLite

/// Evaluates the `CHECK` constraints of a table by inserting its rows into an empty copy in memory.
///
/// A connection that only reads doesn't have the constraints: SQLite leaves them out of the schema there. Source:
/// `sqlite3AddCheckConstraint` in <https://www.sqlite.org/src/file/src/build.c>.
final class ConstraintEvaluator {
  /// What SQLite says of a row.
  enum Verdict: Equatable {
    case satisfied
    /// The name of a constraint that the row violates, or its expression if it has no name.
    case violated(String)
    /// The constraints could not be evaluated.
    case undetermined
  }

  /// The extended result codes that SQLite has as macros, which Swift can't read. Source:
  /// <https://www.sqlite.org/rescode.html#extrc>.
  private enum ExtendedCode {
    static let check = SQLITE_CONSTRAINT | (1 << 8)
    /// Of primary keys, unique columns and row IDs.
    static let keys = Set([6, 8, 10].map { SQLITE_CONSTRAINT | ($0 << 8) } as [Int32])
  }

  /// What compiling the declaration of a table asks leave for. A hostile file may declare something else.
  private static let actions: Set<Int32> = [
    SQLITE_CREATE_TABLE, SQLITE_CREATE_INDEX, SQLITE_INSERT, SQLITE_UPDATE, SQLITE_READ, SQLITE_FUNCTION,
  ]
  /// How many instructions SQLite executes between two questions whether it has to end.
  private static let progressInterval: Int32 = 10_000

  private let handle: OpaquePointer
  /// Keeps the context of the progress handler.
  private let connection: Connection
  private let columnCount: Int32
  private var insertion: OpaquePointer?
  private var deletion: OpaquePointer?

  /// - Parameters:
  ///   - declaration: The statement that creates the table, in the bytes that the file has, and a zero.
  ///   - columns: The columns of the rows, without computed ones, and the name of the row ID, if there is one.
  ///   - connection: The connection that reads the rows. What ends its statements ends these.
  /// - Throws: ``StoreError`` with SQLite's message if the table can't be created.
  init(_ declaration: [UInt8], columns: [String], for connection: Connection) throws {
    let encoding = try connection.query("PRAGMA encoding").first?["encoding"]?.text
    var pointer: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let result = sqlite3_open_v2(":memory:", &pointer, flags, nil)
    guard let pointer, result == SQLITE_OK else {
      sqlite3_close_v2(pointer)
      throw StoreError(.unsupported, "SQLite could not create a table in memory.")
    }
    handle = pointer
    self.connection = connection
    columnCount = Int32(columns.count)
    sqlite3_progress_handler(
      handle, Self.progressInterval,
      { context in
        guard let context else { return 0 }
        return Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().mustStop ? 1 : 0
      }, Unmanaged.passUnretained(connection).toOpaque())
    if let encoding { try execute("PRAGMA encoding = \(Quoting.literal(encoding))") }
    try create(declaration)
    let table = Quoting.name(try createdTable())
    let list = columns.map(Quoting.name).joined(separator: ", ")
    let values = columns.map { _ in "?" }.joined(separator: ", ")
    try execute("BEGIN")
    // With its own clause, no clause of the table lets SQLite pass over a row.
    insertion = try compile("INSERT OR ABORT INTO \(table) (\(list)) VALUES (\(values))")
    deletion = try compile("DELETE FROM \(table)")
  }

  deinit {
    sqlite3_finalize(insertion)
    sqlite3_finalize(deletion)
    sqlite3_close_v2(handle)
  }

  /// Executes the first statement of the declaration, if it does nothing but create a table.
  private func create(_ declaration: [UInt8]) throws {
    sqlite3_set_authorizer(
      handle,
      { _, action, _, name, _, _ in
        guard ConstraintEvaluator.actions.contains(action) else { return SQLITE_DENY }
        // It hands out addresses of memory.
        let isDangerous = action == SQLITE_FUNCTION && name.map { strcasecmp($0, "fts3_tokenizer") == 0 } == true
        return isDangerous ? SQLITE_DENY : SQLITE_OK
      }, nil)
    defer { sqlite3_set_authorizer(handle, nil, nil) }
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let result = declaration.withUnsafeBytes {
      sqlite3_prepare_v2(handle, $0.assumingMemoryBound(to: CChar.self).baseAddress, -1, &statement, nil)
    }
    guard result == SQLITE_OK, sqlite3_step(statement) == SQLITE_DONE else { throw failure }
  }

  private func createdTable() throws -> String {
    let statement = try compile("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'sqlite_sequence'")
    defer { sqlite3_finalize(statement) }
    guard sqlite3_step(statement) == SQLITE_ROW, let statement, let name = StoredColumn(statement, 0).text else {
      throw StoreError(.unsupported, "its declaration creates no table.")
    }
    return name
  }

  private func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
  }

  private func compile(_ sql: String) throws -> OpaquePointer? {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure }
    return statement
  }

  /// SQLite's message about the declaration. It shows no values, because there are none yet.
  private var failure: StoreError {
    StoreError(.unsupported, "\(Self.shortened(String(cString: sqlite3_errmsg(handle)))).")
  }

  /// Returns what SQLite says of the current row of a statement, whose first columns are those of the table.
  func verdict(on row: OpaquePointer) -> Verdict {
    for column in 0..<columnCount { sqlite3_bind_value(insertion, column + 1, sqlite3_column_value(row, column)) }
    let result = sqlite3_step(insertion)
    let code = sqlite3_extended_errcode(handle)
    defer { sqlite3_reset(insertion) }
    if result == SQLITE_DONE {
      defer { sqlite3_reset(deletion) }
      return sqlite3_step(deletion) == SQLITE_DONE ? .satisfied : .undetermined
    }
    // SQLite looks at keys and unique columns last.
    if ExtendedCode.keys.contains(code) { return .satisfied }
    guard code == ExtendedCode.check else { return .undetermined }
    let message = String(cString: sqlite3_errmsg(handle))
    return .violated(Self.shortened(String(message.drop { $0 != ":" }.dropFirst())))
  }

  /// The most characters of a schema that a message shows.
  private static let longest = 80

  private static func shortened(_ text: String) -> String {
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ").unicodeScalars
    return words.count > longest ? String(String.UnicodeScalarView(words.prefix(longest))) + "…" : String(words)
  }
}
