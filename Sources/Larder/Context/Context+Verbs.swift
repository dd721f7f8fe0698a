extension Context {
  /// Adds a row, pending until ``save()``. What cannot be kept is one of the ``refusals``.
  public func insert<M: Model>(_ value: M) {
    keeping { try $0.write([value], .insert) }
  }

  /// Adds rows: all of them, or none where one cannot be kept.
  public func insert<M: Model>(_ values: [M]) {
    keeping { try $0.write(values, .insert) }
  }

  /// Updates the row with the value's key, pending until ``save()``. What cannot be kept is one of the ``refusals``.
  public func update<M: Model>(_ value: M) {
    keeping { try $0.write([value], .update) }
  }

  /// Updates rows: all of them, or none where one cannot be kept.
  public func update<M: Model>(_ values: [M]) {
    keeping { try $0.write(values, .update) }
  }

  /// Deletes the row with the value's key, pending until ``save()``, with what its delete rules say; answers whether there was one.
  ///
  /// A rule that denies it is one of the ``refusals``.
  @discardableResult
  public func delete<M: Model>(_ value: M) -> Bool {
    delete(M.self, value.id)
  }

  /// Deletes the row with the key, pending until ``save()``, and answers whether there was one.
  @discardableResult
  public func delete<M: Model>(_ model: M.Type, _ id: M.ID) -> Bool {
    keeping { try $0.delete(model, id) } ?? false
  }

  /// Deletes the rows with the values' keys: all of them, or none where one cannot go; answers how many there were.
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
