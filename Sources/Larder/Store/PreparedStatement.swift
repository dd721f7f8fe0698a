import GRDBSQLite

/// What changes with the tables, views and triggers of a connection.
struct SchemaVersion: Equatable {
  let file: Int64
  let temporary: Int64
}

/// A compiled statement with the memory that its parameters point into. It belongs to one connection.
final class PreparedStatement {
  let pointer: OpaquePointer
  let arena = BindingArena()
  private(set) var facts: StatementFacts
  /// How often SQLite had compiled the statement anew when the facts were taken, and by which schema that was; nil for the first one.
  private var recompilationCount: Int32 = 0
  private var schema: SchemaVersion?
  /// Whether rows are being read from it: a second use at the same time needs a statement of its own.
  var isInUse = false

  init(pointer: OpaquePointer, facts: StatementFacts) {
    self.pointer = pointer
    self.facts = facts
  }

  deinit {
    sqlite3_finalize(pointer)
  }

  /// Takes the facts anew where SQLite has compiled the statement anew because the schema had changed. It does so at the first step.
  ///
  /// - Parameters:
  ///   - readVersion: Reads the schema of now. A statement is compiled anew for other reasons as well, some of them each time.
  ///   - readFacts: Reads the facts of the statement's SQL by that schema; nil if they cannot be found out.
  @inline(__always)
  func updateFacts(_ readVersion: () -> SchemaVersion?, _ readFacts: (PreparedStatement) -> StatementFacts?) {
    let count = sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_REPREPARE, 0)
    guard count != recompilationCount else { return }
    recompilationCount = count
    let version = readVersion()
    guard version == nil || version != schema, let newFacts = readFacts(self) else { return }
    (facts, schema) = (newFacts, version)
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
