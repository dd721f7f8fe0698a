extension Store {
  /// Adds a row. Rows that tasks add at the same time are committed together, and each caller is answered after the commit.
  ///
  /// - Throws: ``StoreError`` `.duplicate` if the key or a unique value is taken, `.invalidValue` for a value that cannot be stored,
  ///   what ``Model/validate()`` throws, and `CancellationError` if the task was cancelled before the write began.
  public func insert<M: Model>(_ value: M) async throws {
    try await write(value, .insert)
  }

  /// Adds rows: all of them, or on an error none.
  public func insert<M: Model>(_ values: [M]) async throws {
    try await transaction { try $0.write(values, .insert) }
  }

  /// Adds a row, or updates the one with the same key. Columns that the model does not name keep their values.
  ///
  /// - Throws: As ``insert(_:)-(M)``, but a taken key is no error.
  public func save<M: Model>(_ value: M) async throws {
    try await write(value, .upsert)
  }

  /// Adds or updates rows: all of them, or on an error none.
  public func save<M: Model>(_ values: [M]) async throws {
    try await transaction { try $0.write(values, .upsert) }
  }

  /// Updates the row with the value's key.
  ///
  /// - Throws: ``StoreError`` `.notFound` if there is none; otherwise as ``insert(_:)-(M)``.
  public func update<M: Model>(_ value: M) async throws {
    try await write(value, .update)
  }

  /// Updates rows: all of them, or on an error none.
  public func update<M: Model>(_ values: [M]) async throws {
    try await transaction { try $0.write(values, .update) }
  }

  /// Deletes the row with the value's key, and answers whether there was one.
  @discardableResult
  public func delete<M: Model>(_ value: M) async throws -> Bool {
    try await delete(M.self, value.id)
  }

  /// Deletes the row with the key, and answers whether there was one.
  @discardableResult
  public func delete<M: Model>(_ model: M.Type, _ id: M.ID) async throws -> Bool {
    try await writer.performStatement { connection in
      try connection.deleting(M.self, isOneRow: true) { try connection.delete(model, id) }
    }
  }

  /// Deletes the rows with the values' keys, and answers how many there were.
  @discardableResult
  public func delete<M: Model>(_ values: [M]) async throws -> Int {
    try await transaction { connection in
      try connection.deleting(M.self) { try values.reduce(0) { try connection.delete(M.self, $1.id) ? $0 + 1 : $0 } }
    }
  }

  /// Changes properties of every row of the query, and answers how many rows that were.
  ///
  /// ```swift
  /// try await store.updateAll(Note.where { !$0.isRead }) { $0.isRead.set(true); $0.views.increment(by: 1) }
  /// ```
  ///
  /// It is one statement in the database: ``Model/validate()`` is not called.
  @discardableResult
  public func updateAll<M: Model>(_ query: Query<M>, _ changes: @Sendable @escaping (Assignments<M>) -> Void) async throws -> Int {
    try await transaction { connection in
      let assignments = Assignments<M>()
      changes(assignments)
      return try connection.updateAll(query, assignments.list)
    }
  }

  /// Deletes every row of the query, and answers how many there were.
  @discardableResult
  public func deleteAll<M: Model>(_ query: Query<M>) async throws -> Int {
    try await transaction { try $0.deleteAll(query) }
  }

  /// Calls the closure in one transaction, on a thread of the store's own. Any error rolls all of it back and is thrown on.
  ///
  /// A task that is cancelled while the closure runs interrupts the statement at work; nothing is then committed.
  public func write<Result: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> Result) async throws -> Result {
    try await writer.perform { try Transaction.writing($0, body) }
  }

  /// Calls the closure in a transaction if it never was for this name in this file, by any process; answers whether it was called.
  ///
  /// ```swift
  /// try await store.once("default categories") { db in try db.insert(Category.defaults) }
  /// ```
  ///
  /// The name is remembered in the same transaction: a closure that throws, or a process that dies, leaves the store as if it had not been called.
  @discardableResult
  public func once(_ name: String, _ body: @escaping @Sendable (Transaction) throws -> Void) async throws -> Bool {
    try await writer.perform { try Transaction.once(name, $0, body: body) }
  }

  /// Writes a copy of the store, as it is at this moment, to a new file, while reads and writes go on.
  ///
  /// - Throws: ``StoreError`` `.duplicate` where the file is already there, `.diskFull`, `.readOnly`; nothing is then left of the copy.
  public func backup(to location: some StoreLocation) async throws {
    guard path != nil else { return try await writer.perform { try StoreBackup.write($0, to: location) } }
    try await lifetime.working {
      let connection = try makeReader()
      defer { connection.close() }
      try await BackgroundWork.run(on: connection) { try StoreBackup.write($0, to: location) }
    }
  }

  /// Writes one row: at once where the writer is free, together with others where it is not.
  ///
  /// The value is checked and encoded in the task of its caller, because ``Model/validate()`` and `encode(to:)` may ask for the task's own values.
  private func write<M: Model>(_ value: M, _ kind: ModelStatementKind) async throws {
    try await writer.performStatement {
      try RecordedRow(value)
    } _: {
      try $0.write([value], kind)
    } _: {
      try $0.write([value], kind, recorded: $1)
    }
  }

  private func transaction<Result: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Result) async throws -> Result {
    try await writer.perform { connection in
      try connection.transaction { try body(connection) }
    }
  }
}
