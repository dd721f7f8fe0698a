/// A model's table as the model declares it, without the model's type.
struct TableDefinition: Sendable {
  struct Column: Sendable {
    let name: String
    let property: String
    let type: ColumnType
    let isKey: Bool
    let isUnique: Bool
    /// Whether replicas that sync add up what each has added.
    let isCounter: Bool
    let originalName: String?
    let defaultValue: (@Sendable () throws -> Value)?
    let isDefaultComputed: Bool
    /// Whether triggers maintain the column, so that rows don't write it.
    let isDerived: Bool
    /// The raw values of an enum that lists its cases, in order; nil if unknown.
    let cases: [String]?
    /// The property's type, as Swift code writes it; nil if it is unknown.
    let swiftType: String?
    /// Whether the type has a raw value but doesn't list its cases.
    let isOpenEnded: Bool
    /// Whether every text is a value of the property's type.
    let holdsAnyText: Bool
    /// Whether the values are JSON with parts that an earlier version of Larder may have written in any order.
    let mayHoldUnorderedJSON: Bool
    /// Converts a stored value to Larder's format. Throws `ValueFailure` for a value that doesn't fit the property's
    /// type.
    let canonical: @Sendable (Value) throws -> Value
    /// The stored values that the property's type has; nil if it has all of its storage class.
    let valueTest: ValueTest?

    /// The default that one SQL clause sets in all existing rows; nil if there is none or it is computed for each row.
    func constantDefault() throws -> Value? {
      guard !isDefaultComputed, let value = try defaultValue?(), !value.isNull else { return nil }
      // SQL text ends at a NUL.
      if case .text(let text) = value, text.utf8.contains(0) { return nil }
      return value
    }
  }

  struct Index: Sendable, Hashable, Codable {
    let name: String
    let columns: [String]
    let isUnique: Bool
    /// The collation of each column, if it isn't binary.
    let collations: [String?]
  }

  /// The rows on the other side of a relationship of the model.
  struct ToMany: Sendable, Hashable, Codable {
    let property: String
    /// The table of the rows.
    let table: String
    let rows: DerivedColumn.Rows
    let isOrdered: Bool
  }

  let model: String
  let name: String
  let columns: [Column]
  let indexes: [Index]
  let searchable: [String]
  let references: [TableReference]
  /// The join tables that are named after properties of the model.
  let pairs: [PairsTable]
  /// The properties that stand for the rows of other models.
  let toMany: [ToMany]
  let derived: [DerivedColumn]
  /// The row ID column.
  let rowIDColumn: String
  /// Whether rows can expire.
  let expires: Bool
  /// Whether rows take part in sync.
  let syncs: Bool
  /// Whether the file describes the model, because the program doesn't declare it.
  var isDescribed = false

  /// Throws `.schemaMismatch` for a relationship without another side, or with an impossible rule.
  init<M: Model>(_ model: M.Type) throws {
    let schema = M.schema
    let keys = Set(schema.keyIndexes)
    self.model = schema.modelName
    name = schema.table
    rowIDColumn = schema.rowIDColumn
    expires = schema.expires
    syncs = schema.syncs
    columns = schema.columns.enumerated().map { position, definition in
      let valueType = Swift.type(of: definition.column.keyPath).valueType
      return Column(
        name: definition.name, property: definition.property, type: definition.type, isKey: keys.contains(position),
        isUnique: definition.options.contains(.unique), isCounter: definition.options.contains(.counter),
        originalName: definition.originalName,
        defaultValue: definition.defaultValue,
        isDefaultComputed: definition.isDefaultComputed, isDerived: definition.derivation != nil,
        cases: definition.column.cases, swiftType: Self.swiftName(of: valueType),
        isOpenEnded: definition.column.cases == nil && definition.column.isRawValue,
        holdsAnyText: valueType == String.self || valueType == String?.self,
        mayHoldUnorderedJSON: definition.type.isJSON && !CanonicalEncoding.isOrdered(valueType),
        canonical: { try definition.column.canonical($0) },
        valueTest: ValueTest(of: valueType, listsCases: definition.column.cases != nil) {
          _ = try definition.column.value(of: $0)
        })
    }
    searchable = schema.searchableColumns.map(\.name)
    try Self.checkSearchable(schema)
    try Self.checkCounters(schema)
    let references = try schema.references.map { definition in
      func make<Definition: AnyToOneDefinition<M>>(_ definition: Definition) throws -> TableReference {
        try TableReference(definition)
      }
      return try make(definition)
    }
    self.references = references
    pairs = try schema.pairs
    toMany = try schema.relationships.compactMap { relationship in
      func make<Rows: AnyToManyDefinition<M>>(_ rows: Rows) throws -> ToMany { try ToMany(rows) }
      return try (relationship as? any AnyToManyDefinition<M>).map { try make($0) }
    }
    derived = try schema.derivedColumns
    func index(_ columns: [(name: String, type: ColumnType)], isUnique: Bool) -> Index {
      let names = columns.map(\.name)
      return Index(
        name: "\(UnambiguousName([schema.table] + names))\(isUnique ? "_unique" : "_index")", columns: names,
        isUnique: isUnique,
        collations: columns.map { $0.type.order.collation?.rawValue })
    }
    let single = schema.columns.filter { $0.options.contains(.indexed) && !$0.options.contains(.unique) }.map {
      index([($0.name, $0.type)], isUnique: false)
    }
    // Deleting a row, and queries on relationships, look up the rows that refer to it.
    let foreign = references.filter { reference in
      !schema.columns.contains { $0.name == reference.column && $0.options.contains(.unique) }
    }.map {
      reference in
      let position = (
        ReservedNames.position(of: reference.column), ColumnType(storageClass: .integer, isOptional: true)
      )
      return index(
        schema.columns.filter { $0.name == reference.column }.map { ($0.name, $0.type) }
          + (reference.isOrdered ? [position] : []), isUnique: false)
    }
    let unique = schema.columns.filter { $0.options.contains(.unique) }.map {
      index([($0.name, $0.type)], isUnique: true)
    }
    let compound = M.indexes.map { index($0.columns.map { ($0.name, $0.type) }, isUnique: $0.isUnique) }
    let expiry =
      schema.expires
      ? [Index(name: Expiry.index(of: schema.table), columns: [Expiry.column], isUnique: false, collations: [nil])] : []
    var seen = Set<Index>()
    indexes = (single + foreign + unique + compound + expiry).filter { seen.insert($0).inserted }
  }

  /// Returns the type as Swift code writes it: `Int?` rather than `Optional<Int>`.
  private static func swiftName(of type: Any.Type) -> String {
    let name = "\(type)"
    let optional = "Optional<"
    return name.hasPrefix(optional) ? "\(name.dropFirst(optional.count).dropLast())?" : name
  }

  /// Names of columns that FTS5 reserves: <https://www.sqlite.org/fts5.html#fts5_table_creation_and_initialization>.
  private static func checkSearchable<M: Model>(_ schema: ModelSchema<M>) throws {
    for column in schema.searchableColumns where ["rank", "rowid"].contains(column.name.asciiLowercased) {
      throw StoreError(
        .schemaMismatch, model: schema.modelName, property: column.property,
        "The full-text index cannot have a column called \(column.name). Name the column of \(schema.modelName).\(column.property) with @Attribute(name: \"…\"), or remove .searchable."
      )
    }
  }

  /// The macro sees no type behind an alias.
  private static func checkCounters<M: Model>(_ schema: ModelSchema<M>) throws {
    for column in schema.columns where column.options.contains(.counter) {
      if Swift.type(of: column.column.keyPath).valueType is any FixedWidthInteger.Type { continue }
      throw StoreError(
        .schemaMismatch, model: schema.modelName, property: column.property,
        "\(schema.modelName).\(column.property) is a counter, and its type isn't an integer such as Int. Give it one, or remove .counter."
      )
    }
  }

  var keyColumns: [Column] { columns.filter(\.isKey) }
  /// The columns for the order of rows that refer to the same row.
  var positions: [String] { references.filter(\.isOrdered).map { ReservedNames.position(of: $0.column) } }

  /// The columns that Larder adds for its own use.
  var hiddenColumns: [String] {
    (isKeyRowID ? [] : [ReservedNames.rowID]) + positions + (expires ? [ReservedNames.expires] : [])
  }

  func reference(of column: String) -> TableReference? {
    references.first { $0.column == column }
  }

  var isKeyRowID: Bool { rowIDColumn != ReservedNames.rowID }

  func column(_ name: String) -> Column? {
    columns.first { $0.name.isSameColumn(as: name) }
  }
}

extension TableDefinition.ToMany {
  fileprivate init<Rows: AnyToManyDefinition>(_ definition: Rows) throws {
    property = definition.property
    table = Rows.Target.schema.table
    rows = DerivedColumn.Rows(try definition.resolvedLink)
    isOrdered = definition.isOrdered
  }
}

extension ValueOrder {
  var collation: Collation? {
    switch self {
    case .stored: nil
    case .decimal: .decimal
    case .instant: .instant
    }
  }
}

extension TableDefinition.Index {
  /// Returns whether both index the same columns in the same way, whatever their names.
  func isSame(as other: TableDefinition.Index) -> Bool {
    isUnique == other.isUnique && columns.count == other.columns.count
      && zip(columns, other.columns).allSatisfy { $0.isSameColumn(as: $1) }
      && zip(collations, other.collations).allSatisfy { $0?.asciiLowercased == $1?.asciiLowercased }
  }
}

extension TableDefinition.Column {
  /// Throws `ValueFailure` for a stored value that doesn't fit the property's type, and for a number that would be
  /// rounded.
  func check(_ stored: Value) throws {
    let canonical = try canonical(stored)
    guard let before = stored.real, let after = canonical.real, before != after else { return }
    throw ValueFailure(problem: "holds a number that the type would change", remedy: "keep the type that holds it")
  }
}
