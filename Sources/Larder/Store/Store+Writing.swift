extension Store {
  /// Inserts a row.
  ///
  /// Rows that tasks write at the same time share a transaction; each call returns after the commit.
  ///
  /// - Parameter value: The value to insert.
  /// - Throws: ``StoreError`` `.duplicate` if the key or a unique value already exists, `.invalidValue` if a property
  ///   can't be stored, the errors of any write, and what ``Model/validate()`` throws. `CancellationError` if the task
  ///   was cancelled before the write began.
  public func insert<M: Model>(_ value: M) async throws {
    try await write(value, .insert)
  }

  /// Inserts rows: all of them, or none if an error is thrown.
  ///
  /// - Parameter values: The values to insert.
  /// - Throws: The errors of ``insert(_:)-(M)``.
  public func insert<M: Model>(_ values: [M]) async throws {
    try await transaction { try $0.write(values, .insert) }
  }

  /// Inserts a row, or updates the row with the same key.
  ///
  /// Columns that the model doesn't declare keep their values.
  ///
  /// - Parameter value: The value to insert or update.
  /// - Throws: The errors of ``insert(_:)-(M)``, except that an existing key isn't an error.
  public func save<M: Model>(_ value: M) async throws {
    try await write(value, .upsert)
  }

  /// Inserts or updates rows: all of them, or none if an error is thrown.
  ///
  /// - Parameter values: The values to insert or update.
  /// - Throws: The errors of ``save(_:)-(M)``.
  public func save<M: Model>(_ values: [M]) async throws {
    try await transaction { try $0.write(values, .upsert) }
  }

  /// Updates the row with the value's key.
  ///
  /// - Parameter value: The value to write.
  /// - Throws: ``StoreError`` `.notFound` if no row has the key, and the errors of ``insert(_:)-(M)``.
  public func update<M: Model>(_ value: M) async throws {
    try await write(value, .update)
  }

  /// Updates rows: all of them, or none if an error is thrown.
  ///
  /// - Parameter values: The values to write.
  /// - Throws: The errors of ``update(_:)-(M)``.
  public func update<M: Model>(_ values: [M]) async throws {
    try await transaction { try $0.write(values, .update) }
  }

  /// Deletes the row with the value's key.
  ///
  /// - Parameter value: A value whose key identifies the row. Its other properties don't matter.
  /// - Returns: `true` if there was a row to delete.
  /// - Throws: ``StoreError`` `.referenced` if a row that refers to it keeps it from being deleted, and the errors of
  ///   any write.
  @discardableResult
  public func delete<M: Model>(_ value: M) async throws -> Bool {
    try await delete(M.self, value.id)
  }

  /// Deletes the row with the key.
  ///
  /// - Parameters:
  ///   - model: The type of the row.
  ///   - id: The row's key.
  /// - Returns: `true` if there was a row to delete.
  /// - Throws: ``StoreError`` `.referenced` if a row that refers to it keeps it from being deleted, and the errors of
  ///   any write.
  @discardableResult
  public func delete<M: Model>(_ model: M.Type, _ id: M.ID) async throws -> Bool {
    try await writer.performStatement { connection in
      try connection.deleting(M.self, isOneRow: true) { try connection.delete(model, id) ? 1 : 0 } > 0
    }
  }

  /// Deletes the rows with the values' keys: all of them, or none if an error is thrown.
  ///
  /// - Parameter values: Values whose keys identify the rows.
  /// - Returns: The number of deleted rows. Keys without a row don't count.
  /// - Throws: ``StoreError`` `.referenced` if a row that refers to one of them keeps it from being deleted, and the
  ///   errors of any write.
  @discardableResult
  public func delete<M: Model>(_ values: [M]) async throws -> Int {
    try await transaction { connection in
      try connection.deleting(M.self) { try values.reduce(0) { try connection.delete(M.self, $1.id) ? $0 + 1 : $0 } }
    }
  }

  /// Changes properties of every row of the query.
  ///
  /// ```swift
  /// try await store.updateAll(Note.where { !$0.isRead }) { $0.isRead.set(true); $0.views.increment(by: 1) }
  /// ```
  ///
  /// This is one SQL statement; ``Model/validate()`` isn't called.
  ///
  /// - Parameters:
  ///   - query: The condition of the rows.
  ///   - changes: A closure that records the assignments.
  /// - Returns: The number of rows that the query has, whether or not their values changed.
  /// - Throws: ``StoreError`` `.invalidValue` if a new value can't be computed or stored, `.duplicate` if a unique
  ///   value already exists, and the errors of any write.
  @discardableResult
  public func updateAll<M: Model>(
    _ query: Query<M>, _ changes: @Sendable @escaping (Assignments<M>) -> Void
  ) async throws -> Int {
    try await transaction { connection in
      let assignments = Assignments<M>()
      changes(assignments)
      return try connection.updateAll(query, assignments.list)
    }
  }

  /// Deletes every row of the query.
  ///
  /// - Parameter query: The condition of the rows.
  /// - Returns: The number of deleted rows, without those that delete rules deleted with them.
  /// - Throws: ``StoreError`` `.referenced` if a row that refers to one of them keeps it from being deleted, and the
  ///   errors of any write.
  @discardableResult
  public func deleteAll<M: Model>(_ query: Query<M>) async throws -> Int {
    try await transaction { try $0.deleteAll(query) }
  }

  /// Calls the closure in a transaction, on a thread of the store.
  ///
  /// If the closure throws, the transaction is rolled back. Cancelling the task while the closure runs interrupts the
  /// current statement, and nothing is committed.
  ///
  /// - Parameter body: The closure. It reads and writes with its argument.
  /// - Returns: What `body` returns, after the commit.
  /// - Throws: What `body` throws, and the errors of any write.
  public func write<Result: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> Result) async throws -> Result
  {
    try await writer.perform { try Transaction.writing($0, body) }
  }

  /// Runs the closure in a transaction, at most once for this name in this file, across all processes.
  ///
  /// ```swift
  /// try await store.once("default categories") { db in try db.insert(Category.defaults) }
  /// ```
  ///
  /// The name is recorded in the same transaction. If the closure throws, or the process dies, the next call with the
  /// name runs the closure again.
  ///
  /// - Parameters:
  ///   - name: The name under which the file records the call.
  ///   - body: The closure.
  /// - Returns: `true` if the closure ran; `false` if the name was already recorded.
  /// - Throws: What `body` throws, and the errors of any write.
  @discardableResult
  public func once(_ name: String, _ body: @escaping @Sendable (Transaction) throws -> Void) async throws -> Bool {
    try await writer.perform { try Transaction.once(name, $0, body: body) }
  }

  /// Writes a copy of the store to a new file, while reads and writes continue.
  ///
  /// The copy holds the store's state at one moment.
  ///
  /// - Parameter location: The path of the new file.
  /// - Throws: ``StoreError`` `.duplicate` if the file already exists; `.notFound` if its folder doesn't;
  ///   `.unsupported` for a path that no file can have;
  ///   `.diskFull` or `.readOnly` if the copy can't be written. No part of the copy is left after an error.
  public func backup(to location: some StoreLocation) async throws {
    guard path != nil else { return try await writer.perform { try StoreBackup.write($0, to: location) } }
    try await lifetime.working {
      let connection = try makeReader()
      defer { connection.close() }
      try await BackgroundWork.run(on: connection) { try StoreBackup.write($0, to: location) }
    }
  }

  /// Writes one row: immediately if the writer is idle, otherwise together with other rows.
  ///
  /// The caller's task validates and encodes the value, because ``Model/validate()`` and `encode(to:)` may read
  /// task-local values.
  private func write<M: Model>(_ value: M, _ kind: ModelStatementKind) async throws {
    try await writer.performStatement {
      try $0.write(value, kind)
    } preparing: {
      let recorded = try RecordedRow(value)
      return GroupedWrite { try $0.write(value, kind, recorded: recorded) }
    }
  }

  func transaction<Result: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    try await writer.perform { connection in
      try connection.transaction { try body(connection) }
    }
  }
}
