extension StoreWriter {
  /// Computes every `@Derived` property and every full-text index of the store's models anew, in one transaction.
  ///
  /// The triggers that keep both see every change but one: `INSERT OR REPLACE` of a program that leaves SQLite's `recursive_triggers` off deletes rows
  /// without a trigger. Larder's own connections have it on.
  ///
  /// - Throws: ``StoreError`` `.unsupported` in a context, whose store it is called on instead; otherwise what a write throws.
  /// - Complexity: Every row of the models that have such properties, and of those that they are derived from.
  public func rebuildDerived() throws {
    try _write(isAtomic: true) { try $0.connection.rebuildDerived() }
  }
}

extension Store {
  /// Computes every `@Derived` property and every full-text index anew. See ``StoreWriter/rebuildDerived()``.
  public func rebuildDerived() async throws {
    try await write { try $0.rebuildDerived() }
  }
}

extension Connection {
  fileprivate func rebuildDerived() throws {
    guard overlay == nil else {
      throw StoreError(.unsupported, "What is derived in the file cannot be rebuilt in a context. Call rebuildDerived() on the store.")
    }
    let dialect = Dialect.sqlite
    for table in environment.tables {
      for column in table.derived { try execute(column.fill(dialect)) }
      guard !table.searchable.isEmpty else { continue }
      let index = dialect.quote(SearchClause.table(of: table.name))
      try execute("INSERT INTO \(index) (\(index)) VALUES ('rebuild')")
    }
  }
}
