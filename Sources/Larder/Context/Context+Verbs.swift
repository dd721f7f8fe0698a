extension Context {
  /// Inserts a row, unsaved until ``save()``.
  ///
  /// An error, such as an existing key, is added to ``refusals``.
  ///
  /// - Parameter value: The value to insert.
  public func insert<M: Model>(_ value: M) {
    keeping { try $0.write([value], .insert) }
  }

  /// Inserts rows: all of them, or none if there is an error, which is added to ``refusals``.
  ///
  /// - Parameter values: The values to insert.
  public func insert<M: Model>(_ values: [M]) {
    keeping { try $0.write(values, .insert) }
  }

  /// Updates the row with the value's key, unsaved until ``save()``.
  ///
  /// An error, such as a missing row, is added to ``refusals``.
  ///
  /// - Parameter value: The value to write.
  public func update<M: Model>(_ value: M) {
    keeping { try $0.write([value], .update) }
  }

  /// Updates rows: all of them, or none if there is an error, which is added to ``refusals``.
  ///
  /// - Parameter values: The values to write.
  public func update<M: Model>(_ values: [M]) {
    keeping { try $0.write(values, .update) }
  }

  /// Deletes the row with the value's key, and applies its delete rules, unsaved until ``save()``.
  ///
  /// If a delete rule denies the deletion, the error is added to ``refusals``.
  ///
  /// - Parameter value: A value whose key identifies the row.
  /// - Returns: `true` if there was a row to delete.
  @discardableResult
  public func delete<M: Model>(_ value: M) -> Bool {
    delete(M.self, value.id)
  }

  /// Deletes the row with the key, and applies its delete rules, unsaved until ``save()``.
  ///
  /// - Parameters:
  ///   - model: The type of the row.
  ///   - id: The row's key.
  /// - Returns: `true` if there was a row to delete.
  @discardableResult
  public func delete<M: Model>(_ model: M.Type, _ id: M.ID) -> Bool {
    keeping { try $0.delete(model, id) } ?? false
  }

  /// Deletes the rows with the values' keys: all of them, or none if there is an error, which is added to ``refusals``.
  ///
  /// - Parameter values: Values whose keys identify the rows.
  /// - Returns: The number of deleted rows.
  @discardableResult
  public func delete<M: Model>(_ values: [M]) -> Int {
    keeping { connection in try values.reduce(0) { try connection.delete(M.self, $1.id) ? $0 + 1 : $0 } } ?? 0
  }

  @discardableResult
  private func keeping<Result>(_ body: (Connection) throws -> Result) -> Result? {
    do {
      return try changing { try body($0.connection) }
    } catch {
      refuse(error)
      return nil
    }
  }
}
