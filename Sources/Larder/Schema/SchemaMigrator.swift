import Logging

/// Migrates a file to the models, in one transaction.
struct SchemaMigrator {
  let connection: Connection
  let tables: [TableDefinition]
  let migrations: [Migration]
  let log: Logger?

  init(_ connection: Connection, _ tables: [TableDefinition], _ migrations: [Migration], log: Logger?) {
    self.connection = connection
    self.tables = tables
    self.migrations = migrations
    self.log = log
  }

  // MARK: Looking

  /// Returns the migrations that haven't run in this file. Throws `.newerFile` if the file is newer than the program.
  func pendingMigrations() throws -> [Migration] {
    guard try Catalogue.exists(in: connection) else { return migrations }
    let format = try Catalogue.format(of: connection)
    guard format <= Catalogue.format else {
      throw StoreError(
        .newerFile,
        "A newer version of Larder wrote the file (format \(format)); this one reads up to \(Catalogue.format). Update the program."
      )
    }
    // A program without models, such as one that shows any file, has no migrations that could be missing.
    if tables.isEmpty, migrations.isEmpty { return [] }
    let applied = try Catalogue.appliedMigrations(in: connection)
    let known = Set(migrations.map(\.name))
    let lastKnown = applied.lastIndex(where: known.contains) ?? -1
    let unknown = applied[(lastKnown + 1)...]
    guard unknown.isEmpty else {
      let names = unknown.map { "\"\($0)\"" }.joined(separator: ", ")
      throw StoreError(
        .newerFile,
        "A newer version of the program wrote the file: \(names) ran in it and is not among the program's migrations. Update the program, or keep what ran in Store.Configuration.migrations."
      )
    }
    let pending = migrations.filter { !applied.contains($0.name) }
    if pending.isEmpty { try checkHistory() }
    return pending
  }

  /// A model with exactly its former columns, without some that were added later, belongs to an older program.
  private func checkHistory() throws {
    for table in tables {
      guard let entry = try Catalogue.entry(of: table.name, in: connection) else { continue }
      try checkReusedNames(of: table, entry)
      let columns = table.columns.map(\.name)
      guard entry.columnNames != columns, entry.history.contains(columns) else { continue }
      // A column whose `originalName` shows that it was renamed on purpose.
      let known = columns + table.columns.compactMap(\.originalName)
      let unknown = entry.columnNames.filter { name in !known.contains { $0.isSameColumn(as: name) } }
      guard !unknown.isEmpty else { continue }
      throw StoreError(
        .newerFile, model: table.model,
        "A newer version of the program wrote the file: \(table.model) has \(unknown.joined(separator: ", ")) there. Update the program; to go back on purpose, add a migration that drops what is no longer wanted."
      )
    }
  }

  /// A name that another column had before is ambiguous unless its column declares an `originalName`.
  private func checkReusedNames(of table: TableDefinition, _ entry: Catalogue.Entry) throws {
    for name in entry.reused ?? [] {
      guard let column = table.column(name), column.originalName == nil, let original = entry.original(of: name) else {
        continue
      }
      throw StoreError(
        .newerFile, model: table.model, property: column.property,
        "A newer version of the program wrote the file: its column \(table.name).\(name) is the former \(original). Update the program, or keep originalName: \"\(original)\" at \(table.model).\(column.property)."
      )
    }
  }

  /// Returns what opening would do.
  ///
  /// - Parameter isReadOnly: Whether to leave out what reading doesn't need, such as rebuilding an index of an earlier
  ///   version.
  func plan(isReadOnly: Bool = false) throws -> MigrationPlan {
    try explaining { try steps(isReadOnly: isReadOnly) }
  }

  private func steps(isReadOnly: Bool) throws -> MigrationPlan {
    let pending = try pendingMigrations()
    let planner = try SchemaPlanner(connection, tables)
    let opening = try planner.opening(isMigrating: !pending.isEmpty)
    var steps = opening.map(\.description) + pending.map { "run the migration \"\($0.name)\"" }
    // The steps after named migrations depend on what those do.
    if pending.isEmpty {
      try checkAdditions(opening)
      try StoredValueSample(connection, tables).check(after: opening) { try !isDescribed($0) }
      let closing = try planner.closing(after: opening, arePending: true, isConverting: false)
      steps += closing.filter { !isReadOnly || !$0.isOnlyForWriting }.map(\.description)
    }
    return MigrationPlan(steps: steps, notes: try planner.unclaimedTables())
  }

  /// A new column without a default can't be filled in existing rows.
  private func checkAdditions(_ steps: [SchemaStep]) throws {
    for case .addColumn(let table, let column) in steps where column.defaultValue == nil {
      guard try !connection.query("SELECT 1 FROM \(Quoting.name(table.name)) LIMIT 1").isEmpty else { continue }
      throw StoreError(needingValue: column, table)
    }
  }

  /// Returns whether the file already matches the models, so that opening need not write.
  func isUpToDate() throws -> Bool {
    guard try Catalogue.exists(in: connection), try pendingMigrations().isEmpty else { return false }
    for table in tables {
      guard try isDescribed(table) else { return false }
      // Another program may have changed the file.
      guard let state = try TableState.read(table.name, from: connection) else { return false }
      guard table.columns.allSatisfy({ state.column($0.name) != nil }) else { return false }
    }
    return true
  }

  /// Returns whether the catalogue describes the model as it is.
  private func isDescribed(_ table: TableDefinition) throws -> Bool {
    guard try Catalogue.exists(in: connection), let entry = try Catalogue.entry(of: table.name, in: connection) else {
      return false
    }
    return entry
      == Catalogue.Entry(
        table, retired: entry.retired, history: entry.history, reused: entry.reused ?? [], after: entry)
  }

  // MARK: Doing

  /// Migrates the file. Throws ``StoreError``; the file is then unchanged.
  ///
  /// - Parameters:
  ///   - backUp: Called before statements that update, delete or drop existing data.
  ///   - before: Opens a connection that sees the file before the migration; nil if it is new.
  ///   - areValuesChecked: Whether ``plan(isReadOnly:)`` has just checked the values that don't fit their types.
  func migrate(
    backUp: @escaping () throws -> Void, before: (() throws -> Connection)?, areValuesChecked: Bool = false
  ) throws {
    // Rebuilding a referenced table requires foreign keys to be off, which a transaction can't change.
    try connection.change("PRAGMA foreign_keys = OFF")
    defer { try? connection.change("PRAGMA foreign_keys = ON") }
    try explaining {
      try connection.transaction { try change(backUp: backUp, before: before, areValuesChecked: areValuesChecked) }
    }
  }

  /// Adds to the error of a file that Larder didn't create how to open such a file.
  private func explaining<Result>(_ body: () throws -> Result) throws -> Result {
    let isForeign = try !Catalogue.exists(in: connection)
    do {
      return try body()
    } catch let error as StoreError where error.code == .schemaMismatch && isForeign {
      throw StoreError(
        error.code, model: error.model, property: error.property, key: error.key,
        "\(error.message) Larder did not create this file; to use its tables as they are, open it with schema: .existing."
      )
    }
  }

  private func change(
    backUp: @escaping () throws -> Void, before: (() throws -> Connection)?, areValuesChecked: Bool
  ) throws {
    // Another process may have migrated the file while this one waited for the lock.
    if try isUpToDate() { return }
    let pending = try pendingMigrations()
    connection.authorizer.changedTables = []
    defer { connection.authorizer.changedTables = nil }
    for statement in Catalogue.createTables { try connection.change(statement) }
    try connection.environment.features.forEach { try $0.willMigrate(connection) }
    let changes = SchemaChanges(connection, log: log, backUp: backUp)
    let planner = try SchemaPlanner(connection, tables)
    var opening = try planner.opening(isMigrating: !pending.isEmpty)
    if pending.isEmpty { try checkAdditions(opening) }
    try changes.performOpening(opening)
    for migration in pending { try run(migration, backUp: backUp) }
    if !pending.isEmpty {
      // A migration may have dropped a table or a column to start over.
      let again = try SchemaPlanner(connection, tables).opening(isRenamed: true)
      try checkAdditions(again)
      try changes.performOpening(again)
      opening += again
    }
    for step in try SchemaPlanner(connection, tables).closing(after: opening, isConverting: !pending.isEmpty) {
      try changes.perform(step)
    }
    if !areValuesChecked || !pending.isEmpty {
      try StoredValueSample(connection, tables).check { try !pending.isEmpty || !isDescribed($0) }
    }
    try remember(opening)
    try connection.environment.features.forEach { try $0.didMigrate(connection) }
    try checkReferences(of: connection.authorizer.changedTables ?? [], before: before)
  }

  /// Warns of tables that a renamed struct may have left behind. Without a logger of the program's own, the warning goes
  /// where swift-log sends what has no other place: nobody should find an empty table and not know why.
  func warnOfUnclaimedTables() throws {
    let notes = try SchemaPlanner(connection, tables).unclaimedTables()
    guard !notes.isEmpty else { return }
    let log = log ?? Logger(label: "larder")
    for note in notes { log.warning("\(note)") }
  }

  private func run(_ migration: Migration, backUp: @escaping () throws -> Void) throws {
    log?.info("running a migration", metadata: ["name": "\(migration.name)"])
    connection.willDestroy = backUp
    defer { connection.willDestroy = nil }
    let transaction = Transaction(connection)
    defer { transaction.end() }
    do {
      try connection.savepoint { try migration.body(transaction) }
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      // The description of a foreign error may contain stored values.
      let reason = (error as? StoreError)?.message ?? "it threw \(type(of: error))."
      throw StoreError(
        .migrationFailed, "The migration \"\(migration.name)\" failed and the file is as it was: \(reason)")
    }
    try connection.change("INSERT INTO \(Catalogue.migrationsTable) (name) VALUES (?)", [.text(migration.name)])
  }

  private func remember(_ opening: [SchemaStep]) throws {
    for table in tables {
      let old = try Catalogue.entry(of: table.name, in: connection)
      let state = try TableState.read(table.name, from: connection)
      // A column that another program added was never part of the model.
      let renamings = opening.compactMap(\.renaming).filter { $0.table.name == table.name }
      let formerColumns = (old?.columnNames ?? []) + (old?.retired ?? []) + renamings.map(\.to)
      let retired = (state?.columns ?? []).map(\.name).filter { name in
        table.column(name) == nil && !table.positions.contains(where: name.isSameColumn(as:))
          && formerColumns.contains(name)
      }
      var history = old?.history ?? []
      if let old, old.columnNames != table.columns.map(\.name), !history.contains(old.columnNames) {
        history.append(old.columnNames)
      }
      let reused =
        (old?.reused ?? [])
        + renamings.map(\.to).filter { name in renamings.contains { $0.from.isSameColumn(as: name) } }
      let entry = Catalogue.Entry(
        table, retired: retired, history: history, reused: Array(Set(reused)).sorted(), after: old)
      try Catalogue.write(entry, of: table.name, to: connection)
    }
  }
}
