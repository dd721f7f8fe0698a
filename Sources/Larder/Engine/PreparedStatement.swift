import GRDBSQLite

/// A number that changes with the tables, views and triggers that a connection sees.
struct SchemaVersion: Equatable {
  let file: Int64
  let temporary: Int64
}

/// A compiled statement with the memory that its parameters point into. It belongs to one connection.
final class PreparedStatement {
  let pointer: OpaquePointer
  let arena = BindingArena()
  private(set) var facts: StatementFacts
  /// How often SQLite had recompiled the statement when its facts were taken, and the schema at that time; nil for the
  /// first one.
  private var recompilationCount: Int32 = 0
  private var schema: SchemaVersion?
  /// Whether rows are being read from it. A second use at the same time needs another statement.
  var isInUse = false
  /// Whether it was found that SQL by hand computes with no decimals.
  var isDecimalSafe = false
  /// Whether it takes longer than a task's own thread may be kept.
  var briefReads = BriefReads()
  private var wasExecuted = false
  private var strictness = StatementStrictness.unknown
  /// How often SQLite had recompiled the statement when its columns were last examined, and how often they were.
  private var (examined, examinations): (Int32, Int) = (-1, 0)
  private static let examinationLimit = 4

  init(pointer: OpaquePointer, facts: StatementFacts) {
    self.pointer = pointer
    self.facts = facts
  }

  deinit {
    sqlite3_finalize(pointer)
    arena.deallocate()
  }

  /// Updates the facts if SQLite has recompiled the statement because the schema had changed, which it does at the
  /// first step.
  ///
  /// - Parameters:
  ///   - readVersion: Reads the current schema version. A statement is recompiled for other reasons as well, some of
  ///     them each time.
  ///   - readFacts: Reads the facts of the statement's SQL in that schema; nil if they can't be determined.
  @inline(__always)
  func updateFacts(_ readVersion: () -> SchemaVersion?, _ readFacts: (PreparedStatement) -> StatementFacts?) {
    let count = recompilations
    guard count != recompilationCount else { return }
    recompilationCount = count
    let version = readVersion()
    guard version == nil || version != schema, let newFacts = readFacts(self) else { return }
    (facts, schema) = (newFacts, version)
  }

  /// How often SQLite has recompiled the statement.
  var recompilations: Int32 { sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_REPREPARE, 0) }

  /// Returns what is known of the storage classes of the statement's columns.
  ///
  /// - Parameter areStrict: Finds it out. What is executed once isn't worth that, and neither is a statement that SQLite
  ///   recompiles again and again.
  func strictness(_ areStrict: () -> Bool) -> StatementStrictness {
    guard examinations < Self.examinationLimit else { return strictness }
    let count = recompilations
    guard count != examined else { return strictness }
    guard wasExecuted else {
      wasExecuted = true
      return .unknown
    }
    examined = count
    examinations += 1
    strictness = areStrict() ? StatementStrictness(recompilations: count) : .unknown
    return strictness
  }

  /// The names of the columns that the statement returns.
  var columnNames: [String] {
    (0..<sqlite3_column_count(pointer)).map { sqlite3_column_name(pointer, $0).map { String(cString: $0) } ?? "" }
  }

  /// Resets the statement, so that it can be bound again.
  func reset() {
    sqlite3_reset(pointer)
    arena.reset()
  }

  /// Binds the arguments, beginning with the first parameter. Throws for a value that is too large for SQLite.
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
      throw StoreError(
        failure, model: M.schema.modelName, property: columns[min(Int(row.index), columns.count) - 1].property)
    }
  }
}
