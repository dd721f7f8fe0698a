/// A part of the library that takes part in the work of the engine, such as live results or attachments.
///
/// A store has one instance of each feature, which all of its connections share; `StoreFeatures+Creation.swift` creates
/// them. What a feature keeps for one connection is in ``Connection/state(_:_:)``. Every requirement has an
/// implementation that does nothing, so a feature only implements what it needs.
protocol StoreFeature: AnyObject, Sendable {
  // MARK: Connections

  /// The SQL functions that every connection has.
  var functions: [ScalarFunction] { get }

  /// Called for each connection of the store before its first use.
  ///
  /// A reader may see a file whose tables don't match the models yet, so create temporary objects only, and read no
  /// table.
  func didOpen(_ connection: Connection) throws

  // MARK: Opening and closing the store

  /// Called in the transaction of a migration, before a table is changed.
  func willMigrate(_ connection: Connection) throws

  /// Called in the transaction of a migration, when all tables match the models.
  ///
  /// If the transaction is rolled back after all, ``didRollBack(_:isOver:)`` follows. A file that matches already isn't
  /// migrated, so a table of the feature's own has to be created when it is first needed.
  func didMigrate(_ connection: Connection) throws

  /// Returns whether rows of a table may have values that its model lacks. ``upgrade(_:)`` takes such rows away.
  func hasUnjudgedRows(inTable name: String, _ connection: Connection) throws -> Bool

  /// Converts rows from formats of earlier versions.
  ///
  /// Called each time a managed store is opened for writing, outside of a transaction. It must be quick if there is
  /// nothing to convert.
  func upgrade(_ connection: Connection) throws

  /// Returns whether the file has rows or files that the feature's service must attend to.
  ///
  /// Called once while a store is opened, when no other thread can use the connection.
  func hasWork(_ connection: Connection) throws -> Bool

  /// Starts the feature's background service, if it has one. The service of a read-only store is stopped at once.
  ///
  /// - Parameter hasWork: What ``hasWork(_:)`` returned; false for a read-only store.
  /// - Returns: The service, which the store keeps. It may retain the writer; the feature itself must not.
  func start(_ writer: Writer, hasWork: Bool) -> (any StoreService)?

  /// Called before the writer's connection is closed, with no transaction open. May write.
  func willClose(_ connection: Connection)

  /// Called when the store has been closed and its file released.
  func didClose()

  // MARK: Writing

  /// Called before rows of a model are written.
  ///
  /// - Parameter values: Returns the rows; an array of a single row is only made for a feature that asks for it.
  func willWrite<M: Model>(_ values: () -> [M], _ kind: ModelStatementKind, _ connection: Connection) throws

  /// Called before `updateAll`, `deleteAll`, changes of links and SQL of the program that writes.
  ///
  /// Deleting a row by its key calls neither this nor ``willWrite(_:_:_:)``.
  func willExecute(_ arguments: [SQLWriter.Argument], _ connection: Connection) throws

  /// Called when a value was refused because another row has one of its unique values. Deletes that row if the feature
  /// hides it from the program.
  ///
  /// - Returns: Whether a row was deleted; the write is then tried again.
  func removeHidden<M: Model>(withUniqueValuesOf value: M, _ connection: Connection) throws -> Bool

  /// Calls the closure again, which computes values and was refused because another row has one of them that is unique.
  /// All rows that the feature hides from the program are deleted before, if one of them was in the way.
  ///
  /// - Parameter error: The refusal, which is thrown if none was.
  func withoutHidden<Result>(
    after error: StoreError, _ connection: Connection, _ body: () throws -> Result
  ) throws
    -> Result

  /// Translates the message of one of the feature's triggers.
  ///
  /// - Returns: The error; nil if the message isn't the feature's.
  func refusal(_ message: String, _ context: ErrorContext?) -> StoreError?

  /// Called in the transaction that has created a collection of documents, before its first document is written.
  func didCreateCollection(_ name: String, _ connection: Connection) throws

  /// Called in the transaction that removes a collection of documents, while it is still there.
  func willRemoveCollection(_ name: String, _ connection: Connection) throws

  /// Calls the closure, which deletes rows because they have expired and not because the program deletes them.
  ///
  /// - Parameter time: The time by which they have expired, in seconds since the reference date.
  func expiring<Result>(until time: Double, _ connection: Connection, _ body: () throws -> Result) throws -> Result

  /// Returns where the data of an attachment is that has not come yet, and how to get it.
  ///
  /// - Returns: A sentence or two; nil if the feature knows nothing of it.
  func remedy(forMissingAttachment digest: String, _ connection: Connection) throws -> String?

  // MARK: Transactions

  /// Called after each use of the writer with the statements that were committed; the list may be empty.
  ///
  /// Also called for tables whose rows have expired without a write, and when a context is saved.
  func didCommit(_ writes: [StatementFacts])

  /// Called before a transaction or savepoint is rolled back, and when a read transaction ends. Discard what the
  /// feature knows of the file from within it.
  ///
  /// - Parameter isOver: Whether the transaction ends; false for a savepoint in it.
  func didRollBack(_ connection: Connection, isOver: Bool)

  // MARK: SQL by hand

  /// Compiles SQL of the program. The first feature that returns a statement decides; if all return nil, the SQL is
  /// compiled as it is.
  func statement(ofUserSQL sql: String, _ connection: Connection) throws -> PreparedStatement?

  /// Returns whether SQL that couldn't be compiled writes to one of the feature's views instead of the table of the
  /// same name.
  func hidesTable(writtenBy sql: String, _ connection: Connection) throws -> Bool

  /// Returns whether a compiled statement would write to one of the feature's views instead of the table of the same
  /// name.
  func hidesTable(writtenBy facts: StatementFacts, _ connection: Connection) -> Bool

  /// Calls the closure while the feature's views are removed, so that SQL of the program can write to the tables of the
  /// same names.
  func revealingTables<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result

  /// Calls the closure while the feature's views are removed, without changing a row. For `VACUUM INTO`, which looks
  /// tables up by name.
  func withoutViews<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result

  // MARK: Observing

  /// Whether the program observes changes through the feature.
  var isObserving: Bool { get }

  /// Called when the program begins to observe changes, and while it does, whenever another connection may have
  /// committed.
  ///
  /// - Parameter hasForeignCommits: False for the first observer, true for a commit of another connection.
  func observersNeedNews(hasForeignCommits: Bool)

  // MARK: Backups

  /// Begins the backup of what the feature stores beside the file; nil if there is nothing.
  ///
  /// - Parameter partial: The temporary path of the backup of the store's file.
  func beginBackup(of connection: Connection, partial: String) throws -> (any FeatureBackup)?

  /// Removes what ``FeatureBackup/place(beside:)`` has placed beside a finished backup.
  func removeBackup(at path: String)
}

extension StoreFeature {
  var functions: [ScalarFunction] { [] }
  func didOpen(_ connection: Connection) throws {}
  func willMigrate(_ connection: Connection) throws {}
  func didMigrate(_ connection: Connection) throws {}
  func hasUnjudgedRows(inTable name: String, _ connection: Connection) throws -> Bool { false }
  func upgrade(_ connection: Connection) throws {}
  func hasWork(_ connection: Connection) throws -> Bool { false }
  func start(_ writer: Writer, hasWork: Bool) -> (any StoreService)? { nil }
  func willClose(_ connection: Connection) {}
  func didClose() {}
  func willWrite<M: Model>(_ values: () -> [M], _ kind: ModelStatementKind, _ connection: Connection) throws {}
  func willExecute(_ arguments: [SQLWriter.Argument], _ connection: Connection) throws {}
  func removeHidden<M: Model>(withUniqueValuesOf value: M, _ connection: Connection) throws -> Bool { false }
  func withoutHidden<Result>(
    after error: StoreError, _ connection: Connection, _ body: () throws -> Result
  ) throws
    -> Result
  {
    throw error
  }
  func refusal(_ message: String, _ context: ErrorContext?) -> StoreError? { nil }
  func didCreateCollection(_ name: String, _ connection: Connection) throws {}
  func willRemoveCollection(_ name: String, _ connection: Connection) throws {}
  func expiring<Result>(until time: Double, _ connection: Connection, _ body: () throws -> Result) throws -> Result {
    try body()
  }
  func remedy(forMissingAttachment digest: String, _ connection: Connection) throws -> String? { nil }
  func didCommit(_ writes: [StatementFacts]) {}
  func didRollBack(_ connection: Connection, isOver: Bool) {}
  func statement(ofUserSQL sql: String, _ connection: Connection) throws -> PreparedStatement? { nil }
  func hidesTable(writtenBy sql: String, _ connection: Connection) throws -> Bool { false }
  func hidesTable(writtenBy facts: StatementFacts, _ connection: Connection) -> Bool { false }
  func revealingTables<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result { try body() }
  func withoutViews<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result { try body() }
  var isObserving: Bool { false }
  func observersNeedNews(hasForeignCommits: Bool) {}
  func beginBackup(of connection: Connection, partial: String) throws -> (any FeatureBackup)? { nil }
  func removeBackup(at path: String) {}
}

/// Background work of a feature, from the opening of the store until it is closed.
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
