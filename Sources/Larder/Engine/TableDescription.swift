/// A table of a model, or of the pairs of a many-to-many relationship, as another module of the package sees it.
package struct TableDescription: Sendable, Hashable, Codable {
  /// A column that rows write.
  package struct Column: Sendable, Hashable, Codable {
    package let name: String
    package let property: String
    package let storageClass: StorageClass
    package let isOptional: Bool
    /// The former name of the column, if the model declares one.
    package let originalName: String?
    /// The range of a column that counts; nil for any other.
    package var counterRange: ClosedRange<Int64>?
    /// The value that every row had when the column was added; nil if there is none or it is computed for each row. It
    /// isn't encoded.
    package var constantDefault: Value?

    private enum CodingKeys: CodingKey {
      case name, property, storageClass, isOptional, originalName, counterRange
    }
  }

  /// A foreign key.
  package struct Reference: Sendable, Hashable, Codable {
    package let column: String
    package let table: String
    package let key: String
    package let rule: DeleteRule
    package let isOptional: Bool
  }

  /// The model's name; for pairs that of the model whose property names them.
  package let model: String
  package let name: String
  package let keys: [Column]
  /// The columns that aren't part of the key, without derived ones. Those of Larder's own, such as positions, are last.
  package var columns: [Column]
  package let references: [Reference]
  /// The columns of each unique rule besides the key.
  package let uniqueRules: [[String]]
  /// Whether the key is an integer that SQLite counts.
  package let isKeyCounted: Bool
  /// The hidden column with the date of expiry; nil if rows don't expire.
  package let expiryColumn: String?
  /// Whether rows take part in sync.
  package let syncs: Bool

  /// Returns the tables of the models, and of the pairs of their relationships.
  static func all(_ tables: [TableDefinition]) throws -> [TableDescription] {
    let local = Set(tables.filter { !$0.syncs }.map(\.name))
    return try tables.map(TableDescription.init)
      + tables.flatMap(\.pairs).map { pairs in
        TableDescription(pairs, syncs: !local.contains(pairs.source.table) && !local.contains(pairs.target.table))
      }
  }

  private init(_ table: TableDefinition) throws {
    func describe(_ column: TableDefinition.Column) throws -> Column {
      Column(
        name: column.name, property: column.property, storageClass: column.type.storageClass,
        isOptional: column.type.isOptional, originalName: column.originalName,
        counterRange: column.isCounter ? column.type.integerRange ?? .min ... .max : nil,
        constantDefault: try column.constantDefault() ?? (column.type.isOptional ? .null : nil))
    }
    model = table.model
    name = table.name
    keys = try table.keyColumns.map(describe)
    let hidden =
      table.positions.map { Column(hidden: $0, .integer) }
      + (table.expires ? [Column(hidden: Expiry.column, .real)] : [])
    columns = try table.columns.filter { !$0.isKey && !$0.isDerived }.map(describe) + hidden
    references = table.references.map {
      Reference(column: $0.column, table: $0.table, key: $0.key, rule: $0.rule, isOptional: $0.isOptional)
    }
    uniqueRules = table.indexes.filter(\.isUnique).map(\.columns)
    isKeyCounted = table.isKeyRowID
    expiryColumn = table.expires ? Expiry.column : nil
    syncs = table.syncs
  }

  private init(_ pairs: PairsTable, syncs: Bool) {
    func key(_ name: String, _ side: PairsTable.Side) -> Column {
      Column(
        name: name, property: side.property, storageClass: side.type, isOptional: false, originalName: nil,
        constantDefault: nil)
    }
    func reference(_ name: String, _ side: PairsTable.Side) -> Reference {
      Reference(column: name, table: side.table, key: side.key, rule: .cascade, isOptional: false)
    }
    model = pairs.source.model
    name = pairs.name
    keys = [key(PairsTable.source, pairs.source), key(PairsTable.target, pairs.target)]
    columns = [Column(hidden: PairsTable.position, .integer), Column(hidden: PairsTable.inversePosition, .integer)]
    references = [reference(PairsTable.source, pairs.source), reference(PairsTable.target, pairs.target)]
    uniqueRules = []
    isKeyCounted = false
    expiryColumn = nil
    self.syncs = syncs
  }
}

extension TableDescription.Column {
  fileprivate init(hidden name: String, _ storageClass: StorageClass) {
    self.init(
      name: name, property: name, storageClass: storageClass, isOptional: true, originalName: nil,
      constantDefault: .null)
  }
}
