import GRDBSQLite

extension ContextConnection {
  func hasPending(in layer: ContextLayer) throws -> Bool {
    guard !layer.tables.isEmpty else { return false }
    return try exists(
      sql(in: layer).map { "SELECT 1 FROM \($0.pending)" }.joined(separator: " UNION ALL ") + " LIMIT 1")
  }

  /// Writes the layer's unsaved rows to the file, while no other writer of this process is active.
  func save(_ layer: ContextLayer, _ policy: MergePolicy) throws {
    try store.withWriter { writer in
      try writer.prepareAttachments(store.environment.tables.contains { $0.columns.contains { $0.type.isJSON } })
      isSaving = true
      defer { isSaving = false }
      var leases: [(layer: ContextLayer, digests: [String])]
      do {
        leases = try write(layer, policy, expectsTaken: false)
      } catch let error as StoreError where error.code == .duplicate {
        // Existing rows are only searched for after a conflict with one.
        leases = try write(layer, policy, expectsTaken: true)
      }
      layer.versions.didSave(at: layer.clock)
      didWriteAttachmentLeases(leases)
      // Both connections share the log, and the writer empties it.
      writer.walPages = max(writer.walPages, connection.walPages)
      connection.takeWrites(store.environment.features.didCommit)
      // The expiry dates of its rows were set before they were in the file, where the sweeper looks for them.
      if layer.tables.contains(where: \.expires) { store.environment.clock.noteRelease() }
    }
  }

  /// Writes the rows, and returns the attachments that the file keeps for undo.
  private func write(
    _ layer: ContextLayer, _ policy: MergePolicy, expectsTaken: Bool
  ) throws -> [(layer: ContextLayer, digests: [String])] {
    func change() throws -> [(layer: ContextLayer, digests: [String])] {
      let expiring = layer.tables.filter(\.expires).map { sql(of: $0, in: layer) }
      for sql in expiring { try removeExpired(sql, expectsTaken: expectsTaken) }
      try takeOthers(layer)
      try compareWithKnownVersions(layer)
      try noteVersions(layer)
      try merge(layer, policy, expectsTaken: expectsTaken)
      for sql in expiring { try replaceExpired(sql) }
      let leases = try writeAttachmentLeases()
      try writeRows(of: layer)
      return leases
    }
    connection.forgetWrites()
    do {
      return try connection.transaction(change)
    } catch let error as StoreError where mayConcernSum(error) {
      // All sums fit in the end, but not each one after each statement, or not with what others have written.
      connection.forgetWrites()
      do {
        return try connection.transaction { try addingUpSums(change) }
      } catch let again as StoreError where again.code == .invalidValue {
        throw connection.namingSum(error) { _ = try change() }
      }
    }
  }

  /// The sums that their properties may not be able to hold, each after those that it is derived from.
  private var limitedSums: [DerivedColumn] {
    store.environment.tables.flatMap(\.derived).inOrderOfDerivation.filter { $0.unstorable(in: .file) != nil }
  }

  /// Returns whether a trigger may have refused a sum. SQLite names no property if its own sum overflows.
  private func mayConcernSum(_ error: StoreError) -> Bool {
    error.code == .invalidValue
      && limitedSums.contains { error.property == nil || ($0.model, $0.property) == (error.model, error.property) }
  }

  /// Calls the closure, which writes rows, without the triggers of the sums that their properties may not be able to
  /// hold, and adds these up when all rows are written.
  ///
  /// - Complexity: It adds up the sums of all rows.
  private func addingUpSums<Result>(_ change: () throws -> Result) throws -> Result {
    // Others may have merged rows whose sums are out of range, which doesn't concern what is saved.
    let before = try limitedSums.map { try unstorableKeys(of: $0) }
    for trigger in limitedSums.flatMap(\.triggers) {
      try connection.change("DROP TRIGGER IF EXISTS main.\(Quoting.name(trigger.name))")
    }
    let result = try change()
    for (sum, before) in zip(limitedSums, before) {
      let (table, column) = (Quoting.name(sum.table), Quoting.name(sum.column))
      let known = Set(before)
      if let key = try unstorableKeys(of: sum).first(where: { !known.contains($0) }),
        let reason = sum.unstorable()?.reason
      {
        throw DerivedRefusal(model: sum.model, property: sum.property, reason: reason).error(key: [key])
      }
      let value = sum.recomputed(in: .file)
      try connection.change("UPDATE main.\(table) SET \(column) = \(value) WHERE \(column) IS NOT \(value)")
    }
    for trigger in limitedSums.flatMap(\.triggers) { try connection.change(trigger.creation) }
    return result
  }

  /// Returns the keys of the rows of the file whose property can't hold the sum.
  private func unstorableKeys(of sum: DerivedColumn) throws -> [Value] {
    guard let condition = sum.unstorable(in: .file)?.condition else { return [] }
    let rows = try connection.query(
      "SELECT \(Quoting.name(sum.key)) AS key FROM main.\(Quoting.name(sum.table)) WHERE \(condition)")
    return rows.map { $0["key"] ?? .null }
  }

  /// Writes the updates, then the deletions, and then the inserts: a row that moved isn't deleted with its old parent,
  /// and the end of the transaction finds rows whose new parent is deleted.
  private func writeRows(of layer: ContextLayer) throws {
    let tables = parentsFirst(layer)
    sumRooms.forget()
    let hasDeletions = try tables.contains {
      try exists("SELECT 1 FROM \($0.pending) WHERE \(OverlaySQL.state) = 1 LIMIT 1")
    }
    // Denials were checked at the time of the deletion; the file's own rules are checked at the end, because rows may be
    // written before those that they refer to. The commit turns the pragma off.
    try connection.execute("PRAGMA defer_foreign_keys = ON")
    var updated = Set<String>()
    for sql in tables where try exists("SELECT 1 FROM \(sql.base) LIMIT 1") {
      updated.insert(sql.table.name)
      try vacate(sql)
      try run(sql.writeUpdates, errorContext(of: sql.table))
    }
    if hasDeletions {
      try writeDeletions(tables)
      for sql in tables where updated.contains(sql.table.name) {
        try run(sql.writeReferences, errorContext(of: sql.table))
      }
    }
    for sql in tables {
      let insertions = sql.writeInsertions(hasUpdates: updated.contains(sql.table.name), hasDeletions: hasDeletions)
      try run([insertions] + sql.clear, errorContext(of: sql.table))
    }
  }

  /// Releases unique values that updated rows take over from others.
  private func vacate(_ sql: OverlaySQL) throws {
    for vacancy in sql.vacancies {
      if let statement = sql.vacate(vacancy) {
        try run([statement], errorContext(of: sql.table))
        continue
      }
      // Numbers near zero keep derived values within their range.
      var number: Int64 = 0
      let step: Int64 = vacancy.type.isUnsigned ? 1 : -1
      for row in try connection.query(sql.rows(vacancy)) {
        repeat { number += step } while try !connection.query(sql.isUsed(vacancy), [vacancy.type.value(number)]).isEmpty
        try connection.change(
          sql.vacateRow(vacancy), [vacancy.type.value(number)] + sql.table.keys.map { row[$0] ?? .null })
      }
    }
  }

  /// Forgets unsaved rows that have expired and, if others may conflict, deletes expired rows with the unique values of
  /// unsaved ones.
  ///
  /// Other rows stay: after a jump of the clock, they are only hidden.
  private func removeExpired(_ sql: OverlaySQL, expectsTaken: Bool) throws {
    try run(sql.dropExpired)
    guard expectsTaken else { return }
    try connection.environment.features.expiring(until: connection.environment.clock.now, connection) {
      for statement in sql.removeTaken {
        try connection.deletingBySQL { try run([statement], errorContext(of: sql.table)) }
      }
    }
  }

  /// Makes unsaved rows replace the expired rows of the file that have their keys.
  private func replaceExpired(_ sql: OverlaySQL) throws {
    try connection.environment.features.expiring(until: connection.environment.clock.now, connection) {
      try run(sql.followHidden)
    }
    try run([sql.updateExpired])
  }

  /// Returns the tables sorted so that rows come after those that they refer to.
  private func parentsFirst(_ layer: ContextLayer) -> [OverlaySQL] {
    var order: [OverlaySQL] = []
    var seen = Set<String>()
    func visit(_ table: OverlayTable) {
      guard seen.insert(table.name).inserted else { return }
      for reference in table.references { if let parent = layer.table(reference.parent) { visit(parent) } }
      order.append(sql(of: table, in: layer))
    }
    for table in layer.tables { visit(table) }
    return order
  }

  /// Writes a child's unsaved rows to its parent's layer.
  func save(_ child: ContextLayer, into layer: ContextLayer, _ policy: MergePolicy, inStep step: Int) throws {
    for table in child.tables where layer.table(table.name) == nil { try cover([table.name], in: layer) }
    try activate(child)
    try atomically(in: child) {
      for table in child.tables where table.expires { try run(sql(of: table, in: child).dropExpired) }
      try takeOthers(child)
      try compareWithKnownVersions(child)
      try noteVersions(child)
      try merge(child, policy, expectsTaken: true)
      var restoring: [String] = []
      for table in child.tables {
        guard let target = layer.table(table.name) else { continue }
        let source = sql(of: table, in: child)
        let sql = sql(of: target, in: layer)
        let images = RowImages.pending(of: source)
        try run(sql.touch(images) + sql.record(images, inStep: sql.step) + sql.remove(images))
        restoring += sql.restore(images) + source.clear
      }
      try run(restoring)
      try settleCounters(in: layer)
      try judgeSums(in: layer)
      try holdAttachments(of: step, in: layer)
    }
    changeableVersions(of: child).didSave(at: child.clock)
    // The layer's own pending rows are no longer just what was written there one by one.
    layer.versions.isExact = false
  }

  /// Reads the unsaved rows whose versions aren't known from the written values.
  private func noteVersions(_ layer: ContextLayer) throws {
    guard !layer.versions.isExact else { return }
    layer.versions.forgetWritten()
    func note<M: Model>(_ model: M.Type) throws {
      guard let table = layer.table(M.schema.table) else { return }
      let sql = sql(of: table, in: layer)
      let columns = sql.select(M.schema.columns.map(\.name))
      layer.versions.didWrite(
        try values(
          model, "SELECT \(columns) FROM \(sql.pending) AS \(sql.shadow) WHERE \(sql.shadow).\(OverlaySQL.state) = 0"))
    }
    for model in models { try note(model) }
    // If the save fails, they are read again.
    layer.versions.isExact = false
  }

  // MARK: Merging

  private func merge(_ layer: ContextLayer, _ policy: MergePolicy, expectsTaken: Bool) throws {
    for sql in sql(in: layer) {
      let hasVersions = try exists("SELECT 1 FROM \(sql.base) LIMIT 1")
      let counts = !sql.table.counters.isEmpty
      // Of rows that can expire, they were recorded when expired ones were removed.
      if counts, !sql.table.expires { try run([sql.noteCounted]) }
      if hasVersions { try run(sql.dropUnchanged) }
      if hasVersions, counts { try run(sql.addCounters + sql.takeOthers(mayBeUnchanged: true)) }
      if expectsTaken { try run([sql.dropEqual] + (counts ? sql.addInserted(policy) : [])) }
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
    guard let row = try connection.query(sql.countConflicts(kind)).first, let count = row["count"]?.integer, count > 0
    else { return }
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
      case .changed:
        "\(place) was changed by somebody else since it was read in this context, in \(rows) that the context changed or deleted"
      case .gone:
        "\(rows.prefix(1).uppercased() + rows.dropFirst()) of \(model) that the context changed \(count == 1 ? "was" : "were") deleted by somebody else"
      case .taken: "\(place) is taken by what somebody else inserted meanwhile, in \(rows)"
      }
    throw StoreError(
      .conflict, model: model, property: property,
      "\(problem). Fetch anew after rollback(), or give the context another MergePolicy.")
  }

  /// Replaces the recorded versions by those that the context had read before the rows were changed; their counters are
  /// settled already.
  private func compareWithKnownVersions(_ layer: ContextLayer) throws {
    for model in models { try compare(model, layer) }
  }

  private func compare<M: Model>(_ model: M.Type, _ layer: ContextLayer) throws {
    guard let table = layer.table(M.schema.table), let known = layer.versions.known(model) else { return }
    let sql = sql(of: table, in: layer)
    var writer = connection.environment.makeWriter()
    writer.write(
      "SELECT \(OverlaySQL.clock), \(sql.shadow).\(OverlaySQL.number), \(sql.select(M.schema.columns.map(\.name))) FROM \(sql.base) AS \(sql.shadow)"
    )
    let counters = Set(table.counters.map(\.name))
    var older: [(row: Int64, values: [String: Value])] = []
    try connection.using(writer, ErrorContext(model)) { statement in
      while try connection.step(statement, ErrorContext(model)) {
        // A row that can't be decoded wasn't read.
        guard let value = try? connection.decode(model, statement, at: 2), let version = try known.version(of: value)
        else { continue }
        guard version.clock < Int(sqlite3_column_int64(statement.pointer, 0)) else { continue }
        // Equal values stay unchanged, because the file may store them in another format than Larder's.
        let (now, then) = (try M.schema.values(of: value), try M.schema.values(of: version.value))
        let changes = then.filter { column, value in
          !counters.contains(column) && now[column].map(ExactValue.init) != ExactValue(value)
        }
        if !changes.isEmpty { older.append((sqlite3_column_int64(statement.pointer, 1), changes)) }
      }
    }
    for (row, values) in older { try putBack(values, of: M.self, row, in: sql) }
  }

  /// Replaces recorded values by those that were read before the row was changed.
  private func putBack<M: Model>(_ values: [String: Value], of model: M.Type, _ row: Int64, in sql: OverlaySQL) throws {
    let written = M.schema.writtenColumns.map(\.name).filter { values[$0] != nil && !sql.table.keys.contains($0) }
    guard !written.isEmpty else { return }
    var writer = connection.environment.makeWriter()
    writer.write("UPDATE \(sql.base) SET ")
    for (position, column) in written.enumerated() {
      writer.write("\(position == 0 ? "" : ", ")\(Quoting.name(column)) = ")
      try writer.write(.value(values[column] ?? .null), asStoredIn: column, of: M.schema)
    }
    writer.write(" WHERE \(OverlaySQL.number) = ")
    writer.bind(.integer(row))
    try connection.using(writer, ErrorContext(model)) { statement in
      while try connection.step(statement, ErrorContext(model)) {}
    }
  }
}
