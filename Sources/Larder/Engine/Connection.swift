import Dispatch
import Foundation
internal import GRDB
import GRDBSQLite
import Synchronization

/// One connection to the database file, used by one caller at a time, which the writer and the reader pool ensure.
///
/// GRDB opens and configures it. Statements are compiled and stepped here, directly on the C connection, because cached
/// statements that are read by column index are what makes Larder as fast as C. `@unchecked Sendable`: it is passed
/// from thread to thread under the lock of ``Writer`` or ``ReaderPool``, and never used by two at once. So Swift doesn't
/// check the accesses to what each statement uses, which would take as long as compiling and binding it.
final class Connection: @unchecked Sendable {
  let queue: DatabaseQueue
  let handle: OpaquePointer
  let environment: StoreEnvironment
  /// Whether SQL that writes is rejected.
  var isReadOnly: Bool
  let authorizer = StatementAuthorizer()
  /// Reports the statements; nil if they aren't traced.
  var tracer: StatementTracer?
  /// By the bytes of the SQL: texts that Swift finds equal may name different values.
  @exclusivity(unchecked) private var statements: [ExactText: PreparedStatement] = [:]
  /// The one of ``statements`` that was used last.
  @exclusivity(unchecked) private var lastStatement: (sql: ExactText, statement: PreparedStatement)?
  @exclusivity(unchecked) private var modelStatements: [ModelStatementKey: PreparedStatement] = [:]
  /// The one of ``modelStatements`` that was used last, because most programs repeat a call, and hashing costs as much as
  /// the rest of the look-up.
  @exclusivity(unchecked) private var lastModelStatement: PreparedStatement?
  @exclusivity(unchecked) private var lastModelKey: ModelStatementKey?
  /// The statements that save rows by their unique properties.
  let upserts = UpsertStatements()
  private var busyTimeout: Int32 = -1

  /// What the statements of the open transaction wrote.
  @exclusivity(unchecked) private var pendingWrites: [StatementFacts] = []
  /// What was committed since the last call of ``takeWrites(_:)``.
  @exclusivity(unchecked) private var committedWrites: [StatementFacts] = []
  /// The reads of a live result's closure; nil if none is running.
  @exclusivity(unchecked) var tracked: TrackedReads?
  /// The computed columns of tables, as far as they were requested. A change of the schema recompiles statements, which
  /// clears them.
  private var generatedColumns: [String: Set<String>] = [:]
  /// Called once before the first statement that updates, deletes or drops; set while a migration runs.
  @exclusivity(unchecked) var willDestroy: (() throws -> Void)?
  /// The number of pages in the write-ahead log after the last commit.
  var walPages: Int32 = 0
  private var dataVersion: Int64 = -1
  private var isClosed = false
  /// The cancellation of the current work. The only property that other threads use.
  let interruption = Interruption()
  /// Whether statements ask if they have to end: see ``watch(_:)``.
  @exclusivity(unchecked) private var isWatched = false
  /// Whether the current read runs inside of ``briefly(_:)``.
  @exclusivity(unchecked) private(set) var isBrief = false
  /// When the statements of a read on a task's own thread are given up; nil before the first check of it.
  @exclusivity(unchecked) private var briefDeadline: ContinuousClock.Instant?
  /// The queue for the reads of tasks. Each connection has one, because Dispatch runs no more concurrent work at a time
  /// than there are processors: slow reads would delay quick ones although a connection is available.
  private(set) lazy var worker = DispatchQueue(label: "larder.reader")
  /// The number of changed rows after which the indexes are analyzed; by default never.
  var changesBeforeAnalysis = Int64.max
  /// The number of transactions begun.
  var transactionNumber = 0
  /// The transaction whose foreign keys are checked at its end, although deletions are checked one by one; nil if there
  /// is none.
  var deferringTransaction: Int?
  /// State that features keep for this connection, one object for each type. Used by the holder of the connection only.
  private var states: [(type: ObjectIdentifier, state: AnyObject)] = []
  /// The transaction that a closure is in.
  @exclusivity(unchecked) var transactionState = TransactionState()
  /// Whether the file couldn't be read or written recently.
  @exclusivity(unchecked) var needsSettling = false
  /// Statements of ``cleanUp(_:)`` that have failed.
  @exclusivity(unchecked) var unfinishedCleanups: [String] = []
  /// The unsaved changes of a context's connection; nil on every other. The overlay owns the connection and outlives
  /// every use of it; a weak reference would cost each read an atomic operation.
  unowned(unsafe) var overlay: (any ConnectionOverlay)?

  /// The number of cached statements. Others are compiled for each use, so that queries whose text differs each time
  /// don't fill the memory.
  private static let statementLimit = 512
  /// The number of instructions of SQLite's virtual machine, about a hundredth of a millisecond, between two checks of
  /// ``interruption``.
  private static let progressInterval: Int32 = 1_000
  /// How long a read may keep a task's own thread. A change of threads takes a few hundredths of it.
  private static let briefLimit = Duration.microseconds(500)

  private struct ModelStatementKey: Hashable {
    let model: ObjectIdentifier
    let kind: ModelStatementKind
  }

  /// Opens the file. Throws GRDB's `DatabaseError`.
  init(path: String, configuration: GRDB.Configuration, environment: StoreEnvironment) throws {
    var configuration = configuration
    configuration.prepareDatabase { [environment] in try SQLFunctions.register(on: $0, environment) }
    _ = StatementJournal.staysInMemory
    queue =
      path == ":memory:"
      ? try DatabaseQueue(configuration: configuration) : try DatabaseQueue(path: path, configuration: configuration)
    guard let handle = queue.unsafeRead({ $0.sqliteConnection }) else {
      throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the connection is closed")
    }
    self.handle = handle
    self.environment = environment
    isReadOnly = configuration.readonly
    authorizer.install(on: handle)
    // Larder observes commits itself.
    sqlite3_commit_hook(handle, nil, nil)
    sqlite3_rollback_hook(handle, nil, nil)
    watch(true)
    if !isReadOnly { observeLog() }
  }

  /// Has statements asked from time to time whether they have to end, or no longer.
  ///
  /// With this question, SQLite divides two numbers for each row, which takes a twentieth of reading two columns.
  func watch(_ isWatched: Bool) {
    guard isWatched != self.isWatched else { return }
    self.isWatched = isWatched
    guard isWatched else { return sqlite3_progress_handler(handle, 0, nil, nil) }
    sqlite3_progress_handler(
      handle, Self.progressInterval,
      { context in
        guard let context else { return 0 }
        let connection = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
        return connection.mustStop ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Records the length of the write-ahead log after each commit. The writer empties it; SQLite's automatic checkpoint
  /// would run in the middle of a save.
  private func observeLog() {
    sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        if let context { Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().walPages = pages }
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
    // A log that starts over is truncated to this size: https://www.sqlite.org/pragma.html#pragma_journal_size_limit.
    sqlite3_exec(handle, "PRAGMA journal_size_limit = \(CheckpointPolicy.keptBytes)", nil, nil, nil)
  }

  deinit {
    disconnect()
  }

  /// Closes the file. The connection must not be used again.
  ///
  /// An open transaction is rolled back. Without this call the file is closed when the connection is released.
  func close() {
    guard !isClosed else { return }
    disconnect()
    do {
      try queue.close()
    } catch {
      // SQLite keeps a connection open while its statements are in use, and closes it with the last of them.
    }
  }

  /// Removes what SQLite would call or retain after the connection is gone. Statements are released before the
  /// connection.
  private func disconnect() {
    guard !isClosed else { return }
    isClosed = true
    environment.gate.forget(self)
    tracer?.stop(on: handle)
    statements.removeAll()
    lastStatement = nil
    modelStatements.removeAll()
    lastModelStatement = nil
    upserts.removeAll()
    sqlite3_set_authorizer(handle, nil, nil)
    sqlite3_progress_handler(handle, 0, nil, nil)
    sqlite3_wal_hook(handle, nil, nil)
  }

  /// Ends the current statement, and rejects later ones until ``endInterruption()``. May be called from any thread.
  func interrupt() {
    interruption.request(on: handle)
  }

  func endInterruption() {
    interruption.end()
  }

  /// Whether the current statement has to end.
  var mustStop: Bool {
    interruption.isPending || environment.gate.stops(self) || isOverdue
  }

  /// Whether the closure of ``briefly(_:)`` has to end. Its time begins with the first check, so that reads that end
  /// before don't ask for the time.
  private var isOverdue: Bool {
    guard isBrief else { return false }
    if let briefDeadline { return briefDeadline < .now }
    briefDeadline = .now + Self.briefLimit
    return false
  }

  /// Calls the closure, which reads, and ends it if it takes too long for a thread of Swift's pool, or is known to
  /// (``BriefReads``).
  ///
  /// - Throws: ``LongRead`` if the closure was ended for this reason, and what it throws.
  func briefly<Result>(_ body: () throws -> Result) throws -> Result {
    watch(true)
    isBrief = true
    defer {
      isBrief = false
      briefDeadline = nil
    }
    return try body()
  }

  /// How long SQLite itself waits for another connection's lock, in milliseconds.
  func setBusyTimeout(_ milliseconds: Int32) {
    guard milliseconds != busyTimeout else { return }
    busyTimeout = milliseconds
    sqlite3_busy_timeout(handle, milliseconds)
  }

  /// Whether the database is in memory and shared by connections of this process.
  var isInMemory: Bool { queue.path.hasSuffix("?vfs=memdb") }

  /// The path of the file; nil in memory. Unlike the path that was opened, it is never a URI.
  var filePath: String? {
    guard !isInMemory, let path = sqlite3_db_filename(handle, "main") else { return nil }
    return path.pointee == 0 ? nil : String(cString: path)
  }

  /// Whether no transaction is open.
  var isAutocommitting: Bool { sqlite3_get_autocommit(handle) != 0 }

  /// Compiles the first statement of the text. Throws ``StoreError``.
  func compile(_ sql: String, isPersistent: Bool = true) throws -> PreparedStatement {
    var pointer: OpaquePointer?
    var rest = ""
    if isPersistent, !generatedColumns.isEmpty { generatedColumns.removeAll() }
    authorizer.reset()
    let result = sql.withCString { text in
      var tail: UnsafePointer<CChar>?
      let flags = isPersistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
      var result = sqlite3_prepare_v3(handle, text, -1, flags, &pointer, &tail)
      if result & 0xFF == SQLITE_SCHEMA {
        // Another connection has changed the schema: see stepAgain.
        authorizer.reset()
        result = sqlite3_prepare_v3(handle, text, -1, flags, &pointer, &tail)
      }
      if let tail { rest = String(cString: tail) }
      return result
    }
    guard result & 0xFF != SQLITE_INTERRUPT else { throw stop }
    guard result == SQLITE_OK else { throw StoreError(ResultCode(result), on: handle, context: nil) }
    guard let pointer else { throw StoreError(.unsupported, "There is no statement in the SQL text.") }
    let statement = PreparedStatement(pointer: pointer, facts: authorizer.facts(of: sql, definition: definition))
    guard !sql.utf8.contains(0) else {
      throw StoreError(
        .unsupported, "The SQL text holds a NUL, which ends it for SQLite. Interpolate the value that has it.")
    }
    guard rest.allSatisfy({ $0.isWhitespace || $0 == ";" }) || isComment(rest) else {
      throw StoreError(.unsupported, "The SQL text holds more than one statement; execute them one by one.")
    }
    guard let overlay, sqlite3_stmt_readonly(pointer) == 0, try overlay.cover(authorizer.directWrites) else {
      return statement
    }
    return try compile(sql, isPersistent: isPersistent)
  }

  /// Returns whether the text after a statement consists only of comments.
  private func isComment(_ rest: String) -> Bool {
    // Some pragmas act while they are compiled.
    authorizer.refuses = true
    defer { authorizer.refuses = false }
    var pointer: OpaquePointer?
    let result = sqlite3_prepare_v3(handle, rest, -1, 0, &pointer, nil)
    sqlite3_finalize(pointer)
    return result == SQLITE_OK && pointer == nil
  }

  /// Returns the cached statement with this SQL, checked to be executable now.
  func statement(_ sql: String) throws -> PreparedStatement {
    try checked(try keptStatement(sql))
  }

  /// Returns the cached statement with this SQL, whether or not it may be executed now.
  func keptStatement(_ sql: String) throws -> PreparedStatement {
    let key = ExactText(sql)
    if let last = lastStatement, last.sql == key, !last.statement.isInUse { return last.statement }
    if let statement = statements[key], !statement.isInUse {
      lastStatement = (key, statement)
      return statement
    }
    let statement = try compile(sql)
    if statements[key] == nil {
      if statements.count >= Self.statementLimit {
        statements = statements.filter { $0.value.isInUse }
        lastStatement = nil
      }
      statements[key] = statement
    }
    return statement
  }

  /// Returns the cached statement of a kind for a model.
  func statement<M: Model>(_ kind: ModelStatementKind, _ model: M.Type) throws -> PreparedStatement {
    let key = ModelStatementKey(model: ObjectIdentifier(model), kind: kind)
    if lastModelKey == key, let last = lastModelStatement, !last.isInUse {
      try check(last)
      return last
    }
    if let statement = modelStatements[key], !statement.isInUse {
      (lastModelKey, lastModelStatement) = (key, statement)
      return try checked(statement)
    }
    let statement: PreparedStatement
    do {
      statement = try compile(try overlay?.sql(of: kind, model) ?? environment.sql(of: kind, model))
    } catch let error as StoreError {
      throw error.naming(M.schema.modelName)
    }
    if modelStatements[key] == nil { modelStatements[key] = statement }
    return try checked(statement)
  }

  /// Resets cached statements with rows left to read. Others belong to SQLite's extensions, which use them themselves.
  func resetStatements() {
    for statement in statements.values where sqlite3_stmt_busy(statement.pointer) != 0 { statement.reset() }
    for statement in modelStatements.values where sqlite3_stmt_busy(statement.pointer) != 0 { statement.reset() }
  }

  /// Empties the cache, because names resolve differently from now on.
  func forgetStatements() {
    statements.removeAll(keepingCapacity: true)
    lastStatement = nil
    modelStatements.removeAll(keepingCapacity: true)
    lastModelStatement = nil
    upserts.removeAll()
  }

  func checked(_ statement: PreparedStatement) throws -> PreparedStatement {
    try check(statement)
    return statement
  }

  /// Rejects statements after an interruption and in a transaction that has ended, and runs a migration's backup before
  /// data is lost.
  private func check(_ statement: PreparedStatement) throws {
    if interruption.isPending { throw CancellationError() }
    if environment.gate.stops(self) { throw StoreError.suspended }
    if transactionState.isOpen { try checkTransaction() }
    if let willDestroy, statement.facts.isDestructive {
      self.willDestroy = nil
      try willDestroy()
    }
    tracked?.statements[ObjectIdentifier(statement)] = statement
  }

  /// Throws after an interruption. For work between statements.
  func checkInterruption() throws {
    if interruption.isPending { throw CancellationError() }
  }

  /// Executes a statement without parameters and rows.
  func execute(_ sql: String) throws {
    try run(try statement(sql))
  }

  /// Steps a bound statement to its end, records what it wrote, and resets it.
  func run(_ statement: PreparedStatement, context: ErrorContext? = nil) throws {
    defer { statement.reset() }
    var result = sqlite3_step(statement.pointer)
    if result != SQLITE_DONE, result != SQLITE_ROW { result = stepAgain(statement.pointer, after: result) }
    while result == SQLITE_ROW { result = sqlite3_step(statement.pointer) }
    guard result == SQLITE_DONE else { throw error(result, context) }
    note(statement)
  }

  /// The error of an interrupted statement.
  private var stop: any Error {
    if interruption.isPending { return CancellationError() }
    if environment.gate.isSuspended { return StoreError.suspended }
    return isBrief ? LongRead() : CancellationError()
  }

  /// Returns the error of the last call, as callers see it.
  func error(_ result: Int32, _ context: ErrorContext?) -> any Error {
    let error: any Error =
      switch result & 0xFF {
      case SQLITE_INTERRUPT: stop
      case SQLITE_CONSTRAINT:
        refusal(context) ?? StoreError(ResultCode(result), on: handle, context: context, isExecuting: true)
      default: StoreError(ResultCode(result), on: handle, context: context, isExecuting: true)
      }
    if [SQLITE_IOERR, SQLITE_FULL, SQLITE_CORRUPT, SQLITE_NOMEM].contains(result & 0xFF) { needsSettling = true }
    noteFailure(error)
    return error
  }

  /// Returns the error of a feature's trigger that has refused a row; nil if none has.
  private func refusal(_ context: ErrorContext?) -> StoreError? {
    environment.features.refusal(String(cString: sqlite3_errmsg(handle)), context)
  }

  /// Returns what a feature keeps for this connection; nil if it keeps nothing yet.
  func existingState<State: AnyObject>(_ type: State.Type) -> State? {
    for (id, state) in states where id == ObjectIdentifier(type) { return unsafeDowncast(state, to: type) }
    return nil
  }

  /// Returns what a feature keeps for this connection, created with the first call.
  func state<State: AnyObject>(_ type: State.Type, _ make: @autoclosure () -> State) -> State {
    if let state = existingState(type) { return state }
    let state = make()
    states.append((ObjectIdentifier(type), state))
    return state
  }

  // MARK: What was written

  func note(_ statement: PreparedStatement) {
    updateFacts(of: statement)
    if statement.facts.changesSchema { upserts.removeAll() }
    note(statement.facts)
  }

  private func note(_ facts: StatementFacts) {
    guard !facts.writes.isEmpty else { return }
    if isAutocommitting {
      if committedWrites.last !== facts { committedWrites.append(facts) }
    } else {
      if pendingWrites.last !== facts { pendingWrites.append(facts) }
    }
  }

  /// Records that a table was looked up that may not exist yet.
  func noteRead(of table: String) {
    tracked?.tables.insert(table: table)
  }

  /// Updates the facts of a statement that was stepped again, if the schema has changed since it was compiled.
  private func updateFacts(of statement: PreparedStatement) {
    statement.updateFacts({ schemaVersion }, { facts(ofSQLOf: $0) })
  }

  /// Nil in a transaction, after whose rollback another schema may get the same number, and if it can't be read.
  private var schemaVersion: SchemaVersion? {
    guard isAutocommitting else { return nil }
    func version(of schema: String) -> Int64? {
      guard let statement = try? keptStatement("PRAGMA \(schema).schema_version") else { return nil }
      defer { statement.reset() }
      return sqlite3_step(statement.pointer) == SQLITE_ROW ? sqlite3_column_int64(statement.pointer, 0) : nil
    }
    guard let file = version(of: "main"), let temporary = version(of: "temp") else { return nil }
    return SchemaVersion(file: file, temporary: temporary)
  }

  private func facts(ofSQLOf statement: PreparedStatement) -> StatementFacts? {
    var pointer: OpaquePointer?
    generatedColumns.removeAll()
    authorizer.reset()
    let text = sqlite3_sql(statement.pointer)
    guard sqlite3_prepare_v3(handle, text, -1, 0, &pointer, nil) == SQLITE_OK else { return nil }
    sqlite3_finalize(pointer)
    return authorizer.facts(of: text.map { String(cString: $0) } ?? "", definition: definition)
  }

  /// Returns the SQL of a trigger or a table; nil for Larder's own, which replace no rows.
  private func definition(of type: String, _ name: String) -> String? {
    if ReservedNames.isOwn(name) { return nil }
    if environment.isManaged, type == "table", environment.tables.contains(where: { $0.name == name }) { return nil }
    authorizer.isPaused = true
    defer { authorizer.isPaused = false }
    var pointer: OpaquePointer?
    let sql = """
      SELECT sql FROM main.sqlite_master WHERE type = ?1 AND name = ?2 COLLATE NOCASE \
      UNION ALL SELECT sql FROM temp.sqlite_master WHERE type = ?1 AND name = ?2 COLLATE NOCASE
      """
    guard sqlite3_prepare_v2(handle, sql, -1, &pointer, nil) == SQLITE_OK, let pointer else { return nil }
    let statement = PreparedStatement(pointer: pointer, facts: StatementFacts(writesAllOf: ""))
    guard (try? statement.bind([.value(.text(type)), .value(.text(name))])) != nil else { return nil }
    defer { statement.reset() }
    var texts: [String] = []
    while sqlite3_step(pointer) == SQLITE_ROW {
      texts.append(sqlite3_column_text(pointer, 0).map { String(cString: $0) } ?? "")
    }
    return texts.joined(separator: "\n")
  }

  /// Returns what the statements and lookups have read: the whole table if a column is computed from others.
  func region(of reads: TrackedReads) -> Region {
    for statement in reads.statements.values { updateFacts(of: statement) }
    var region = reads.tables
    if region.isEmpty, reads.statements.count == 1, let only = reads.statements.values.first {
      region = only.facts.reads
    } else {
      for statement in reads.statements.values { region.formUnion(statement.facts.reads) }
    }
    for (table, columns) in region.tables {
      guard case .named(let names) = columns, !names.isEmpty, !generated(in: table).isDisjoint(with: names) else {
        continue
      }
      region.insert(table: table)
    }
    return region
  }

  private func generated(in table: String) -> Set<String> {
    if let known = generatedColumns[table] { return known }
    let columns = (try? query("PRAGMA main.table_xinfo(\(Quoting.name(table)))")) ?? []
    let names = Set(columns.filter { $0["hidden"] == 2 || $0["hidden"] == 3 }.compactMap { $0["name"]?.text })
    generatedColumns[table] = names
    return names
  }

  /// Records that a statement that isn't cached has written or dropped a table.
  func noteWrite(of table: String) {
    note(StatementFacts(reads: Region(), writes: Region(table), controlsTransaction: false, isDestructive: true))
  }

  /// Calls the closure with the committed statements that wrote since the last call, and forgets them.
  func takeWrites(_ body: ([StatementFacts]) -> Void) {
    body(committedWrites)
    // Only now is the array's memory no longer shared, so that it can be used again.
    committedWrites.removeAll(keepingCapacity: true)
  }

  /// Called when the transaction was committed.
  func keepWrites() {
    committedWrites += pendingWrites
    pendingWrites.removeAll(keepingCapacity: true)
  }

  /// Called when the transaction was rolled back.
  func dropWrites() {
    pendingWrites.removeAll(keepingCapacity: true)
  }

  /// Discards the record of writes to tables that no other connection sees.
  func forgetWrites() {
    pendingWrites.removeAll(keepingCapacity: true)
    committedWrites.removeAll(keepingCapacity: true)
  }

  // MARK: Other connections

  /// Returns whether another connection has committed since the last call. The first call returns false.
  func hasForeignCommits() -> Bool {
    guard let statement = try? statement("PRAGMA data_version") else { return false }
    defer { statement.reset() }
    guard sqlite3_step(statement.pointer) == SQLITE_ROW else { return false }
    let version = sqlite3_column_int64(statement.pointer, 0)
    defer { dataVersion = version }
    return dataVersion != -1 && dataVersion != version
  }
}
