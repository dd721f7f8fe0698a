extension TableDefinition {
  /// Creates the definition of a model that the program doesn't declare, of what the file says about it.
  ///
  /// It says all that the rules of rows need. It has no values for new columns: the file doesn't know them.
  init(_ entry: Catalogue.Entry, table: String) {
    let keys = entry.columns.filter(\.isKey)
    let unique = entry.indexes.filter { $0.isUnique && $0.columns.count == 1 }.map { $0.columns[0] }
    let derived = entry.derived ?? []
    model = entry.model
    name = table
    columns = entry.columns.map { column in
      Column(
        name: column.name, property: column.property, type: column.type, isKey: column.isKey,
        isUnique: unique.contains(where: column.name.isSameColumn(as:)), isCounter: false, originalName: nil,
        defaultValue: nil, isDefaultComputed: false,
        isDerived: derived.contains { $0.column.isSameColumn(as: column.name) }, cases: column.cases,
        swiftType: column.swiftType, isOpenEnded: false, holdsAnyText: column.swiftType == "String",
        mayHoldUnorderedJSON: entry.json != nil && column.type.isJSON, canonical: { $0 }, valueTest: nil)
    }
    indexes = entry.indexes
    searchable = entry.searchable
    references = entry.references ?? []
    pairs = entry.pairs ?? []
    toMany = entry.toMany ?? []
    self.derived = derived
    rowIDColumn =
      keys.count == 1 && keys[0].type.storageClass == .integer ? keys[0].name : ReservedNames.rowID
    expires = entry.expires ?? false
    syncs = entry.isLocal != true
    isDescribed = true
  }

  /// Returns the models that the file describes.
  static func described(in connection: Connection) throws -> [TableDefinition] {
    guard try Catalogue.exists(in: connection) else { return [] }
    return try Catalogue.tables(in: connection).compactMap { name in
      // A table that SQL has dropped is still described.
      guard try TableState.read(name, from: connection) != nil else { return nil }
      return try Catalogue.entry(of: name, in: connection).map { TableDefinition($0, table: name) }
    }
  }
}
