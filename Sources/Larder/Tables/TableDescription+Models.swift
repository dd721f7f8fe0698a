extension TableDescription {
  init(_ table: TableDefinition, among tables: [TableDefinition], retired: [String]) {
    let toOne = table.references.map { reference in
      Relationship(
        name: reference.property, kind: .toOne, target: reference.table, deleteRule: reference.rule, isOrdered: false,
        inverse: tables.first { $0.name == reference.table }?.toMany.first {
          $0.table == table.name && $0.rows == .reference(column: reference.column)
        }?.property, key: reference.key, rows: .reference(column: reference.column))
    }
    let declared = table.toMany.map { rows in Relationship(rows, of: table, among: tables) }
    // The other sides of which no property speaks.
    let others = tables.flatMap { other in
      let own = other.references.filter { $0.table == table.name }
      return own.filter { reference in
        !table.toMany.contains { $0.table == other.name && $0.rows == .reference(column: reference.column) }
      }.map { reference in
        Relationship(
          name: other.name.nameOfRows(referringBy: own.count > 1 ? reference.property : nil), kind: .toMany,
          target: other.name, deleteRule: reference.rule, isOrdered: reference.isOrdered, inverse: reference.property,
          key: reference.key, rows: .reference(column: reference.column))
      }
    }
    self.init(
      name: table.name, kind: .model, model: table.model,
      properties: table.columns.map { column in
        Property(
          column, isSearchable: table.searchable.contains(column.name), target: table.reference(of: column.name),
          derivation: table.derived.first { $0.column == column.name }.flatMap {
            Derivation($0, of: table, among: tables)
          })
      },
      indexes: table.indexes.filter { !ReservedNames.isOwn($0.name) }.map {
        Index(name: $0.name, columns: $0.columns, isUnique: $0.isUnique)
      },
      relationships: toOne + declared + others, expires: table.expires, syncs: table.syncs,
      retired: retired, rowID: table.rowIDColumn)
  }

  init(_ pairs: PairsTable, of tables: [TableDefinition]) {
    let sides = [(PairsTable.source, pairs.source), (PairsTable.target, pairs.target)]
    self.init(
      name: pairs.name, kind: .pairs, model: nil,
      properties: sides.map { column, side in
        let key = tables.first { $0.name == side.table }?.column(side.key)
        return Property(
          name: column, column: column, type: key?.type ?? ColumnType(storageClass: side.type), isKey: true,
          target: side.table, swiftType: side.model)
      },
      indexes: [],
      relationships: sides.map { column, side in
        Relationship(
          name: column, kind: .toOne, target: side.table, deleteRule: .cascade, isOrdered: false, inverse: nil,
          key: side.key, rows: .reference(column: column))
      }, expires: false, syncs: true, retired: [], rowID: nil)
  }

  init(_ collection: DocumentCatalogue.Collection) {
    let any = ColumnType(storageClass: .blob, isOptional: true)
    self.init(
      name: collection.name, kind: .documents, model: nil,
      properties: [Property(name: "key", column: "key", type: ColumnType(storageClass: .text), isKey: true)]
        + collection.properties.prefix(DocumentViews.columnLimit).map {
          Property(name: $0, column: $0, type: any, isKey: false)
        }, indexes: [], relationships: [], expires: true, syncs: true, retired: [], rowID: nil)
  }
}

extension TableDescription.Derivation {
  /// Returns nil if no property of the model names the rows.
  fileprivate init?(_ column: DerivedColumn, of table: TableDefinition, among tables: [TableDefinition]) {
    guard let rows = table.toMany.first(where: { $0.table == column.rowsTable && $0.rows == column.rows }) else {
      return nil
    }
    let target = tables.first { $0.name == column.rowsTable }
    self.init(
      function: column.aggregate.rawValue, relationship: rows.property,
      property: column.value.map { target?.column($0)?.property ?? $0 })
  }
}

extension TableDescription.Relationship {
  fileprivate init(_ rows: TableDefinition.ToMany, of table: TableDefinition, among tables: [TableDefinition]) {
    switch rows.rows {
    case .reference(let column):
      let reference = tables.first { $0.name == rows.table }?.reference(of: column)
      self.init(
        name: rows.property, kind: .toMany, target: rows.table, deleteRule: reference?.rule ?? .noAction,
        isOrdered: rows.isOrdered, inverse: reference?.property, key: reference?.key ?? table.keyColumns[0].name,
        rows: rows.rows)
    case .pairs(let pairs, let own, let other, _):
      let inverse = tables.first { $0.name == rows.table }?.toMany.first { side in
        guard case .pairs(pairs, let first, let second, _) = side.rows else { return false }
        return (first, second) == (other, own)
      }
      self.init(
        name: rows.property, kind: .manyToMany, target: rows.table, deleteRule: .nullify, isOrdered: rows.isOrdered,
        inverse: inverse?.property, key: table.keyColumns[0].name, rows: rows.rows)
    }
  }
}

extension TableDescription.Property {
  fileprivate init(
    _ column: TableDefinition.Column, isSearchable: Bool, target: TableReference?,
    derivation: TableDescription.Derivation?
  ) {
    let type = PropertyType(column.type)
    self.init(
      name: column.property, column: column.name, type: type,
      swiftType: column.swiftType ?? target.map { "ToOne<\($0.model)>\(column.type.isOptional ? "?" : "")" }
        ?? type.swiftName(column.type),
      isOptional: column.type.isOptional, isKey: column.isKey, isUnique: column.isUnique, isSearchable: isSearchable,
      isDerived: column.isDerived, cases: column.cases, target: target?.table, derivation: derivation,
      declaredType: nil, isRowNumber: false, columnType: column.type)
  }

  init(
    name: String, column: String, type: ColumnType, isKey: Bool, target: String? = nil, swiftType: String? = nil,
    isRowNumber: Bool = false
  ) {
    let kind = type.storageClass == .blob && type.textForm == nil ? PropertyType.any : PropertyType(type)
    self.init(
      name: name, column: column, type: kind, swiftType: swiftType.map { "ToOne<\($0)>" } ?? kind.swiftName(type),
      isOptional: type.isOptional, isKey: isKey, isUnique: false, isSearchable: false, isDerived: false, cases: nil,
      target: target, derivation: nil, declaredType: nil, isRowNumber: isRowNumber, columnType: type)
  }
}
