/// A named change of the file that runs once, in the order of the list, when a store is opened.
///
/// ```swift
/// let split = Migration("2026-11 split names") { db in
///   for row in try db.sql("select id, name from Person") {
///     let parts = (row["name"]?.text ?? "").split(separator: " ", maxSplits: 1)
///     try db.sql("update Person set first = \(String(parts.first ?? "")) where id = \(row["id"] ?? .null)")
///   }
/// }
/// let store = try Store(at: url, for: Person.self, configuration: .init(migrations: [split]))
/// ```
///
/// When the closure runs, new columns already exist, without a value if the property has no default; properties that
/// became required have their default; and columns with an `originalName` have their new name. Old columns still exist
/// and can be read with `db.rows` and `db.sql`, or with a model of the old shape: `@Model("Person") struct OldPerson`.
/// To store data in attachments, use ``Transaction/attach(_:name:mediaType:)``.
///
/// All of opening is one transaction: an error that the closure throws leaves the file unchanged. Before the first
/// statement that updates, deletes or drops existing data, the file is copied beside itself as `name.backup-1`.
public struct Migration: Sendable {
  /// The name under which the file records that the migration ran.
  public let name: String
  let body: @Sendable (Transaction) throws -> Void

  /// Creates a migration.
  ///
  /// - Parameters:
  ///   - name: A name that never changes once the migration was published.
  ///   - body: The change, made in the transaction of opening.
  public init(_ name: String, _ body: @escaping @Sendable (Transaction) throws -> Void) {
    self.name = name
    self.body = body
  }
}

extension Transaction {
  /// Drops a column that no longer has a property, with all of its values. For use in migrations.
  ///
  /// Larder's own indexes on the column are dropped too; those that the model still declares are created again after
  /// the migrations.
  ///
  /// - Parameters:
  ///   - name: The name of the column.
  ///   - model: The model of the table.
  /// - Throws: ``StoreError`` `.schemaMismatch` if there is no such column, `.unsupported` if an index or trigger of
  ///   your own, or the key, uses it.
  public func dropColumn<M: Model>(_ name: String, of model: M.Type) throws {
    try _write(isAtomic: true) { access in
      let connection = access.connection
      guard let state = try TableState.read(M.schema.table, from: connection), let column = state.column(name) else {
        throw StoreError(
          .schemaMismatch, model: M.schema.modelName,
          "The table \(M.schema.table) has no column \(name) to drop. Name the column, which is not always called as the property was."
        )
      }
      // They are created again, and their columns recomputed, after the migrations.
      for trigger in try connection.query("SELECT name FROM sqlite_master WHERE type = 'trigger'").compactMap({
        $0["name"]?.text
      })
      where SchemaTrigger.prefixes.contains(where: trigger.hasPrefix) {
        try connection.execute("DROP TRIGGER \(Quoting.name(trigger))")
      }
      let indexes = try Catalogue.entry(of: M.schema.table, in: connection)?.indexes ?? []
      for index in indexes where index.columns.contains(where: column.name.isSameColumn(as:)) {
        try connection.execute("DROP INDEX IF EXISTS \(Quoting.name(index.name))")
      }
      let search = try TableState.read(SearchClause.table(of: M.schema.table), from: connection)
      if search?.column(column.name) != nil {
        for statement in SchemaWriter().dropSearch(of: M.schema.table) { try connection.execute(statement) }
      }
      try connection.execute("ALTER TABLE \(M.schema.statements.table) DROP COLUMN \(Quoting.name(column.name))")
    }
  }

  /// Drops the table of a model that is no longer used, with all of its rows. For use in migrations.
  ///
  /// Without such a table this has no effect.
  ///
  /// - Parameter name: The name of the table.
  /// - Throws: ``StoreError`` with the codes of any write.
  public func dropTable(_ name: String) throws {
    try _write(isAtomic: true) { access in
      let connection = access.connection
      try connection.execute("DROP TABLE IF EXISTS \(Quoting.name(name))")
      for statement in SchemaWriter().dropSearch(of: name) { try connection.execute(statement) }
      try connection.change("DELETE FROM \(Catalogue.modelsTable) WHERE lower(name) = lower(?)", [.text(name)])
    }
  }
}
