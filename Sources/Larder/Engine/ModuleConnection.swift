import GRDBSQLite

/// A connection of the store as a ``ModuleFeature`` uses it: with SQL of its own, by SQLite's C interface.
package struct ModuleConnection {
  let connection: Connection

  init(_ connection: Connection) {
    self.connection = connection
  }

  /// Calls the closure with a compiled statement, which is kept for the next call with the same text.
  ///
  /// - Parameters:
  ///   - sql: The text of one statement.
  ///   - body: The closure, which binds and steps the statement. The statement is reset afterwards.
  /// - Returns: What `body` returns.
  /// - Throws: ``StoreError`` for SQL that doesn't compile, and what `body` throws.
  package func withStatement<Result>(_ sql: String, _ body: (OpaquePointer) throws -> Result) throws -> Result {
    try connection.using(try connection.statement(sql), [], nil) { statement in
      let result = try body(statement.pointer)
      connection.note(statement)
      return result
    }
  }

  /// Executes a statement without parameters that isn't kept, such as one that changes the schema.
  package func execute(_ sql: String) throws {
    try connection.change(sql)
  }

  /// Steps a statement.
  ///
  /// - Parameter statement: The statement of ``withStatement(_:_:)``.
  /// - Returns: Whether there is a row.
  /// - Throws: ``StoreError``, and `CancellationError` after a cancellation.
  package func step(_ statement: OpaquePointer) throws -> Bool {
    var result = sqlite3_step(statement)
    if result != SQLITE_ROW, result != SQLITE_DONE { result = stepAgain(statement, after: result) }
    if result == SQLITE_ROW { return true }
    guard result == SQLITE_DONE else { throw connection.error(result, nil) }
    return false
  }

  /// Calls the closure in a transaction that takes the write lock at once, and rolls it back if the closure throws.
  ///
  /// - Parameter body: The closure.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, and the errors of any write.
  package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try connection.transaction(body)
  }

  /// Calls the closure in a savepoint of the open transaction, and rolls back to it if the closure throws.
  ///
  /// - Parameter body: The closure.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, and the errors of any write.
  package func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
    try connection.savepoint(body)
  }

  /// Calls the closure so that all of its reads see the same commit.
  ///
  /// - Parameter body: The closure.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, and the errors of any read.
  package func inOneView<Result>(_ body: () throws -> Result) throws -> Result {
    try connection.inOneView(body)
  }

  /// The number of rows that the last statement has changed, without those that triggers have.
  package var changeCount: Int { connection.changeCount }

  /// The number of the open transaction, which no other of the connection has; nil outside of one.
  package var openTransaction: Int? { connection.isAutocommitting ? nil : connection.transactionNumber }

  /// Returns the one object of the type that is kept for the connection.
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - make: Makes the object if there is none.
  package func state<State: AnyObject>(_ type: State.Type, _ make: @autoclosure () -> State) -> State {
    connection.state(type, make())
  }

  /// Whether Larder manages the schema of the file.
  package var isManaged: Bool { connection.environment.isManaged }
  /// The path of the file; nil in memory.
  package var filePath: String? { connection.filePath }

  /// The tables of the models, and those of the pairs of their relationships.
  package var tables: [ModuleTable] {
    get throws { try ModuleTable.all(connection.environment.tables) }
  }
}
