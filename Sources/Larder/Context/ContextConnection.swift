import GRDBSQLite

/// The connection of a context and its children, with temporary tables and views for unsaved rows.
///
/// One layer at a time is active: its views have the names of the tables, so that the store's SQL sees the layer's
/// unsaved rows.
final class ContextConnection {
  let store: Store
  let connection: Connection
  private let pendingText = PendingText()
  private let definitions: [TableDefinition]
  /// The models of the store.
  let models: [any Model.Type]
  private let foreignKeys: [ForeignKey]
  /// The layer whose views have the tables' names.
  private(set) var active: ContextLayer?
  /// Whether statements may write to the file's own tables.
  var isSaving = false
  private var lastLayer = 0
  /// The layers that are in use.
  private(set) var layers: [ContextLayer] = []
  /// Whether the last statement seemed to change the schema.
  private var isDeclaring = false
  /// What is known of the sums that the last verbs changed.
  var sumRooms = SumRooms()

  init(_ store: Store) throws {
    self.store = store
    let environment = StoreEnvironment(
      tables: store.environment.tables, adopted: store.environment.adopted, pendingText: pendingText,
      features: store.environment.features, isManaged: store.environment.isManaged, gate: store.environment.gate,
      isImmutable: store.environment.isImmutable)
    connection = try store.opening.openContext(environment)
    definitions = store.environment.tables
    models = RelatedModels(store.opening.models).all
    foreignKeys = try ForeignKey.all(in: connection)
    OverlaySQL.canonicalJSON(of: definitions).register(on: connection.handle)
    OverlaySQL.counterSum.register(on: connection.handle)
    connection.overlay = self
  }

  // MARK: Layers

  func makeLayer(on parent: ContextLayer?, _ policy: MergePolicy) throws -> ContextLayer {
    lastLayer += 1
    let layer = ContextLayer(id: lastLayer, parent: parent, policy: policy)
    try makeStepTable(of: layer)
    layers.append(layer)
    // Its own views replace the tables whose rows can expire, so that they can be written.
    if parent == nil { try cover(Set(definitions.filter(\.expires).map(\.name)), in: layer) }
    return layer
  }

  private func makeStepTable(of layer: ContextLayer) throws {
    try define("CREATE TEMP TABLE \(OverlaySQL.stepTable(of: layer.id)) (step INTEGER NOT NULL)")
    try define("INSERT INTO \(OverlaySQL.stepTable(of: layer.id)) VALUES (0)")
  }

  /// Drops the tables of a layer that is no longer used.
  func remove(_ layer: ContextLayer) {
    if active === layer { active = nil }
    layers.removeAll { $0 === layer }
    // What can't be dropped while a statement reads is dropped with the connection.
    try? dropViews()
    for statement in layer.tables.flatMap({ sql(of: $0, in: layer).dropTables }) + [
      "DROP TABLE IF EXISTS temp.\(OverlaySQL.stepTable(of: layer.id))"
    ] {
      try? define(statement)
    }
    active = nil
  }

  /// Makes the layer active.
  func activate(_ layer: ContextLayer) throws {
    guard active !== layer else { return }
    try install(layer)
  }

  private func install(_ layer: ContextLayer) throws {
    active = nil
    try dropViews()
    for table in layer.chain.dropLast().flatMap(\.tables) where layer.table(table.name) == nil {
      try add(table, to: layer)
    }
    for layer in layer.chain {
      for statement in layer.tables.flatMap({ sql(of: $0, in: layer).createViews }) { try define(statement) }
    }
    for table in layer.tables {
      for statement in sql(of: table, in: layer).createShadow { try define(statement) }
    }
    pendingText.sources = textSources(of: layer)
    connection.forgetStatements()
    active = layer
  }

  private func dropViews() throws {
    let views = try connection.query(
      "SELECT name FROM sqlite_temp_master WHERE type = 'view' AND sql LIKE '% AS \(ReservedNames.viewMark) %'")
    for view in views { try define("DROP VIEW temp.\(Quoting.name(try view.get("name")))") }
    connection.forgetStatements()
  }

  /// Executes a statement that creates or drops temporary tables and views.
  private func define(_ statement: String) throws {
    let wasSaving = isSaving
    isSaving = true
    defer { isSaving = wasSaving }
    try connection.change(statement)
  }

  private func add(_ table: OverlayTable, to layer: ContextLayer) throws {
    // Half of them would be in the way of the next attempt.
    try connection.savepoint {
      for statement in sql(of: table, in: layer).createTables { try define(statement) }
    }
    layer.tables.append(table)
  }

  /// Returns the SQL of a table in a layer.
  func sql(of table: OverlayTable, in layer: ContextLayer) -> OverlaySQL {
    let others = layer.chain.dropLast().filter { $0.table(table.name) != nil }
    let below = others.last
    let rules = foreignKeys.filter { $0.parent.isSameColumn(as: table.name) }
    let file = table.expires ? Quoting.name(Expiry.view(of: table.name)) : "main.\(Quoting.name(table.name))"
    return OverlaySQL(
      layers: others.map(\.id) + [layer.id], table: table,
      lower: below.map { Quoting.name("\(ReservedNames.prefix)rows_\($0.id)_\(table.name)") } ?? file,
      lowerView: below.map {
        Quoting.name("\(ReservedNames.prefix)\(table.derived.isEmpty ? "rows" : "view")_\($0.id)_\(table.name)")
      }
        ?? file,
      deleteRules: rules,
      tables: layer.tables)
  }

  func sql(in layer: ContextLayer) -> [OverlaySQL] {
    layer.tables.map { sql(of: $0, in: layer) }
  }

  /// Creates the tables for unsaved rows of these tables, and of those that their deletions reach.
  func cover(_ names: Set<String>, in layer: ContextLayer) throws {
    var waiting = names.sorted()
    while let name = waiting.popLast() {
      guard layer.table(name) == nil else { continue }
      let definition = definitions.first { $0.name.isSameColumn(as: name) }
      guard !name.isSameColumn(as: "new") else {
        throw StoreError(
          .unsupported, model: definition?.model, property: nil,
          "A context cannot keep pending changes of a table named \(name), because triggers have rows of this name. Name the table otherwise by @Model(\"…\"), or make its changes in store.write { db in … }."
        )
      }
      guard
        let table = try OverlayTable.read(
          name, definition: definition,
          pairs: definitions.lazy.flatMap(\.pairs).first { $0.name.isSameColumn(as: name) }, foreignKeys: foreignKeys,
          from: connection)
      else {
        throw StoreError(
          .unsupported,
          "A context cannot keep pending changes of \(name): it changes the rows of tables with a key. Make other changes in store.write { db in … }."
        )
      }
      try add(table, to: layer)
      waiting += foreignKeys.filter { $0.parent.isSameColumn(as: name) && $0.reachesChildren }.map(\.child)
      // Derived columns are computed while some rows are unsaved.
      waiting += definitions.filter { OverlayTable.Derived.all(of: $0).contains { $0.tables.contains(table.name) } }
        .map(\.name)
    }
    try install(layer)
  }

  // MARK: Statements

  func run(_ statements: [String], _ context: ErrorContext? = nil) throws {
    for statement in statements { try connection.run(try connection.statement(statement), context: context) }
  }

  /// Returns whether the query has a row.
  func exists(_ query: String) throws -> Bool {
    let statement = try connection.statement(query)
    defer { statement.reset() }
    return try connection.step(statement, nil)
  }

  func setStep(_ number: Int, of layer: ContextLayer) throws {
    let statement = try connection.statement("UPDATE \(OverlaySQL.stepTable(of: layer.id)) SET step = ?1")
    sqlite3_bind_int64(statement.pointer, 1, Int64(number))
    try connection.run(statement)
  }

  /// Calls the closure. On an error everything is restored, including the views and the children that were used
  /// meanwhile.
  func atomically<Result>(in layer: ContextLayer, _ body: () throws -> Result) throws -> Result {
    let before = layers.map { (layer: $0, state: $0.state) }
    let wasActive = active
    do {
      let result = try connection.savepoint(body)
      connection.forgetWrites()
      return result
    } catch {
      connection.forgetWrites()
      sumRooms.forget()
      // Restores the views, too.
      var hasOtherTables = active !== wasActive
      for (layer, state) in before {
        if layer.tables.count != state.tables.count { hasOtherTables = true }
        layer.state = state
        // Of what was written within nothing is left.
        layer.versions.isExact = false
      }
      for other in layers where !before.contains(where: { $0.layer === other }) {
        // Its tables were dropped with everything else that was created meanwhile.
        hasOtherTables = true
        other.state = ContextLayer.State()
        try makeStepTable(of: other)
      }
      if hasOtherTables {
        active = nil
        connection.forgetStatements()
      }
      throw error
    }
  }

  /// Whether a step is at work, in any layer.
  var isInStep: Bool { layers.contains { $0.open != nil } }

  /// The versions that the layer has read, to be changed by more than reads: a step at work that fails brings back
  /// those from before.
  func changeableVersions(of layer: ContextLayer) -> KnownVersions {
    if isInStep { layer.versions = layer.versions.copy() }
    return layer.versions
  }

  func definition(of table: String) -> TableDefinition? {
    definitions.first { $0.name.isSameColumn(as: table) }
  }

  /// Returns the model's context for errors about the table.
  func errorContext(of table: OverlayTable) -> ErrorContext? {
    definitions.first { $0.name == table.name }.map { ErrorContext($0) }
  }

  // MARK: Full text

  private func textSources(of layer: ContextLayer) -> [String: [PendingText.Source]] {
    var sources: [String: [PendingText.Source]] = [:]
    for table in layer.tables where !table.searchable.isEmpty {
      let layers = layer.chain.filter { $0.table(table.name) != nil }
      func hidden(_ row: String, by layers: some Sequence<ContextLayer>) -> String {
        layers.map { layer in
          let column = table.hiddenRowID == nil ? Quoting.name(table.keys[0]) : OverlaySQL.row
          return
            " AND \(row) NOT IN (SELECT \(column) FROM \(sql(of: table, in: layer).pending) WHERE \(column) IS NOT NULL)"
        }.joined()
      }
      let index = Quoting.name(SearchClause.table(of: table.name))
      let first = PendingText.Source(
        index: index, row: "\(index).rowid", join: "", condition: hidden("\(index).rowid", by: layers))
      sources[table.name] =
        [first]
        + layers.enumerated().map { position, layer in
          let sql = sql(of: table, in: layer)
          let row = table.hiddenRowID == nil ? "p.\(Quoting.name(table.keys[0]))" : sql.pendingRow("p")
          return PendingText.Source(
            index: sql.text, row: row, join: " JOIN \(sql.pending) AS p ON p.\(OverlaySQL.number) = \(sql.text).rowid",
            condition: hidden(row, by: layers[(position + 1)...]))
        }
    }
    return sources
  }
}

extension ContextConnection: ConnectionOverlay {
  func cover(_ tables: Set<String>) throws -> Bool {
    guard !isSaving, let active else { return false }
    // SQLite reports a virtual table, such as a full-text index, as created when a statement first uses it, and not
    // again.
    let wasDeclaring = isDeclaring
    isDeclaring = tables.contains("sqlite_master")
    if isDeclaring, !wasDeclaring { return true }
    guard !tables.isEmpty else { return false }
    // The file's own foreign keys may write tables that are already redirected; a statement that names one with `main`
    // isn't.
    let others = tables.filter { active.table($0) == nil }
    guard !others.isEmpty else {
      let table = tables.sorted().joined(separator: ", ")
      throw StoreError(
        .unsupported,
        "In a context the table \(table) is written by its plain name, without main before it: its changes wait until save()."
      )
    }
    try cover(others, in: active)
    return true
  }

  func sql<M: Model>(of kind: ModelStatementKind, _ model: M.Type) throws -> String? {
    guard kind == .upsert, let active else { return nil }
    if active.table(M.schema.table) == nil { try cover([M.schema.table], in: active) }
    guard let table = active.table(M.schema.table) else { return nil }
    let insert = connection.environment.sql(of: .insert, model)
    return "INSERT INTO \(sql(of: table, in: active).upsert)"
      + insert.dropFirst("INSERT INTO \(M.schema.statements.table)".count)
  }

  func didRead<M: Model>(_ values: [M]) {
    guard let active, !isSaving else { return }
    guard let table = active.table(M.schema.table) else { return active.versions.didRead(values, at: active.clock) }
    // An unsaved row isn't a version in the store.
    let stored = (try? notPending(values, sql(of: table, in: active))) ?? []
    active.versions.didRead(stored, at: active.clock)
  }

  func didWrite<M: Model>(_ values: [M]) throws {
    guard let active else { return }
    active.versions.didWrite(values)
    guard !isSaving else { return }
    try compareCounters(of: values, in: active)
    // They may have taken the unique values of expired rows.
    if M.schema.expires { try applyDeleteRules(in: active) }
    try settleCounters(in: active)
  }

  func didChange() throws {
    guard let active else { return }
    active.versions.isExact = false
    guard !isSaving else { return }
    try applyDeleteRules(in: active)
    try settleCounters(in: active)
  }
}

extension ContextConnection {
  /// Returns `WHERE` of the row with a key, whose values are the parameters.
  func isKey<M: Model>(of model: M.Type) -> String {
    let find = connection.environment.sql(of: .find, model)
    return String(find.dropFirst("SELECT \(M.schema.statements.columns) FROM \(M.schema.statements.table)".count))
  }

  /// Returns the values whose rows have no unsaved changes in the layer of the SQL.
  func notPending<M: Model>(_ values: [M], _ sql: OverlaySQL) throws -> [M] {
    guard try exists("SELECT 1 FROM \(sql.pending) LIMIT 1") else { return values }
    let statement = try connection.statement("SELECT 1 FROM \(sql.pending)\(isKey(of: M.self))")
    return try values.filter { value in
      defer { statement.reset() }
      try statement.bindKey(value.id, of: M.self)
      return try !connection.step(statement, nil)
    }
  }
}
