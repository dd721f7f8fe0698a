/// A model's table: its name, columns, key and indexes, and the SQL that is the same for every call.
@_documentation(visibility: internal)
public final class ModelSchema<Root: Model>: Sendable {
  /// The table's name.
  public let table: String
  let modelName: String
  let columns: [ColumnDefinition<Root>]
  /// The references to other models, and the rows of other models that belong to this one.
  let relationships: [any RelationshipDefinition<Root>]
  /// The positions of the key's columns.
  let keyIndexes: [Int]
  /// The positions of the columns that a row writes: all but those that triggers maintain.
  let writtenIndexes: [Int]
  /// Whether rows can expire.
  let expires: Bool
  /// Whether rows take part in sync.
  let syncs: Bool

  /// - Parameters:
  ///   - table: The table's name.
  ///   - syncs: Whether rows take part in sync.
  ///   - properties: The properties, in the order in which `init(from:)` reads and `encode(to:)` binds them.
  public init(_ table: String, syncs: Bool = true, _ properties: [Property<Root>]) {
    self.table = table
    self.syncs = syncs
    modelName = "\(Root.self)"
    columns = properties.flatMap(\.columns)
    relationships = properties.compactMap(\.relationship)
    writtenIndexes = columns.indices.filter { [columns] in columns[$0].derivation == nil }
    let marked = columns.indices.filter { [columns] in columns[$0].options.contains(.primaryKey) }
    keyIndexes = marked.isEmpty ? columns.indices.filter { [columns] in columns[$0].property == "id" } : marked
    keyNodes = keyIndexes.map { [columns] in
      .column(ColumnReference(table: table, name: columns[$0].name, type: columns[$0].type))
    }
    expires = Root.self is any ExpiringModel.Type
    statements = ModelStatements(
      table: table, columns: columns.map(\.name), keyIndexes: keyIndexes, writtenIndexes: writtenIndexes,
      expires: expires)
  }

  let statements: ModelStatements
  /// The key's columns in queries.
  let keyNodes: [SQLNode]

  /// The columns that a row writes, in the order of its parameters.
  var writtenColumns: [ColumnDefinition<Root>] {
    writtenIndexes.count == columns.count ? columns : writtenIndexes.map { columns[$0] }
  }

  var keyColumns: [ColumnDefinition<Root>] { keyIndexes.map { columns[$0] } }
  var searchableColumns: [ColumnDefinition<Root>] { columns.filter { $0.options.contains(.searchable) } }

  /// Whether the key is SQLite's row ID.
  var isKeyRowID: Bool {
    keyIndexes.count == 1 && columns[keyIndexes[0]].type.storageClass == .integer
  }

  /// The column that is the row ID: the key if it is an integer, a hidden column otherwise.
  var rowIDColumn: String {
    isKeyRowID ? keyColumns[0].name : ReservedNames.rowID
  }

  /// Returns the column of a key path, which comes from a `#Predicate` or a `SortDescriptor`.
  func column(at path: AnyKeyPath) -> (any AnyColumn<Root>)? {
    columns.first { $0.column.keyPath == path }?.column
  }
}
