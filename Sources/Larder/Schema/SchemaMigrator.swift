import Foundation
import Logging

/// Brings a file in step with the models: in one transaction, or not at all.
struct SchemaMigrator {
  let connection: Connection
  let tables: [TableDefinition]
  let migrations: [Migration]
  let log: Logger?
  private let writer = SchemaWriter()

  init(_ connection: Connection, _ tables: [TableDefinition], _ migrations: [Migration], log: Logger?) {
    self.connection = connection
    self.tables = tables
    self.migrations = migrations
    self.log = log
  }

  // MARK: Looking

  /// The migrations that did not run in this file. Throws `.newerFile` where the file knows more than the program.
  func pendingMigrations() throws -> [Migration] {
    guard try Catalogue.exists(in: connection) else { return migrations }
    let format = try Catalogue.format(of: connection)
    guard format <= Catalogue.format else {
      throw StoreError(.newerFile, "A newer version of Larder wrote the file (format \(format)); this one reads up to \(Catalogue.format). Update the program.")
    }
    let applied = try Catalogue.appliedMigrations(in: connection)
    let known = Set(migrations.map(\.name))
    let lastKnown = applied.lastIndex(where: known.contains) ?? -1
    if let unknown = applied[(lastKnown + 1)...].first {
      throw StoreError(
        .newerFile,
        "A newer version of the program wrote the file: the migration \"\(unknown)\" ran in it and this program does not have it. Update the program, or keep the migration in Store.Configuration.migrations.")
    }
    let pending = migrations.filter { !applied.contains($0.name) }
    if pending.isEmpty { try checkHistory() }
    return pending
  }

  /// A model that has just the columns it had before others were added belongs to an older program.
  private func checkHistory() throws {
    for table in tables {
      guard let entry = try Catalogue.entry(of: table.name, in: connection) else { continue }
      let columns = table.columns.map(\.name)
      guard entry.columnNames != columns, entry.history.contains(columns), Set(columns).isStrictSubset(of: entry.columnNames) else { continue }
      let added = entry.columnNames.filter { !columns.contains($0) }.joined(separator: ", ")
      throw StoreError(
        .newerFile, model: table.model,
        "A newer version of the program wrote the file: it added \(added) to \(table.model). Update the program; to go back on purpose, add a migration that drops the column.")
    }
  }

  /// What opening would do.
  func plan() throws -> MigrationPlan {
    let pending = try pendingMigrations()
    let planner = try SchemaPlanner(connection, tables)
    let opening = try planner.opening()
    var steps = opening.map(\.description) + pending.map { "run the migration \"\($0.name)\"" }
    if pending.isEmpty {
      let added = opening.contains { if case .addColumn(_, let column) = $0 { column.defaultValue == nil } else { false } }
      if added { try checkAdditions(opening) }
      steps += try planner.closing(isConverting: false).map(\.description)
    }
    return MigrationPlan(steps: steps)
  }

  /// A new column without a default cannot be filled in rows that are there already.
  private func checkAdditions(_ steps: [SchemaStep]) throws {
    for case .addColumn(let table, let column) in steps where column.defaultValue == nil {
      guard try !connection.query("SELECT 1 FROM \(Dialect.sqlite.quote(table.name)) LIMIT 1").isEmpty else { continue }
      throw StoreError(
        .schemaMismatch, model: table.model, property: column.property,
        "\(table.model).\(column.property) needs a value in the rows that \(table.name) has already. Add a default value to \(table.model).\(column.property), make it optional, or add a migration that fills it.")
    }
  }

  /// Whether the file fits already, so that opening need not write.
  func isUpToDate() throws -> Bool {
    guard try Catalogue.exists(in: connection), try pendingMigrations().isEmpty else { return false }
    for table in tables {
      guard let entry = try Catalogue.entry(of: table.name, in: connection) else { return false }
      guard entry == Catalogue.Entry(table, retired: entry.retired, history: entry.history) else { return false }
      // The file may have been changed by other means.
      guard let state = try TableState.read(table.name, from: connection) else { return false }
      guard table.columns.allSatisfy({ state.column($0.name) != nil }) else { return false }
    }
    return true
  }

  // MARK: Doing

  /// Makes the file fit. Throws ``StoreError``; the file is then as it was.
  ///
  /// - Parameter backUp: Called once, before the first statement that updates, deletes or drops what the file held.
  func migrate(backUp: @escaping () throws -> Void) throws {
    // Tables that others refer to can be rebuilt only while foreign keys are off, which a transaction cannot switch.
    try connection.change("PRAGMA foreign_keys = OFF")
    defer { try? connection.change("PRAGMA foreign_keys = ON") }
    try connection.transaction {
      // Another process may have done it while this one waited for the lock.
      if try isUpToDate() { return }
      let pending = try pendingMigrations()
      for statement in Catalogue.createTables { try connection.change(statement) }
      let opening = try SchemaPlanner(connection, tables).opening()
      if pending.isEmpty { try checkAdditions(opening) }
      var createdTables: Set<String> = []
      for case .createTable(let table) in opening { createdTables.insert(table.name) }
      for step in opening { try perform(step, backUp: backUp) }
      try fillDefaults(opening)
      for migration in pending { try run(migration, backUp: backUp) }
      for step in try SchemaPlanner(connection, tables).closing(isConverting: !pending.isEmpty) { try perform(step, backUp: backUp) }
      try remember()
      try checkForeignKeys()
    }
  }

  private func fillDefaults(_ steps: [SchemaStep]) throws {
    for case .addColumn(let table, let column) in steps where column.defaultValue != nil && !column.type.isOptional {
      try fill(column, of: table)
    }
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
      let reason = (error as? StoreError)?.message ?? "\(error)"
      throw StoreError(.migrationFailed, "The migration \"\(migration.name)\" failed and the file is as it was: \(reason)")
    }
    try connection.change("INSERT INTO \(Catalogue.migrationsTable) (name) VALUES (?)", [.text(migration.name)])
  }

  private func perform(_ step: SchemaStep, backUp: () throws -> Void) throws {
    log?.info("changing the schema", metadata: ["step": "\(step.description)"])
    let dialect = Dialect.sqlite
    switch step {
    case .createTable(let table): try connection.change(writer.createTable(table))
    case .addColumn(let table, let column): try connection.change(writer.addColumn(column, to: table.name))
    case .renameColumn(let table, let from, let to):
      try connection.change("ALTER TABLE \(dialect.quote(table.name)) RENAME COLUMN \(dialect.quote(from)) TO \(dialect.quote(to))")
    case .fill(let table, let column): try fill(column, of: table)
    case .rebuild(let table, _):
      try backUp()
      try rebuild(table)
    case .createIndex(let table, let index): try connection.change(writer.createIndex(index, on: table.name))
    case .dropIndex(let name): try connection.change("DROP INDEX IF EXISTS \(dialect.quote(name))")
    case .createSearch(let table):
      for statement in writer.createSearch(table) { try connection.change(statement) }
    case .dropSearch(let table):
      for statement in writer.dropSearch(of: table) { try connection.change(statement) }
    }
  }

  /// Gives the column its default in every row that has no value; a computed default is computed for each row.
  private func fill(_ column: TableDefinition.Column, of table: TableDefinition) throws {
    guard let defaultValue = column.defaultValue else { return }
    let name = Dialect.sqlite.quote(table.name)
    let quoted = Dialect.sqlite.quote(column.name)
    let update = "UPDATE \(name) SET \(quoted) = ?1 WHERE \(quoted) IS NULL"
    do {
      guard column.isDefaultComputed else { return try connection.change(update, [try defaultValue()]) }
      for row in try connection.query("SELECT rowid AS number FROM \(name) WHERE \(quoted) IS NULL") {
        try connection.change("UPDATE \(name) SET \(quoted) = ?1 WHERE rowid = ?2", [try defaultValue(), row["number"] ?? .null])
      }
    } catch let failure as ValueFailure {
      throw StoreError(failure, model: table.model, property: column.property)
    }
  }

  /// Makes the table anew with the model's rules and copies the rows. Source: <https://www.sqlite.org/lang_altertable.html#otheralter>.
  private func rebuild(_ table: TableDefinition) throws {
    guard let state = try TableState.read(table.name, from: connection) else { return }
    let dialect = Dialect.sqlite
    let temporary = "_larder_new_\(table.name)"
    let retired = state.columns.filter { table.column($0.name) == nil && $0.name != ModelStatements.hiddenRowID && !$0.isGenerated }
    let others = try connection.query(
      "SELECT sql FROM sqlite_master WHERE lower(tbl_name) = lower(?) AND type IN ('index', 'trigger') AND sql IS NOT NULL", [.text(table.name)])
    let copied = table.columns.map(\.name) + retired.map(\.name)
    let list = copied.map(dialect.quote).joined(separator: ", ")
    let rowID = table.isKeyRowID ? ("", "") : ("\(dialect.quote(ModelStatements.hiddenRowID)), ", "rowid, ")
    try connection.change(writer.createTable(table, named: temporary, keeping: retired))
    try connection.change(
      "INSERT INTO \(dialect.quote(temporary)) (\(rowID.0)\(list)) SELECT \(rowID.1)\(list) FROM \(dialect.quote(state.name))")
    try connection.change("DROP TABLE \(dialect.quote(state.name))")
    try connection.change("ALTER TABLE \(dialect.quote(temporary)) RENAME TO \(dialect.quote(table.name))")
    for row in others {
      if let sql = row["sql"]?.text { try connection.change(sql) }
    }
  }

  private func remember() throws {
    for table in tables {
      let old = try Catalogue.entry(of: table.name, in: connection)
      let state = try TableState.read(table.name, from: connection)
      let retired = (state?.columns ?? []).map(\.name).filter { table.column($0) == nil && $0 != ModelStatements.hiddenRowID }
      var history = old?.history ?? []
      if let old, old.columnNames != table.columns.map(\.name), !history.contains(old.columnNames) { history.append(old.columnNames) }
      try Catalogue.write(Catalogue.Entry(table, retired: retired, history: history), of: table.name, to: connection)
    }
  }

  private func checkForeignKeys() throws {
    guard let row = try connection.query("PRAGMA foreign_key_check").first else { return }
    throw StoreError(
      .referenced, "A row of \(row["table"]?.text ?? "a table") refers to one that is not there. Correct the rows in a migration; the file is as it was.")
  }
}
