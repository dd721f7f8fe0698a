extension StoreWriter {
  /// Recomputes every `@Derived` property and every full-text index of the store's models, in one transaction.
  ///
  /// JSON that another program or SQL wrote in another form is written as Larder does, so that conditions find it. Triggers
  /// and indexes of the models that another program has dropped are created again.
  ///
  /// The triggers that maintain them see every change but one: `INSERT OR REPLACE` by a program that leaves SQLite's
  /// `recursive_triggers` off deletes rows without firing triggers. Larder's own connections turn it on.
  ///
  /// - Throws: ``StoreError`` `.unsupported` in a context (call it on its store instead), `.duplicate` if rows have one
  ///   value of a unique index that is missing, and the errors of any write.
  /// - Complexity: Reads every row of the models that have such properties or JSON, and of those that they are derived
  ///   from.
  public func rebuildDerived() throws {
    try _write(isAtomic: true) { try $0.connection.rebuildDerived() }
  }
}

extension Store {
  /// Recomputes every `@Derived` property and every full-text index. See ``StoreWriter/rebuildDerived()``.
  ///
  /// - Throws: The errors of ``StoreWriter/rebuildDerived()``.
  public func rebuildDerived() async throws {
    try await write { try $0.rebuildDerived() }
  }
}

extension Connection {
  fileprivate func rebuildDerived() throws {
    guard overlay == nil else {
      throw StoreError(
        .unsupported, "What is derived in the file cannot be rebuilt in a context. Call rebuildDerived() on the store.")
    }
    if environment.isManaged {
      let changes = SchemaChanges(self, log: nil, backUp: {})
      for step in try SchemaPlanner(self, environment.tables).repairs() { try changes.perform(step) }
    }
    for column in environment.tables.flatMap(\.derived).inOrderOfDerivation { try execute(column.fill) }
    for table in environment.tables {
      if environment.isManaged { try JSONForm(table).write(on: self) }
      guard !table.searchable.isEmpty else { continue }
      let index = Quoting.name(SearchClause.table(of: table.name))
      try execute("INSERT INTO \(index) (\(index)) VALUES ('rebuild')")
    }
  }
}
