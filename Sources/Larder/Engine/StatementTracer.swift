import GRDBSQLite

/// Observes the statements of one connection, and reports each when it has ended. Used wherever the connection is used.
///
/// SQLite's own timing has a resolution of milliseconds; this one is finer. Source:
/// <https://www.sqlite.org/c3ref/trace_v2.html>.
final class StatementTracer {
  private struct Execution {
    let start: ContinuousClock.Instant
    let totalChanges: Int64
    var rows = 0
  }

  private let role: ConnectionRole
  /// Whether events have the SQL with the bound values.
  private let showsValues: Bool
  /// Whether events have the query plan.
  private let showsPlans: Bool
  private let report: @Sendable (TraceEvent) -> Void
  private let authorizer: StatementAuthorizer
  private var executions: [OpaquePointer: Execution] = [:]
  /// Whether statements are executed that aren't traced: what a query plan or the columns of a statement are found out
  /// with.
  private var isHiding = false

  init(
    role: ConnectionRole, showsValues: Bool, showsPlans: Bool, authorizer: StatementAuthorizer,
    report: @escaping @Sendable (TraceEvent) -> Void
  ) {
    self.role = role
    self.showsValues = showsValues
    self.showsPlans = showsPlans
    self.authorizer = authorizer
    self.report = report
  }

  /// Starts observing the connection, until ``stop(on:)``. The connection must not outlive the tracer.
  func start(on handle: OpaquePointer) {
    sqlite3_trace_v2(
      handle, UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE | SQLITE_TRACE_ROW),
      { kind, context, statement, _ in
        guard let context, let statement else { return 0 }
        let tracer = Unmanaged<StatementTracer>.fromOpaque(context).takeUnretainedValue()
        tracer.hear(Int32(bitPattern: kind), OpaquePointer(statement))
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  func stop(on handle: OpaquePointer) {
    sqlite3_trace_v2(handle, 0, nil, nil)
  }

  /// Calls the closure, whose statements aren't reported.
  func hiding<Result>(_ body: () throws -> Result) rethrows -> Result {
    let wasHiding = isHiding
    isHiding = true
    defer { isHiding = wasHiding }
    return try body()
  }

  private func hear(_ kind: Int32, _ statement: OpaquePointer) {
    guard !isHiding, let handle = sqlite3_db_handle(statement) else { return }
    switch kind {
    case SQLITE_TRACE_STMT:
      // A trigger is reported under the statement that fires it.
      guard executions[statement] == nil else { return }
      executions[statement] = Execution(start: .now, totalChanges: sqlite3_total_changes64(handle))
    case SQLITE_TRACE_ROW: executions[statement]?.rows += 1
    case SQLITE_TRACE_PROFILE:
      guard let execution = executions.removeValue(forKey: statement) else { return }
      end(execution, of: statement, on: handle)
    default: break
    }
  }

  private func end(_ execution: Execution, of statement: OpaquePointer, on handle: OpaquePointer) {
    let duration = execution.start.duration(to: .now)
    guard let text = sqlite3_sql(statement) else { return }
    report(
      TraceEvent(
        sql: String(cString: text), expandedSQL: showsValues ? expanded(statement) : nil,
        plan: showsPlans ? plan(of: text, on: handle) : nil, duration: duration, returnedRows: execution.rows,
        changedRows: Int(sqlite3_total_changes64(handle) - execution.totalChanges),
        isWrite: sqlite3_stmt_readonly(statement) == 0, role: role))
  }

  private func expanded(_ statement: OpaquePointer) -> String? {
    guard let text = sqlite3_expanded_sql(statement) else { return nil }
    defer { sqlite3_free(text) }
    return String(cString: text)
  }

  /// Returns the query plan, read on the same connection because only that one has its temporary views. Nil for
  /// statements without one, such as COMMIT.
  private func plan(of sql: UnsafePointer<CChar>, on handle: OpaquePointer) -> [String]? {
    isHiding = true
    // The reads of this EXPLAIN must not count as those of the statement that is being compiled.
    authorizer.isPaused = true
    defer {
      isHiding = false
      authorizer.isPaused = false
    }
    var pointer: OpaquePointer?
    guard sqlite3_prepare_v2(handle, "EXPLAIN QUERY PLAN \(String(cString: sql))", -1, &pointer, nil) == SQLITE_OK
    else { return nil }
    defer { sqlite3_finalize(pointer) }
    var steps: [String] = []
    var depths: [Int32: Int] = [:]
    while sqlite3_step(pointer) == SQLITE_ROW {
      let depth = depths[sqlite3_column_int(pointer, 1)].map { $0 + 1 } ?? 0
      depths[sqlite3_column_int(pointer, 0)] = depth
      let detail = sqlite3_column_text(pointer, 3).map { String(cString: $0) } ?? ""
      steps.append(String(repeating: "  ", count: depth) + detail)
    }
    return steps.isEmpty ? nil : steps
  }
}
