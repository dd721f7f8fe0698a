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
      for (key, person) in people {
        try encoder.encode(person).withUnsafeBytes { json in
          bind(json, to: insertion.pointer, 2)
          try insert(key)
        }
      }
    }
  }

  func insert(texts: [(key: String, value: String)]) throws {
    try transaction {
      for (key, json) in texts {
        try withText(json, boundTo: insertion.pointer, 2) { try insert(key) }
      }
    }
  }

  /// Inserts a document whose JSON is bound already.
  private func insert(_ key: String) throws {
    let code = withText(key, boundTo: insertion.pointer, 1) {
      let code = sqlite3_step(insertion.pointer)
      sqlite3_reset(insertion.pointer)
      return code
    }
    guard code == SQLITE_DONE else { throw SQLiteFailure(connection.handle) }
  }

  func fetchAll() throws -> [DocumentPerson] {
    let decoder = JSONDecoder()
    var people: [DocumentPerson] = []
    try rows(of: selection) { pointer in
      let value = sqlite3_column_value(pointer, 1)
      guard let json = sqlite3_value_text(value) else { return }
      // SQLite's bytes stay where they are until the next step.
      let data = Data(
        bytesNoCopy: UnsafeMutableRawPointer(mutating: json), count: Int(sqlite3_value_bytes(value)), deallocator: .none
      )
      people.append(try decoder.decode(DocumentPerson.self, from: data))
    }
    return people
  }

  func texts(_ keys: [String]) throws -> [String] {
    try keys.map { key in
      var found = ""
      try withText(key, boundTo: lookUp.pointer, 1) {
        try rows(of: lookUp) { found = text($0, 0) ?? "" }
      }
      return found
    }
  }

  /// The keys of those of an age who are members or not, by SQL that is kept, with its values bound.
  func keys(age: Int, isMember: Bool) throws -> [String] {
    var keys: [String] = []
    sqlite3_bind_int64(question.pointer, 1, Int64(age))
    sqlite3_bind_int64(question.pointer, 2, isMember ? 1 : 0)
    try rows(of: question) { keys.append(text($0, 0) ?? "") }
    return keys
  }

  // MARK: Statements

  private func transaction(_ body: () throws -> Void) throws {
    try connection.execute("BEGIN IMMEDIATE")
    try body()
    try connection.execute("COMMIT")
  }

  @inline(__always)
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
}
