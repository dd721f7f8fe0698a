/// A part of the library that takes part in the work of the engine, such as live results or attachments.
///
/// A store has one instance of each feature, which all of its connections share; `Store+Features.swift` creates them.
/// What a feature keeps for one connection is in ``Connection/state(_:_:)``. Every requirement has an implementation
/// that does nothing, so a feature only implements what it needs.
protocol StoreFeature: AnyObject, Sendable {
  // MARK: Connections

  /// The SQL functions that every connection has.
  var functions: [ScalarFunction] { get }

  /// Called when a connection has been opened on a file whose tables match the models.
  func didOpen(_ connection: Connection) throws

  // MARK: Opening and closing the store

  /// Called in the transaction of a migration, before a table is changed.
  func willMigrate(_ connection: Connection) throws

  /// Called in the transaction of a migration, when all tables match the models.
  func didMigrate(_ connection: Connection) throws

  /// Converts what earlier versions have written to the current format. Called after a migration, outside of a
  /// transaction.
  func upgrade(_ connection: Connection) throws

  /// Returns whether the file has something for the feature's service to do. Called before the writer has the
  /// connection.
  func hasWork(_ connection: Connection) throws -> Bool

  /// Starts what the feature does beside the calls of the program.
  ///
  /// - Parameter hasWork: What ``hasWork(_:)`` returned.
  /// - Returns: The service, which the store keeps. It may retain the writer; the feature itself must not.
  func start(_ writer: Writer, hasWork: Bool) -> (any StoreService)?

  /// Called when the store has been closed and its file released.
  func didClose()

  // MARK: Writing

  /// Called before rows of a model are written.
  func willWrite<M: Model>(_ values: [M], _ kind: ModelStatementKind, _ connection: Connection) throws

  /// Called before a statement that writes is executed with the arguments: `updateAll`, or SQL by hand.
  func willExecute(_ arguments: [SQLWriter.Argument], _ connection: Connection) throws

  /// Removes rows that the feature hides and that have the unique values of a value that was refused. Returns whether
  /// there were any.
  func removeHidden<M: Model>(withUniqueValuesOf value: M, _ connection: Connection) throws -> Bool

  /// Returns the error for a message with which one of the feature's triggers has refused a row; nil for any other
  /// message.
  func refusal(_ message: String, _ context: ErrorContext?) -> StoreError?

  // MARK: Transactions

  /// Called when the writer has been used, with what was committed. There may be nothing.
  func didCommit(_ writes: [StatementFacts])

  /// Called when a connection has rolled back.
  ///
  /// - Parameter isOver: Whether the whole transaction has ended, and not only a savepoint in it.
  func didRollBack(_ connection: Connection, isOver: Bool)

  // MARK: SQL by hand

  /// Returns the statement of SQL by the program; nil to compile the SQL as it is.
  func statement(ofUserSQL sql: String, _ connection: Connection) throws -> PreparedStatement?

  /// Returns whether SQL couldn't be compiled because it writes to a table for which one of the feature's views stands.
  func hidesTable(_ error: StoreError, _ connection: Connection) -> Bool

  /// Calls the closure while names refer to the tables for which the feature's views stand, so that SQL can write to
  /// them.
  func revealingTables<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result

  /// Calls the closure while none of the feature's views stands for a table of the file.
  func withoutViews<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result

  // MARK: Observing

  /// Whether the feature observes commits for the program.
  var isObserving: Bool { get }

  /// Called when a feature begins to observe, and while one does, when another connection has or may have committed.
  func observersNeedNews(hasForeignCommits: Bool)

  // MARK: Backups

  /// Begins the backup of what the feature stores beside the file; nil if there is nothing.
  ///
  /// - Parameter partial: The temporary path of the backup of the store's file.
  func beginBackup(of connection: Connection, partial: String) throws -> (any FeatureBackup)?

  /// Removes what a finished backup has beside the copy of the store's file.
  func removeBackup(at path: String)
}

extension StoreFeature {
  var functions: [ScalarFunction] { [] }
  func didOpen(_ connection: Connection) throws {}
  func willMigrate(_ connection: Connection) throws {}
  func didMigrate(_ connection: Connection) throws {}
  func upgrade(_ connection: Connection) throws {}
  func hasWork(_ connection: Connection) throws -> Bool { false }
  func start(_ writer: Writer, hasWork: Bool) -> (any StoreService)? { nil }
  func didClose() {}
  func willWrite<M: Model>(_ values: [M], _ kind: ModelStatementKind, _ connection: Connection) throws {}
  func willExecute(_ arguments: [SQLWriter.Argument], _ connection: Connection) throws {}
  func removeHidden<M: Model>(withUniqueValuesOf value: M, _ connection: Connection) throws -> Bool { false }
  func refusal(_ message: String, _ context: ErrorContext?) -> StoreError? { nil }
  func didCommit(_ writes: [StatementFacts]) {}
  func didRollBack(_ connection: Connection, isOver: Bool) {}
  func statement(ofUserSQL sql: String, _ connection: Connection) throws -> PreparedStatement? { nil }
  func hidesTable(_ error: StoreError, _ connection: Connection) -> Bool { false }
  func revealingTables<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result { try body() }
  func withoutViews<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result { try body() }
  var isObserving: Bool { false }
  func observersNeedNews(hasForeignCommits: Bool) {}
  func beginBackup(of connection: Connection, partial: String) throws -> (any FeatureBackup)? { nil }
  func removeBackup(at path: String) {}
}

/// What a feature does beside the calls of the program, for as long as the store is open.
protocol StoreService: AnyObject, Sendable {
  /// Ends the work. Called when the store is closed; may be called more than once.
  func stop()
}

/// The part of a backup that a feature stores beside the copy of the store's file.
protocol FeatureBackup: AnyObject {
  /// Copies what the finished copy of the file refers to.
  ///
  /// - Parameter skipsMissing: Whether what is missing or damaged is left out; otherwise it is an error.
  func copy(skipsMissing: Bool) throws
  /// Moves the copy to its place beside the file. Returns whether there was one.
  func place(beside path: String) throws -> Bool
  /// Removes the placed copy.
  func remove(beside path: String)
  /// Removes what has not been placed.
  func removePartial()
}
