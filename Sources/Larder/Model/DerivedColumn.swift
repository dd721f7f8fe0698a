/// A column that triggers derive from the rows of a relationship.
struct DerivedColumn: Sendable, Hashable, Codable {
  enum Aggregate: String, Sendable, Hashable, Codable { case sum, count, min, max }

  /// How the sum is computed, and how values are compared.
  enum Arithmetic: String, Sendable, Hashable, Codable { case integer, real, decimal, none }

  /// The rows that belong to the column's row.
  enum Rows: Sendable, Hashable, Codable {
    case reference(column: String)
    case pairs(table: String, own: String, other: String, key: String)
  }

  /// The version of the triggers; a file with triggers of an earlier one gets new ones when it is opened, and the
  /// columns are computed anew.
  static let version = 2

  let model: String
  let property: String
  let table: String
  let key: String
  let column: String
  let aggregate: Aggregate
  let arithmetic: Arithmetic
  /// The collation for the least and the greatest value.
  let collation: String?
  let rowsTable: String
  let rows: Rows
  /// The column of the rows; nil for their number.
  let value: String?
  /// The range of the property's type, if it is narrower than that of the file.
  let range: ClosedRange<Int64>?
  /// Whether the sum is rounded to a `Float`; nil if not.
  let isSingle: Bool?
  /// Whether the value of the rows is derived itself, so that it may change after its row was inserted; nil if not.
  let isOfDerived: Bool?
}

extension ModelSchema {
  /// Returns the columns that triggers maintain. Throws `.schemaMismatch` if a derivation doesn't name a relationship,
  /// or a stored property.
  var derivedColumns: [DerivedColumn] {
    get throws {
      try columns.compactMap { definition in
        guard let source = definition.derivation else { return nil }
        func make<Rows: AnyToManyDefinition<Root>>(_ rows: Rows) throws -> DerivedColumn {
          try derivedColumn(definition, source, rows)
        }
        guard let rows = toMany(at: source.rows) as? any AnyToManyDefinition<Root> else {
          throw StoreError(
            .schemaMismatch, model: modelName, property: definition.property,
            "\(modelName).\(definition.property) is derived from rows that are no relationship of \(modelName). Name a ToMany of \(modelName) in @Derived."
          )
        }
        return try make(rows)
      }
    }
  }

  private func derivedColumn<Rows: AnyToManyDefinition<Root>>(
    _ definition: ColumnDefinition<Root>, _ source: DerivationSource, _ rows: Rows
  ) throws -> DerivedColumn {
    let target = Rows.Target.schema
    let value = try source.value.map { path in
      guard let column = target.column(at: path) else {
        throw StoreError(
          .schemaMismatch, model: modelName, property: definition.property,
          "\(modelName).\(definition.property) is derived from a property that \(target.modelName) does not store. Name a stored property in @Derived."
        )
      }
      return column
    }
    guard !target.expires else {
      throw StoreError(
        .schemaMismatch, model: modelName, property: definition.property,
        "\(modelName).\(definition.property) is derived from rows of \(target.modelName), which can expire: triggers do not hear of that. Ask for the value in a query."
      )
    }
    guard keyColumns.count == 1 else {
      throw StoreError(
        .schemaMismatch, model: modelName, property: definition.property,
        "\(modelName).\(definition.property) is derived from a relationship, and \(modelName) has a key of several properties, to which nothing can refer. Give it a key of its own."
      )
    }
    let type = definition.type
    if let value, value.type.storageClass != type.storageClass || value.type.order != type.order {
      throw StoreError(
        .schemaMismatch, model: modelName, property: definition.property,
        "\(modelName).\(definition.property) is not kept in the form of \(target.modelName).\(value.property), which it is derived from. Give both the same type, and @Attribute(.iso8601) both or neither."
      )
    }
    let arithmetic: DerivedColumn.Arithmetic =
      type.order == .decimal
      ? .decimal : type.storageClass == .integer ? .integer : type.storageClass == .real ? .real : .none
    return DerivedColumn(
      model: modelName, property: definition.property, table: table, key: keyReference.name, column: definition.name,
      aggregate: DerivedColumn.Aggregate(source.aggregate), arithmetic: arithmetic,
      collation: value?.type.order.collation?.rawValue,
      rowsTable: target.table, rows: DerivedColumn.Rows(try rows.resolvedLink), value: value?.name,
      range: type.integerRange, isSingle: source.aggregate == .sum && type.numberForm == .single ? true : nil,
      isOfDerived: value.map { value in target.columns.contains { $0.name == value.name && $0.derivation != nil } }
        == true
        ? true : nil)
  }

  /// Returns the join tables that are named after properties of the model.
  var pairs: [PairsTable] {
    get throws {
      try relationships.compactMap { definition in
        guard let definition = definition as? any AnyToManyDefinition<Root> else { return nil }
        guard let table = try definition.resolvedPairs else { return nil }
        return definition.inverse == nil ? nil : table
      }
    }
  }
}

extension DerivedColumn.Rows {
  init(_ link: RelatedRows.Link) {
    self =
      switch link {
      case .foreignKey(let column): .reference(column: column.name)
      case .pairs(let table, let own, let other, let key): .pairs(table: table, own: own, other: other, key: key)
      }
  }
}

extension DerivedColumn.Aggregate {
  fileprivate init(_ aggregate: DerivationSource.Aggregate) {
    switch aggregate {
    case .sum: self = .sum
    case .count: self = .count
    case .min: self = .min
    case .max: self = .max
    }
  }
}
