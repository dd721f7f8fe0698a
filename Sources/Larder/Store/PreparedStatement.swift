import GRDBSQLite

/// A compiled statement with the memory that its parameters point into. It belongs to one connection.
final class PreparedStatement {
  let pointer: OpaquePointer
  let arena = BindingArena()
  let facts: StatementFacts
  /// Whether rows are being read from it: a second use at the same time needs a statement of its own.
  var isInUse = false

  init(pointer: OpaquePointer, facts: StatementFacts) {
    self.pointer = pointer
    self.facts = facts
  }

  deinit {
    sqlite3_finalize(pointer)
  }

  /// Makes the statement ready to be bound anew.
  func reset() {
    sqlite3_reset(pointer)
    arena.reset()
  }

  /// Binds the arguments from the first parameter on. Throws for a value that SQLite refuses for its size.
  func bind(_ arguments: [SQLWriter.Argument]) throws {
    for (position, argument) in arguments.enumerated() {
      switch argument {
      case .value(let value):
        var parameter = StatementParameter(pointer, Int32(position + 1), arena)
        parameter.bind(value)
      case .regex(let matcher): SQLFunctions.bind(matcher, to: pointer, at: Int32(position + 1))
      }
    }
    guard arena.failure == SQLITE_OK else { throw ResultCode(arena.failure) }
  }

  func bindKey<M: Model>(_ key: M.ID, of model: M.Type) throws {
    var row = RowWriter(pointer, arena: arena)
    do {
      try M.bind(key: key, to: &row)
    } catch let failure as ValueFailure {
      let columns = M.schema.keyColumns
      throw StoreError(failure, model: M.schema.modelName, property: columns[min(Int(row.index), columns.count) - 1].property)
    }
  }
}
