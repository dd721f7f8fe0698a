import Larder

/// What a file knows of a property that a model has to declare, so that it goes on to be the same property for all replicas.
package struct SyncedProperty: Sendable, Hashable {
  /// The name of the model's table.
  package let table: String
  package let column: String
  /// The name that the property had first, by which other replicas know it.
  package let firstName: String
  /// Whether replicas add up what each has added.
  package let isCounter: Bool
}

extension StoreSync {
  /// Returns the properties of the models that take part; none if sync is off.
  package func properties() async throws -> [SyncedProperty] {
    try await store.readingModule { connection in
      guard try SyncTables.exist(connection) else { return [] }
      return try connection.rows(
        """
        SELECT known.name, property.column_name, property.name, property.is_counter \
        FROM \(SyncTables.properties) AS property JOIN \(SyncTables.tables) AS known ON known.id = property.table_id \
        WHERE property.column_name IS NOT NULL AND known.description IS NOT NULL
        """
      ) { row in
        SyncedProperty(table: row.text(0), column: row.text(1), firstName: row.text(2), isCounter: row.integer(3) != 0)
      }
    }
  }
}
