/// The synchronous methods that change stored values: those of a ``Transaction``, a ``Context`` and ``Store/blocking``.
public protocol StoreWriter: StoreReader {
  /// Calls the closure with a connection to write to. The methods of this protocol are built on it; don't call it
  /// yourself.
  ///
  /// - Parameters:
  ///   - isAtomic: Whether the closure executes several statements, which take effect together or not at all.
  ///   - body: The closure.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, and the errors of any write.
  func _write<Result>(isAtomic: Bool, _ body: (WriteAccess) throws -> Result) throws -> Result
}

/// The connection that the library's own methods write to.
@_documentation(visibility: internal)
public struct WriteAccess {
  let connection: Connection
}

extension StoreWriter {
  /// Inserts a row.
  ///
  /// - Parameter value: The value to insert.
  /// - Throws: ``StoreError`` `.duplicate` if the key or a unique value already exists, `.invalidValue` if a property
  ///   can't be stored, the errors of any write, and what ``Model/validate()`` throws.
  public func insert<M: Model>(_ value: M) throws {
    try _write(isAtomic: false) { try $0.connection.write(value, .insert) }
  }

  /// Inserts rows: all of them, or none if an error is thrown.
  ///
  /// - Parameter values: The values to insert.
  /// - Throws: The errors of ``StoreWriter/insert(_:)-(M)``.
  public func insert<M: Model>(_ values: [M]) throws {
    try _write(isAtomic: true) { try $0.connection.write(values, .insert) }
  }

  /// Inserts a row, or updates the row with the same key.
  ///
  /// Columns that the model doesn't declare keep their values.
  ///
  /// - Parameter value: The value to insert or update.
  /// - Throws: The errors of ``StoreWriter/insert(_:)-(M)``, except that an existing key isn't an error.
  public func save<M: Model>(_ value: M) throws {
    try _write(isAtomic: false) { try $0.connection.write(value, .upsert) }
  }

  /// Inserts or updates rows: all of them, or none if an error is thrown.
  ///
  /// - Parameter values: The values to insert or update.
  /// - Throws: The errors of ``save(_:)-(M)``.
  public func save<M: Model>(_ values: [M]) throws {
    try _write(isAtomic: true) { try $0.connection.write(values, .upsert) }
  }

  /// Updates the row with the value's key.
  ///
  /// - Parameter value: The value to write.
  /// - Throws: ``StoreError`` `.notFound` if no row has the key, and the errors of ``StoreWriter/insert(_:)-(M)``.
  public func update<M: Model>(_ value: M) throws {
    try _write(isAtomic: true) { try $0.connection.write([value], .update) }
  }

  /// Updates rows: all of them, or none if an error is thrown.
  ///
  /// - Parameter values: The values to write.
  /// - Throws: The errors of ``StoreWriter/update(_:)-(M)``.
  public func update<M: Model>(_ values: [M]) throws {
    try _write(isAtomic: true) { try $0.connection.write(values, .update) }
  }

  /// Deletes the row with the value's key.
  ///
  /// - Parameter value: A value whose key identifies the row. Its other properties don't matter.
  /// - Returns: `true` if there was a row to delete.
  /// - Throws: ``StoreError`` `.referenced` if a row that refers to it keeps it from being deleted, and the errors of
  ///   any write.
  @discardableResult
  public func delete<M: Model>(_ value: M) throws -> Bool {
    try delete(M.self, value.id)
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
  public func delete<M: Model>(_ model: M.Type, _ id: M.ID) throws -> Bool {
    try _write(isAtomic: false) { access in
      try access.connection.deleting(M.self, isOneRow: true) { try access.connection.delete(model, id) ? 1 : 0 } > 0
    }
  }

  /// Deletes the rows with the values' keys: all of them, or none if an error is thrown.
  ///
  /// - Parameter values: Values whose keys identify the rows.
  /// - Returns: The number of deleted rows. Keys without a row don't count.
  /// - Throws: ``StoreError`` `.referenced` if a row that refers to one of them keeps it from being deleted, and the
  ///   errors of any write.
  @discardableResult
  public func delete<M: Model>(_ values: [M]) throws -> Int {
    try _write(isAtomic: true) { access in
      try access.connection.deleting(M.self) {
        try values.reduce(0) { try access.connection.delete(M.self, $1.id) ? $0 + 1 : $0 }
      }
    }
  }

  /// Changes properties of every row of the query.
  ///
  /// ```swift
  /// try db.updateAll(Note.where { $0.isRead == false }) { $0.isRead.set(true); $0.views.increment(by: 1) }
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
  public func updateAll<M: Model>(_ query: Query<M>, _ changes: (Assignments<M>) -> Void) throws -> Int {
    let assignments = Assignments<M>()
    changes(assignments)
    return try _write(isAtomic: false) { try $0.connection.updateAll(query, assignments.list) }
  }

  /// Deletes every row of the query.
  ///
  /// - Parameter query: The condition of the rows.
  /// - Returns: The number of deleted rows, without those that delete rules deleted with them.
  /// - Throws: ``StoreError`` `.referenced` if a row that refers to one of them keeps it from being deleted, and the
  ///   errors of any write.
  @discardableResult
  public func deleteAll<M: Model>(_ query: Query<M>) throws -> Int {
    try _write(isAtomic: true) { try $0.connection.deleteAll(query) }
  }
}
