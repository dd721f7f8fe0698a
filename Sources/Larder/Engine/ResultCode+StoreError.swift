import Foundation
internal import GRDB
import GRDBSQLite

/// Extended result codes, which are C macros that Swift cannot read. Source:
/// <https://www.sqlite.org/rescode.html#extrc>.
private enum ExtendedCode {
  static let sharedMemorySize = SQLITE_IOERR | (19 << 8)
  static let check = SQLITE_CONSTRAINT | (1 << 8)
  static let foreignKey = SQLITE_CONSTRAINT | (3 << 8)
  static let notNull = SQLITE_CONSTRAINT | (5 << 8)
  static let primaryKey = SQLITE_CONSTRAINT | (6 << 8)
  static let trigger = SQLITE_CONSTRAINT | (7 << 8)
  static let unique = SQLITE_CONSTRAINT | (8 << 8)
  static let rowID = SQLITE_CONSTRAINT | (10 << 8)
}

/// What an error message needs to know of the model at hand.
///
/// It refers to the schema and reads the names only for an error: one is made for each statement.
struct ErrorContext {
  private let source: any NameSource

  init<M: Model>(_ model: M.Type) {
    source = M.schema
  }

  /// Creates the context of errors for which only the table is known.
  init(_ definition: TableDefinition) {
    source = definition
  }

  var model: String { source.modelName }
  var table: String { source.tableName }

  /// Whether the columns are those of the key.
  func isKey(_ columns: [String]) -> Bool { Set(columns) == Set(source.keyNames) }

  /// Returns the property of a column.
  func property(_ column: String) -> String? {
    source.property(ofColumn: column)
  }
}

/// A table with the names that messages use.
private protocol NameSource {
  var modelName: String { get }
  var tableName: String { get }
  /// The properties of the key.
  var keyNames: [String] { get }
  func property(ofColumn name: String) -> String?
}

extension ModelSchema: NameSource {
  fileprivate var tableName: String { table }
  fileprivate var keyNames: [String] { keyColumns.map(\.property) }

  fileprivate func property(ofColumn name: String) -> String? {
    columns.first { $0.name == name }?.property
  }
}

extension TableDefinition: NameSource {
  fileprivate var modelName: String { model }
  fileprivate var tableName: String { name }
  fileprivate var keyNames: [String] { keyColumns.map(\.property) }

  fileprivate func property(ofColumn name: String) -> String? {
    column(name)?.property
  }
}

extension StoreError {
  /// The error for a result code of the connection's last call.
  ///
  /// - Parameter isExecuting: Whether the statement was compiled already.
  init(_ result: ResultCode, on handle: OpaquePointer, context: ErrorContext?, isExecuting: Bool = false) {
    let extended = sqlite3_extended_errcode(handle)
    let code = extended & 0xFF == result.code & 0xFF ? extended : result.code
    let message = String(cString: sqlite3_errmsg(handle))
    if isExecuting, code & 0xFF == SQLITE_ERROR, Self.blamesSearch(message) {
      self.init(
        .invalidValue, model: context?.model,
        "The search text is not an FTS5 query (\(message)). Use search(typed:) for what people type.")
    } else {
      self.init(code, message, context: context)
    }
  }

  /// Whether a message of a running statement is about the text of a full-text search. Names of columns are missed
  /// while a statement is compiled, unless they stand in the search text.
  private static func blamesSearch(_ message: String) -> Bool {
    ["fts5", "no such column", "unterminated string", "unknown special query", "expected integer, got"].contains {
      message.hasPrefix($0)
    }
  }

  /// The error that GRDB reports while it opens or configures a connection.
  init(_ error: DatabaseError) {
    self.init(error.extendedResultCode.rawValue, error.message ?? "", context: nil)
  }

  /// - Parameters:
  ///   - result: The extended result code. Source: <https://www.sqlite.org/rescode.html>.
  ///   - message: SQLite's own message, which names tables and columns and shows no value.
  init(_ result: Int32, _ message: String, context: ErrorContext?) {
    switch result & 0xFF {
    case SQLITE_CONSTRAINT: self.init(constraint: Self.kind(of: result, message), message, context: context)
    // SQLITE_PROTOCOL: others held the locks of the write-ahead log for ten seconds. Source:
    // <https://www.sqlite.org/rescode.html#protocol>.
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
      self.init(
        .busy, model: context?.model,
        "Another connection keeps the store locked. Try again, or raise Store.Configuration.busyTimeout.")
    case SQLITE_FULL:
      self.init(
        .diskFull, model: context?.model,
        "No space is left for the store; nothing of this call was kept. Free some space and try again.")
    case SQLITE_IOERR where result == ExtendedCode.sharedMemorySize:
      self.init(
        .diskFull, model: context?.model,
        "No space is left for the store; nothing of this call was kept. Free some space and try again.")
    case SQLITE_IOERR:
      self.init(
        .inputOutput, model: context?.model,
        "The file system failed to read or write the store (\(message)). Check the disk, then try again.")
    case SQLITE_READONLY, SQLITE_PERM:
      self.init(
        .readOnly, model: context?.model,
        "The store's file or folder cannot be written. Give this user write access to the file and its folder, or open it with access: .readOnly."
      )
    case SQLITE_CANTOPEN:
      self.init(
        .readOnly,
        "The store's file cannot be opened or created. Check that its folder exists and that this user may write there."
      )
    case SQLITE_CORRUPT:
      self.init(
        .corrupt, model: context?.model,
        "The store's file is damaged, or the disk cannot be read (\(message)). Restore it from a backup; the sqlite3 command .recover saves what is whole."
      )
    case SQLITE_NOTADB:
      self.init(
        .notAStore,
        "The file is not an SQLite database, or its first page is damaged. Open another file, or restore this one from a backup."
      )
    case SQLITE_TOOBIG:
      self.init(
        .invalidValue, model: context?.model,
        "A value is larger than the billion bytes that SQLite keeps in one place. Keep it in a file beside the store.")
    default: self.init(other: message, context: context)
    }
  }

  /// The triggers of a context keep the rules of the tables, and say so in SQLite's own words.
  private static func kind(of result: Int32, _ message: String) -> Int32 {
    guard result == ExtendedCode.trigger else { return result }
    let kinds = [
      "UNIQUE constraint failed": ExtendedCode.unique, "NOT NULL constraint failed": ExtendedCode.notNull,
      "FOREIGN KEY constraint failed": ExtendedCode.foreignKey,
    ]
    return kinds.first { message.hasPrefix($0.key) }?.value ?? result
  }

  private init(constraint result: Int32, _ message: String, context: ErrorContext?) {
    if let refusal = DerivedRefusal(message) {
      self = refusal.error
      return
    }
    let columns = Self.columns(in: message, of: context)
    let property = columns.first
    let place = [context?.model, columns.isEmpty ? nil : columns.joined(separator: ", ")].compactMap { $0 }.joined(
      separator: ".")
    switch result {
    case ExtendedCode.primaryKey, ExtendedCode.unique, ExtendedCode.rowID:
      let isKey = columns.isEmpty || context?.isKey(columns) == true
      let remedy =
        isKey
        ? "Use save(_:) to replace the row with the same key, or choose another value."
        : "Choose another value, or replace that row with save(_:onConflict:)."
      self.init(
        .duplicate, model: context?.model, property: property,
        "\(place.isEmpty ? message : place) must be unique, and a row with this value is already there. \(remedy)")
    case ExtendedCode.foreignKey:
      self.init(
        .referenced, model: context?.model,
        "A row refers to one that would not be there. Save the row that is referred to first, or delete the rows that refer to it first."
      )
    case ExtendedCode.notNull:
      self.init(
        .constraint, model: context?.model, property: property,
        "\(place.isEmpty ? message : place) must have a value. Make the column optional in the file, or the property non-optional."
      )
    case ExtendedCode.check:
      self.init(
        .constraint, model: context?.model,
        "A rule of the table refuses the row (\(message)). Change the value so that the rule holds.")
    default:
      self.init(
        .constraint, model: context?.model, property: property,
        "The table refuses the row (\(message)). Change the value so that its rules hold.")
    }
  }

  private init(other message: String, context: ErrorContext?) {
    let model = context?.model
    if let error = RefusedValue.error(in: message) {
      self = error
    } else if message.hasPrefix("no such table") || message.hasPrefix("no such column")
      || message.contains("has no column named")
    {
      self.init(
        .schemaMismatch, model: model,
        "The file does not fit the model (\(message)). Open the store with the model, or correct its name.")
    } else if message == SQLFunctions.notDecimal {
      self.init(
        .invalidValue, model: model,
        "In some row \(message). Correct it with a migration, or make the property a String.")
    } else if message.contains("malformed JSON") || message.contains("JSON path error") {
      self.init(
        .invalidValue, model: model,
        "A column that is read as JSON holds none (\(message)). Correct it with a migration.")
    } else if message.contains(FunctionFailure.integerOverflow) {
      self.init(
        .invalidValue, model: model,
        "A sum or product leaves the range of 64-bit integers. Compute with `.double`, or keep the property as a Double or Decimal."
      )
    } else if message == FunctionFailure.integerOutOfRange {
      self.init(
        .invalidValue, model: model,
        "A computed integer is outside the range of the property's type. Give the property the type Int.")
    } else if message == FunctionFailure.outsideFloat {
      self.init(
        .invalidValue, model: model,
        "A computed number is outside the range of Float. Give the property the type Double.")
    } else if message.hasPrefix("parser stack overflow") || message.hasPrefix("Expression tree is too large") {
      self = .nestedTooDeeply
    } else if message.hasPrefix("too many levels of trigger recursion") {
      self = .deletionTooDeep(model)
    } else if message.hasPrefix("too many SQL variables") {
      self.init(
        .unsupported, model: model,
        "The query has more values than SQLite takes. Ask for one of many values with isIn, or fetch in parts.")
    } else if message.hasPrefix("ON CONFLICT clause does not match") {
      self.init(
        .schemaMismatch, model: model,
        "The key's columns have no unique index in the file, so a row cannot be saved by its key. Create one, or use insert and update."
      )
    } else {
      self.init(.unsupported, model: model, "SQLite cannot do this: \(message).")
    }
  }

  private static func deletionTooDeep(_ model: String?) -> StoreError {
    StoreError(
      .unsupported, model: model,
      "Triggers or delete rules lead through more than 1,000 rows, one behind another, which is as far as SQLite goes. Delete the rows at the far end first."
    )
  }

  /// Whether SQLite met its limit of nested triggers.
  var isDeletionTooDeep: Bool { self == Self.deletionTooDeep(model) }

  /// The properties that a message such as "UNIQUE constraint failed: Note.id, Note.title" names.
  private static func columns(in message: String, of context: ErrorContext?) -> [String] {
    guard let context, let start = message.range(of: "failed: ")?.upperBound else { return [] }
    // The names may hold commas and points themselves.
    let prefix = context.table + "."
    guard message[start...].hasPrefix(prefix) else { return [] }
    return message[start...].dropFirst(prefix.count).split(separator: ", " + prefix).map {
      context.property(String($0)) ?? String($0)
    }
  }

  /// Returns the same error with the model's name, if it has none.
  func naming(_ model: String) -> StoreError {
    self.model == nil ? StoreError(code, model: model, property: property, message, position: position) : self
  }
}
