extension StoreWriter {
  /// Recomputes every `@Derived` property and every full-text index of the store's models, in one transaction.
  ///
  /// JSON and booleans that another program or SQL wrote in another form are written as Larder does, so that conditions
  /// find them. Triggers and indexes of the models that another program has dropped are created again.
  ///
  /// The triggers that maintain them see every change but one: `INSERT OR REPLACE` by a program that leaves SQLite's
  /// `recursive_triggers` off deletes rows without firing triggers. Larder's own connections turn it on.
  ///
  /// - Throws: ``StoreError`` `.unsupported` in a context (call it on its store instead), `.duplicate` if rows have one
  ///   value of a unique index that is missing, and the errors of any write.
  /// - Complexity: Reads every row of the models that have such properties, JSON or booleans, and of those that they are derived
  ///   from.
  public func rebuildDerived() throws {
    try _write(isAtomic: true) { try $0.connection.rebuildDerived() }
  }
}

extension BlockingStore {
  /// Does what ``StoreWriter/rebuildDerived()`` does as far as the values of the rows allow it.
  ///
  /// - Returns: The errors of what was left as it is.
  /// - Throws: The errors of any write, such as `.diskFull`; nothing is changed then.
  package func rebuildDerivedWherePossible() throws -> [StoreError] {
    var failures: [StoreError] = []
    try _write(isAtomic: true) { access in
      failures = []
      try access.connection.rebuildDerived { failures.append($0) }
    }
    return failures
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
  /// - Parameter report: Called with what can't be made anew, and the rest is done; nil to throw it.
  fileprivate func rebuildDerived(reporting report: ((StoreError) -> Void)? = nil) throws {
    guard overlay == nil else {
      throw StoreError(
        .unsupported, "What is derived in the file cannot be rebuilt in a context. Call rebuildDerived() on the store.")
    }
    if environment.isManaged {
      let changes = SchemaChanges(self, log: nil, backUp: {})
      for step in try SchemaPlanner(self, environment.tables).repairs() {
        try attempt(report) { try changes.perform(step) }
      }
    }
    for column in environment.tables.flatMap(\.derived).inOrderOfDerivation {
      try attempt(report) { try clampingSums { try execute(column.fill) } }
    }
    for table in environment.tables {
      if environment.isManaged {
        try attempt(report) { try JSONForm(table).write(on: self) }
        try attempt(report) { try ValueForm.write(table, on: self) }
      }
      guard !table.searchable.isEmpty else { continue }
      let index = Quoting.name(SearchClause.table(of: table.name))
      try attempt(report) { try execute("INSERT INTO \(index) (\(index)) VALUES ('rebuild')") }
    }
  }

  /// Calls the closure; if errors of values are to be reported, in a savepoint.
  private func attempt(_ report: ((StoreError) -> Void)?, _ body: () throws -> Void) throws {
    guard let report else { return try body() }
    do {
      try savepoint(body)
    } catch let error as StoreError
      where [.invalidValue, .unsupported, .constraint, .duplicate, .schemaMismatch].contains(error.code)
    {
      report(error)
    }
  }
}
