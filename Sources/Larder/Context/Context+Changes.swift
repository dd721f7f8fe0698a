extension Context {
  /// Whether the context has unsaved changes.
  public var hasChanges: Bool {
    // A store that was closed meanwhile doesn't change what is unsaved.
    guard let opened else { return false }
    // If that can't be read, it must not be taken for saved.
    return (try? opened.connection.hasPending(in: opened.layer)) ?? true
  }

  /// The rows of all models that are to be inserted.
  public var inserted: [any Model] { everyModel { inserted($0) } }

  /// The rows of all models that are to be updated, with their new values.
  public var updated: [any Model] { everyModel { updated($0) } }

  /// The rows of all models that are to be deleted, as they were before the context first changed them.
  public var deleted: [any Model] { everyModel { deleted($0) } }

  /// Returns the rows of a model that are to be inserted.
  ///
  /// - Parameter model: The type of the rows.
  /// - Returns: The rows, without those that can't be decoded as the model.
  public func inserted<M: Model>(_ model: M.Type) -> [M] {
    rows(model) {
      "\($0.pending) AS \($0.shadow) WHERE \($0.isShown) AND NOT EXISTS (SELECT 1 FROM \($0.base) AS \(OverlaySQL.previous) WHERE \($0.sameKey(OverlaySQL.previous, $0.shadow)))"
    }
  }

  /// Returns the rows of a model that are to be updated, with their new values.
  ///
  /// - Parameter model: The type of the rows.
  /// - Returns: The rows, without those that can't be decoded as the model.
  public func updated<M: Model>(_ model: M.Type) -> [M] {
    rows(model) {
      "\($0.pending) AS \($0.shadow) WHERE \($0.isShown) AND EXISTS (SELECT 1 FROM \($0.base) AS \(OverlaySQL.previous) WHERE \($0.sameKey(OverlaySQL.previous, $0.shadow)))"
    }
  }

  /// Returns the rows of a model that are to be deleted, as they were before the context first changed them.
  ///
  /// - Parameter model: The type of the rows.
  /// - Returns: The rows, without those that can't be decoded as the model.
  public func deleted<M: Model>(_ model: M.Type) -> [M] {
    rows(model) { sql in
      let own = OverlaySQL.own
      let isShown = sql.table.expires ? " AND \(Expiry.isThere(sql.shadow))" : ""
      return
        "\(sql.base) AS \(sql.shadow) WHERE EXISTS (SELECT 1 FROM \(sql.pending) AS \(own) WHERE \(own).\(OverlaySQL.state) = 1 AND \(sql.sameKey(own, sql.shadow)))\(isShown)"
    }
  }

  private func everyModel(_ rows: (any Model.Type) -> [any Model]) -> [any Model] {
    guard let opened = layer.flatMap({ _ in try? open() }) else { return [] }
    return opened.connection.models.flatMap(rows)
  }

  private func rows<M: Model>(_ model: M.Type, _ source: (OverlaySQL) -> String) -> [M] {
    guard let layer, let connection = try? open().connection, let table = layer.table(M.schema.table) else { return [] }
    guard (try? connection.activate(layer)) != nil else { return [] }
    let sql = connection.sql(of: table, in: layer)
    let columns = sql.select(M.schema.columns.map(\.name))
    let query = "SELECT \(columns) FROM \(source(sql)) ORDER BY \(sql.shadow).\(OverlaySQL.number)"
    return (try? connection.values(model, query)) ?? []
  }
}

extension ContextConnection {
  /// Returns the values of a query by the library; rows that can't be decoded as the model are left out.
  func values<M: Model>(_ model: M.Type, _ query: String) throws -> [M] {
    let statement = try connection.compile(query, isPersistent: false)
    defer { statement.reset() }
    var values: [M] = []
    while try connection.step(statement, ErrorContext(model)) {
      var row = RowReader(statement.pointer)
      if let value = try? M(from: &row) { values.append(value) }
    }
    return values
  }
}
