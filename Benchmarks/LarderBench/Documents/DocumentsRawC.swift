import Foundation
import GRDBSQLite

/// A table with a column of JSON, by hand: kept statements, Foundation's coders, SQLite's JSON functions in conditions.
final class DocumentsRawC {
  private let connection: RawConnection
  private let insertion: RawStatement
  private let selection: RawStatement
  private let lookUp: RawStatement
  private let question: RawStatement

  init(path: String) throws {
    connection = try RawConnection(path: path, creating: true)
    try connection.execute("PRAGMA journal_mode = WAL")
    try connection.execute("CREATE TABLE people (key TEXT NOT NULL PRIMARY KEY, json TEXT NOT NULL) STRICT")
    insertion = try RawStatement("INSERT INTO people (key, json) VALUES (?1, ?2)", on: connection)
    selection = try RawStatement("SELECT key, json FROM people", on: connection)
    lookUp = try RawStatement("SELECT json FROM people WHERE key = ?1", on: connection)
    question = try RawStatement(
      "SELECT key FROM people WHERE json_extract(json, '$.age') = ?1 AND json_extract(json, '$.isMember') = ?2",
      on: connection)
  }

  func clear() throws {
    try connection.execute("DELETE FROM people")
    try connection.emptyLog()
  }

  func index() throws {
    try connection.execute("CREATE INDEX people_age ON people (json_extract(json, '$.age'))")
  }

  func insert(_ people: [(key: String, value: DocumentPerson)]) throws {
    let encoder = JSONEncoder()
    try transaction {
      for (key, person) in people { try insert(key, encoder.encode(person)) }
    }
  }

  func insert(texts: [(key: String, value: String)]) throws {
    try transaction {
      for (key, json) in texts { try insert(key, json) }
    }
  }

  private func insert(_ key: String, _ json: some Sequence<UInt8>) throws {
    try insert(key, String(decoding: Array(json), as: UTF8.self))
  }

  private func insert(_ key: String, _ json: String) throws {
    var (key, json) = (key, json)
    let code = key.withUTF8 { key in
      json.withUTF8 { json in
        Self.bind(insertion, 1, key)
        Self.bind(insertion, 2, json)
        let code = sqlite3_step(insertion.pointer)
        sqlite3_reset(insertion.pointer)
        return code
      }
    }
    guard code == SQLITE_DONE else { throw SQLiteFailure(connection.handle) }
  }

  func fetchAll() throws -> [DocumentPerson] {
    let decoder = JSONDecoder()
    var people: [DocumentPerson] = []
    try rows(of: selection) { pointer in
      let value = sqlite3_column_value(pointer, 1)
      let json = Data(bytes: sqlite3_value_text(value), count: Int(sqlite3_value_bytes(value)))
      people.append(try decoder.decode(DocumentPerson.self, from: json))
    }
    return people
  }

  func texts(_ keys: [String]) throws -> [String] {
    try keys.map { key in
      var (key, found) = (key, "")
      try key.withUTF8 { key in
        Self.bind(lookUp, 1, key)
        try rows(of: lookUp) { found = Self.text($0, 0) }
      }
      return found
    }
  }

  /// The keys of those of an age who are members or not, by SQL that is kept, with its values bound.
  func keys(age: Int, isMember: Bool) throws -> [String] {
    var keys: [String] = []
    sqlite3_bind_int64(question.pointer, 1, Int64(age))
    sqlite3_bind_int64(question.pointer, 2, isMember ? 1 : 0)
    try rows(of: question) { keys.append(Self.text($0, 0)) }
    return keys
  }

  // MARK: Statements

  private func transaction(_ body: () throws -> Void) throws {
    try connection.execute("BEGIN IMMEDIATE")
    try body()
    try connection.execute("COMMIT")
  }

  private func rows(of statement: RawStatement, _ body: (OpaquePointer) throws -> Void) throws {
    defer { sqlite3_reset(statement.pointer) }
    while true {
      switch sqlite3_step(statement.pointer) {
      case SQLITE_ROW: try body(statement.pointer)
      case SQLITE_DONE: return
      default: throw SQLiteFailure(connection.handle)
      }
    }
  }

  /// Binds without a copy: the text outlives the step.
  private static func bind(_ statement: RawStatement, _ position: Int32, _ text: UnsafeBufferPointer<UInt8>) {
    sqlite3_bind_text(
      statement.pointer, position, UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self),
      Int32(text.count), nil)
  }

  private static func text(_ pointer: OpaquePointer, _ column: Int32) -> String {
    let value = sqlite3_column_value(pointer, column)
    let bytes = UnsafeBufferPointer(start: sqlite3_value_text(value), count: Int(sqlite3_value_bytes(value)))
    return String(decoding: bytes, as: UTF8.self)
  }
}
