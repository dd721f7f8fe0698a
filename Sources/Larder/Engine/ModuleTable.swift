/// A table of a model, or of the pairs of a many-to-many relationship, as another module of the package sees it.
package struct ModuleTable: Sendable, Codable {
  /// A column that rows write.
  package struct Column: Sendable {
    package let name: String
    package let property: String
    package let storageClass: StorageClass
    package let isOptional: Bool
    /// The former name of the column, if the model declares one.
    package let originalName: String?
    /// The range of a column that counts; nil for any other.
    package var counterRange: ClosedRange<Int64>?
    /// The value that every row had when the column was added; nil if there is none or it is computed for each row.
    package var constantDefault: Value?
    /// The order of values that can be equal although they are stored in different ways; nil if none can.
    package var order: ValueOrder?
    /// The name of the property's type in Swift; nil if it is unknown.
    package var type: String?
    /// The raw values of an enum that lists its cases, in order; nil if unknown.
    package var cases: [String]?
    /// The values that the type has; nil if it has all of the storage class, or the program has not said so. It isn't
    /// encoded.
    package var valueTest: ValueTest?
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
  package var keys: [Column]
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
  /// Whether the table is a collection of documents, whose properties are in a column of JSON.
  package var isCollection: Bool { collection ?? false }
  /// Nil in descriptions of earlier versions.
  private var collection: Bool?
  /// Whether the file describes the model, because the program doesn't declare it. Such a description lacks what the file
  /// doesn't know: defaults, counters and former names. It isn't encoded.
  package private(set) var isDescribed = false

  private enum CodingKeys: CodingKey {
    case model, name, keys, columns, references, uniqueRules, isKeyCounted, expiryColumn, syncs, collection
  }

  /// The literals in SQL of the values that replace the date of an expired row while a reference keeps it.
  package static let expiryMarks = ["-9e999", "\(Expiry.released)"]

  /// Returns the hidden column with the position of a row among those that refer to the same row by the column, if the
  /// relationship is ordered.
  package static func positionColumn(of reference: String) -> String { ReservedNames.position(of: reference) }

  /// The hidden column with the date at which a row of a model expires.
  package static let expiryColumn = Expiry.column

  /// Returns the tables of the models, and of the pairs of their relationships.
  static func all(_ tables: [TableDefinition]) throws -> [ModuleTable] {
    let local = Set(tables.filter { !$0.syncs }.map(\.name))
    return try tables.map(ModuleTable.init)
      + tables.flatMap { table in
        table.pairs.map { pairs in
          let syncs = !local.contains(pairs.source.table) && !local.contains(pairs.target.table)
          return ModuleTable(pairs, syncs: syncs, isDescribed: table.isDescribed)
        }
      }
  }

  private init(_ table: TableDefinition) throws {
    func describe(_ column: TableDefinition.Column) throws -> Column {
      Column(
        name: column.name, property: column.property, storageClass: column.type.storageClass,
        isOptional: column.type.isOptional, originalName: column.originalName,
        counterRange: column.isCounter ? column.type.integerRange ?? .min ... .max : nil,
        constantDefault: try column.constantDefault() ?? (column.type.isOptional ? .some(.null) : .none),
        order: column.type.order == .stored ? nil : column.type.order, type: column.swiftType, cases: column.cases,
        valueTest: column.valueTest)
    }
    model = table.model
    name = table.name
    keys = try table.keyColumns.map(describe)
    let positions = table.references.filter(\.isOrdered).map { reference in
      Column(
        hidden: ReservedNames.position(of: reference.column), .integer,
        originalName: table.column(reference.column)?.originalName.map(ReservedNames.position(of:)))
    }
    let hidden = positions + (table.expires ? [Column(hidden: Expiry.column, .real)] : [])
    columns = try table.columns.filter { !$0.isKey && !$0.isDerived }.map(describe) + hidden
    references = table.references.map {
      Reference(column: $0.column, table: $0.table, key: $0.key, rule: $0.rule, isOptional: $0.isOptional)
    }
    uniqueRules = table.indexes.filter(\.isUnique).map(\.columns)
    isKeyCounted = table.isKeyRowID
    expiryColumn = table.expires ? Expiry.column : nil
    syncs = table.syncs
    isDescribed = table.isDescribed
  }

  /// Says which values a property has.
  mutating func setValueTest(_ test: ValueTest, ofColumn name: String) {
    for place in keys.indices where keys[place].name.isSameColumn(as: name) { keys[place].valueTest = test }
    for place in columns.indices where columns[place].name.isSameColumn(as: name) { columns[place].valueTest = test }
  }

  /// Describes a collection of documents.
  ///
  /// - Parameter collection: The name of the collection.
  package init(collection: String) {
    func column(_ name: String, _ storageClass: StorageClass, isOptional: Bool) -> Column {
      Column(
        name: name, property: name, storageClass: storageClass, isOptional: isOptional, originalName: nil,
        constantDefault: nil)
    }
    model = collection
    name = collection
    keys = [column("key", .text, isOptional: false)]
    columns = [column(Self.json, .text, isOptional: false), column(Self.expires, .real, isOptional: true)]
    references = []
    uniqueRules = []
    isKeyCounted = false
    expiryColumn = Self.expires
    syncs = true
    self.collection = true
  }

  /// The columns of a collection besides its key.
  package static let (json, expires) = ("json", "expires")

  private init(_ pairs: PairsTable, syncs: Bool, isDescribed: Bool) {
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
    self.isDescribed = isDescribed
  }
}

extension ModuleTable.Column {
  fileprivate init(hidden name: String, _ storageClass: StorageClass, originalName: String? = nil) {
    self.init(
      name: name, property: name, storageClass: storageClass, isOptional: true, originalName: originalName,
      constantDefault: .null)
  }
}
