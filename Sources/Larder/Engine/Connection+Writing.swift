import GRDBSQLite

extension Connection {
  /// Executes the statement once for each value. After an error the earlier values stay written; the caller's
  /// transaction undoes them.
  func write<M: Model>(_ values: [M], _ kind: ModelStatementKind) throws {
    guard !values.isEmpty else { return }
    try write({ values }, kind) {
      try M._executeAll(values, &$0)
    } again: {
      try write(Array($0), kind)
    }
  }

  /// Executes the statement for the value.
  ///
  /// - Parameter recorded: The columns of the value, if it was encoded before.
  func write<M: Model>(_ value: M, _ kind: ModelStatementKind, recorded: RecordedRow? = nil) throws {
    try write({ [value] }, kind) { execution in
      if let recorded { try recorded.execute(&execution) } else { try value._execute(&execution) }
    } again: { _ in
      try write(value, kind, recorded: recorded)
    }
  }

  /// - Parameters:
  ///   - values: Returns the values, for those who need an array of them.
  ///   - execute: Binds and executes the statement for each value.
  ///   - again: Writes the values that weren't written, after what was in their way was removed.
  private func write<M: Model>(
    _ values: () -> [M], _ kind: ModelStatementKind, _ execute: (inout RowExecution) throws -> Void,
    again: (ArraySlice<M>) throws -> Void
  ) throws {
    try environment.features.willWrite(values, kind, self)
    let statement = try statement(kind, M.self)
    var execution = RowExecution(
      statement.pointer, arena: statement.arena, requiresChange: kind == .update, isOverlaid: overlay != nil)
    do {
      // The code of the program that encodes a value may write on this connection too.
      statement.isInUse = true
      defer {
        statement.reset()
        statement.isInUse = false
      }
      try execute(&execution)
    } catch let code as ResultCode {
      let failure = error(code.code, ErrorContext(M.self))
      let refused = values().dropFirst(execution.count)
      if let value = refused.first, (failure as? StoreError)?.code == .duplicate,
        try environment.features.removeHidden(withUniqueValuesOf: value, self)
      {
        return try again(refused)
      }
      guard let error = missingReference(of: refused.first, failure) as? StoreError else { throw failure }
      throw namingSum(error) { try again(refused.prefix(1)) }
    } catch is MissingRow {
      throw StoreError(
        .notFound, model: M.schema.modelName,
        "There is no \(M.schema.modelName) with this key. Use save(_:) or insert(_:) to add it.")
    } catch {
      throw Self.naming(error, M.self, M.schema.writtenColumns, at: Int(execution.failedParameter) - 1)
    }
    note(statement)
    try overlay?.didWrite(values())
  }

  /// Deletes the row with the key. Returns false if there is none.
  func delete<M: Model>(_ model: M.Type, _ key: M.ID) throws -> Bool {
    let statement = try statement(.delete, model)
    do {
      try statement.bindKey(key, of: model)
    } catch {
      statement.reset()
      throw error
    }
    let total = overlay == nil ? 0 : sqlite3_total_changes(handle)
    do {
      try run(statement, context: ErrorContext(model))
    } catch {
      throw referringRows(to: model, error)
    }
    try overlay?.didChange()
    // In a context, triggers write, and `sqlite3_changes` only counts the statement's own changes.
    return overlay == nil ? sqlite3_changes(handle) > 0 : sqlite3_total_changes(handle) != total
  }

  /// Executes a statement that changes rows, and returns their number.
  func change(_ writer: SQLWriter, _ context: ErrorContext?) throws -> Int {
    try environment.features.willExecute(writer.arguments, self)
    return try using(writer, context) { statement in
      let total = sqlite3_total_changes64(handle)
      while try step(statement, context) {}
      note(statement)
      try overlay?.didChange()
      // In a context, the changes of triggers at least tell whether something changed.
      return Int(overlay == nil ? sqlite3_changes64(handle) : sqlite3_total_changes64(handle) - total)
    }
  }
}
