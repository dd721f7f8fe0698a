import GRDBSQLite

extension ContextConnection {
  func hasPending(in layer: ContextLayer) throws -> Bool {
    guard !layer.tables.isEmpty else { return false }
    return try exists(sql(in: layer).map { "SELECT 1 FROM \($0.pending)" }.joined(separator: " UNION ALL ") + " LIMIT 1")
  }

  /// Writes the layer's pending rows to the file, while no other writer of this process is at work.
  func save(_ layer: ContextLayer, _ policy: MergePolicy) throws {
    try store.withWriter { writer in
      try writer.prepareAttachments(store.environment.tables.contains { $0.columns.contains { $0.type.isJSON } })
      isSaving = true
      defer { isSaving = false }
      do {
        try write(layer, policy, expectsTaken: false)
      } catch let error as StoreError where error.code == .duplicate {
        // It is not looked for rows that are there already before one was met.
        try write(layer, policy, expectsTaken: true)
      }
      layer.versions.didSave(at: layer.clock)
      // The log is one for both connections, and the writer empties it.
      writer.walPages = max(writer.walPages, connection.walPages)
      store.live.didCommit(connection.takeWrites())
    }
  }

  private func write(_ layer: ContextLayer, _ policy: MergePolicy, expectsTaken: Bool) throws {
    connection.forgetWrites()
    try connection.transaction {
      for table in layer.tables where table.expires {
        try run(["DELETE FROM main.\(Dialect.sqlite.quote(table.name)) WHERE \(Expiry.isOver)"], errorContext(of: table))
      }
      try compareWithKnownVersions(layer)
      try noteVersions(layer)
      try merge(layer, policy, expectsTaken: expectsTaken)
      let tables = childrenFirst(layer)
      let hasDeletions = try tables.contains { try exists("SELECT 1 FROM \($0.pending) WHERE \(OverlaySQL.state) = 1 LIMIT 1") }
      if hasDeletions {
        for sql in tables { try run(sql.writeReferences, errorContext(of: sql.table)) }
        for sql in tables { try delete(sql) }
      }
      for sql in tables {
        let context = errorContext(of: sql.table)
        let hasUpdates = try exists("SELECT 1 FROM \(sql.base) LIMIT 1")
        if hasUpdates { try run(sql.vacateUniqueValues + sql.writeUpdates, context) }
        try run([sql.writeInsertions(hasUpdates: hasUpdates)] + sql.clear, context)
      }
    }
  }

  private func delete(_ sql: OverlaySQL) throws {
    let context = errorContext(of: sql.table)
    if let leaves = sql.writeLeafDeletions {
      repeat { try run([leaves], context) } while sqlite3_changes(connection.handle) > 0
    }
    try run([sql.writeDeletions], context)
  }

  /// The tables in an order in which rows go before those that they refer to.
  private func childrenFirst(_ layer: ContextLayer) -> [OverlaySQL] {
    var order: [OverlaySQL] = []
    var seen = Set<String>()
    func visit(_ table: OverlayTable) {
      guard seen.insert(table.name).inserted else { return }
      for other in layer.tables where other.references.contains(where: { $0.parent.isSameColumn(as: table.name) }) { visit(other) }
      order.append(sql(of: table, in: layer))
    }
    for table in layer.tables { visit(table) }
    return order
  }

  /// Writes a child's pending rows to its parent's layer.
  func save(_ child: ContextLayer, into layer: ContextLayer, _ policy: MergePolicy) throws {
    for table in child.tables where layer.table(table.name) == nil { try cover([table.name], in: layer) }
    try activate(child)
    try atomically(in: child) {
      try compareWithKnownVersions(child)
      try noteVersions(child)
      try merge(child, policy, expectsTaken: true)
      for table in child.tables {
        guard let target = layer.table(table.name) else { continue }
        let source = sql(of: table, in: child)
        let sql = sql(of: target, in: layer)
        let images = RowImages.pending(of: source)
        try run(sql.record(images, inStep: sql.step) + sql.apply(images) + source.clear)
      }
    }
    child.versions.didSave(at: child.clock)
  }

  /// Reads what is pending where the values that were written do not tell it.
  private func noteVersions(_ layer: ContextLayer) throws {
    guard !layer.versions.isExact else { return }
    layer.versions.forgetWritten()
    func note<M: Model>(_ model: M.Type) throws {
      guard let table = layer.table(M.schema.table) else { return }
      let sql = sql(of: table, in: layer)
      let columns = sql.select(M.schema.columns.map(\.name))
      layer.versions.didWrite(
        try values(model, "SELECT \(columns) FROM \(sql.pending) AS \(sql.shadow) WHERE \(sql.shadow).\(OverlaySQL.state) = 0"))
    }
    for model in models { try note(model) }
    // Should the save fail, it is read anew.
    layer.versions.isExact = false
  }

  // MARK: Merging

  private func merge(_ layer: ContextLayer, _ policy: MergePolicy, expectsTaken: Bool) throws {
    for sql in sql(in: layer) {
      let hasVersions = try exists("SELECT 1 FROM \(sql.base) LIMIT 1")
      if hasVersions { try run(sql.dropUnchanged) }
      for kind in ConflictKind.allCases where kind == .taken ? expectsTaken : hasVersions {
        if policy == .error {
          try check(kind, sql)
        } else {
          try run(sql.resolve(kind, policy), errorContext(of: sql.table))
        }
      }
    }
  }

  private func check(_ kind: ConflictKind, _ sql: OverlaySQL) throws {
    guard let row = try connection.query(sql.countConflicts(kind)).first, let count = row["count"]?.integer, count > 0 else { return }
    let columns = sql.table.columns
    func first(_ name: String) -> String? {
      columns.indices.first { (row["\(name)\($0)"]?.integer ?? 0) > 0 }.map { columns[$0].name }
    }
    let definition = errorContext(of: sql.table)
    let model = definition?.model ?? sql.table.name
    let column = kind == .taken ? sql.table.keys.first : first("both") ?? first("there")
    let property = column.flatMap { definition?.property($0) ?? $0 }
    let rows = count == 1 ? "one row" : "\(count) rows"
    let place = [model, property].compactMap { $0 }.joined(separator: ".")
    let problem =
      switch kind {
      case .changed: "\(place) was changed by somebody else since it was read in this context, in \(rows) that the context changed or deleted"
      case .gone:
        "\(rows.prefix(1).uppercased() + rows.dropFirst()) of \(model) that the context changed \(count == 1 ? "was" : "were") deleted by somebody else"
      case .taken: "\(place) is taken by what somebody else inserted meanwhile, in \(rows)"
      }
    throw StoreError(
      .conflict, model: model, property: property, "\(problem). Fetch anew after rollback(), or give the context another MergePolicy.")
  }

  /// Puts the versions that were read before the rows were changed in the place of those that were there when they were.
  private func compareWithKnownVersions(_ layer: ContextLayer) throws {
    for model in models { try compare(model, layer) }
  }

  private func compare<M: Model>(_ model: M.Type, _ layer: ContextLayer) throws {
    guard let table = layer.table(M.schema.table), let known = layer.versions.known(model) else { return }
    let sql = sql(of: table, in: layer)
    var writer = connection.environment.makeWriter()
    writer.write("SELECT \(OverlaySQL.clock), \(sql.select(M.schema.columns.map(\.name))) FROM \(sql.base) AS \(sql.shadow)")
    let keepsText = !connection.environment.textParameters(of: .update, model).isEmpty
    var older: [M] = []
    try connection.using(writer, ErrorContext(model)) { statement in
      while try connection.step(statement, ErrorContext(model)) {
        // A row that is not one of the model's was not read as one.
        guard let value = try? connection.decode(model, statement, at: 1), let version = known.version(value.id) else { continue }
        guard version.clock < Int(sqlite3_column_int64(statement.pointer, 0)) else { continue }
        // The same date or identifier may stand there in another form of text.
        if keepsText, let now = try? M.schema.values(of: value), let then = try? M.schema.values(of: version.value), now == then { continue }
        older.append(version.value)
      }
    }
    guard !older.isEmpty else { return }
    let update = connection.environment.sql(of: .update, model)
    let statement = try connection.compile("UPDATE \(sql.base)" + update.dropFirst("UPDATE \(M.schema.statements.table)".count), isPersistent: false)
    statement.arena.textParameters = connection.environment.textParameters(of: .update, model)
    var execution = RowExecution(statement.pointer, arena: statement.arena, requiresChange: false)
    for value in older {
      var row = RowWriter(statement.pointer, arena: statement.arena)
      try value.encode(to: &row)
      try execution.step()
    }
    statement.reset()
  }
}
