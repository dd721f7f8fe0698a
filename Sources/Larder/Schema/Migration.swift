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
/// New columns are there already, without a value where the property has no default; old columns are still there and can be read with
/// `db.rows` and `db.sql`, or with a model of the old shape: `@Model("Person") struct OldPerson`. All of opening is one transaction: what the
/// closure throws leaves the file as it was. Before the first statement that updates, deletes or drops anything, the file is copied to a
/// backup beside it.
public struct Migration: Sendable {
  /// The name under which the file remembers that it ran.
  public let name: String
  let body: @Sendable (Transaction) throws -> Void

  /// - Parameters:
  ///   - name: A name that never changes once the migration was published.
  ///   - body: What to do, in the transaction of opening.
  public init(_ name: String, _ body: @escaping @Sendable (Transaction) throws -> Void) {
    self.name = name
    self.body = body
  }
}

extension Transaction {
  /// Drops a column whose property has left the model, with all of its values. For use in migrations.
  ///
  /// - Throws: ``StoreError`` `.unsupported` where an index, a trigger or a key uses the column.
  public func dropColumn<M: Model>(_ name: String, of model: M.Type) throws {
    try sql(SQL(raw: "ALTER TABLE \(M.schema.statements.table) DROP COLUMN \(Dialect.sqlite.quote(name))"))
  }

  /// Drops the table of a model that is no longer kept, with all of its rows. For use in migrations.
  public func dropTable(_ name: String) throws {
    try sql(SQL(raw: "DROP TABLE IF EXISTS \(Dialect.sqlite.quote(name))"))
    try sql(SQL(raw: "DROP TABLE IF EXISTS \(Dialect.sqlite.quote(SearchClause.table(of: name)))"))
    try sql("DELETE FROM _larder_models WHERE name = \(name)")
  }
}
