/// What can be changed, without waiting: a ``Transaction`` and ``Store/blocking`` do it.
public protocol StoreWriter: StoreReader {
  /// Calls the closure with a connection to write to. Not for use outside of Larder: the verbs stand on it.
  ///
  /// - Parameter isAtomic: Whether the closure executes more than one statement, which then happen together or not at all.
  func _write<Result>(isAtomic: Bool, _ body: (WriteAccess) throws -> Result) throws -> Result
}

/// A connection that the library's own verbs write to.
public struct WriteAccess {
  let connection: Connection
}

extension StoreWriter {
  /// Adds a row.
  ///
  /// - Throws: ``StoreError`` `.duplicate` if the key or a unique value is taken, `.invalidValue` for a value that cannot be stored,
  ///   and what ``Model/validate()`` throws.
  public func insert<M: Model>(_ value: M) throws {
    try _write(isAtomic: false) { try $0.connection.write([value], .insert) }
  }

  /// Adds rows: all of them, or on an error none.
  public func insert<M: Model>(_ values: [M]) throws {
    try _write(isAtomic: true) { try $0.connection.write(values, .insert) }
  }

  /// Adds a row, or updates the one with the same key. Columns that the model does not name keep their values.
  ///
  /// - Throws: As ``insert(_:)-(M)``, but a taken key is no error.
  public func save<M: Model>(_ value: M) throws {
    try _write(isAtomic: false) { try $0.connection.write([value], .upsert) }
  }

  /// Adds or updates rows: all of them, or on an error none.
  public func save<M: Model>(_ values: [M]) throws {
    try _write(isAtomic: true) { try $0.connection.write(values, .upsert) }
  }

  /// Updates the row with the value's key.
  ///
  /// - Throws: ``StoreError`` `.notFound` if there is none; otherwise as ``insert(_:)-(M)``.
  public func update<M: Model>(_ value: M) throws {
    try _write(isAtomic: true) { try $0.connection.write([value], .update) }
  }

  /// Updates rows: all of them, or on an error none.
  public func update<M: Model>(_ values: [M]) throws {
    try _write(isAtomic: true) { try $0.connection.write(values, .update) }
  }

  /// Deletes the row with the value's key, and answers whether there was one.
  @discardableResult
  public func delete<M: Model>(_ value: M) throws -> Bool {
    try delete(M.self, value.id)
  }

  /// Deletes the row with the key, and answers whether there was one.
  @discardableResult
  public func delete<M: Model>(_ model: M.Type, _ id: M.ID) throws -> Bool {
    try _write(isAtomic: false) { access in
      try access.connection.deleting(M.self, isOneRow: true) { try access.connection.delete(model, id) }
    }
  }

  /// Deletes the rows with the values' keys, and answers how many there were.
  @discardableResult
  public func delete<M: Model>(_ values: [M]) throws -> Int {
    try _write(isAtomic: true) { access in
      try access.connection.deleting(M.self) { try values.reduce(0) { try access.connection.delete(M.self, $1.id) ? $0 + 1 : $0 } }
    }
  }

  /// Changes properties of every row of the query, and answers how many rows that were.
  ///
  /// ```swift
  /// try db.updateAll(Note.where { $0.isRead == false }) { $0.isRead.set(true); $0.views.increment(by: 1) }
  /// ```
  ///
  /// It is one statement in the database: ``Model/validate()`` is not called.
  @discardableResult
  public func updateAll<M: Model>(_ query: Query<M>, _ changes: (Assignments<M>) -> Void) throws -> Int {
    let assignments = Assignments<M>()
    changes(assignments)
    return try _write(isAtomic: false) { try $0.connection.updateAll(query, assignments.list) }
  }

  /// Deletes every row of the query, and answers how many there were.
  @discardableResult
  public func deleteAll<M: Model>(_ query: Query<M>) throws -> Int {
    try _write(isAtomic: true) { try $0.connection.deleteAll(query) }
  }
}
