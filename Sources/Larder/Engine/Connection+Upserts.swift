import Foundation

/// Writes that name properties: of what is written, or of what decides which row is meant.
extension Connection {
  /// Writes the columns of the value to the row with its key.
  func update<M: Model>(_ value: M, only columns: [any AnyColumn<M>]) throws {
    try value.validate()
    let values = try M.schema.values(of: value)
    let list = AssignmentList()
    for column in columns { list.append(column.name, try node(of: column, in: values)) }
    guard try updateAll(row(of: M.self, values), list) > 0 else {
      throw StoreError(
        .notFound, model: M.schema.modelName,
        "There is no \(M.schema.modelName) with this key. Use save(_:) or insert(_:) to add it.")
    }
  }

  /// Writes the value to the row that has its values of the columns, and returns the row as it is then; inserts it if
  /// there is none.
  func save<M: Model>(_ value: M, matching columns: [any AnyColumn<M>]) throws -> M {
    if let saved = try upsert(value, matching: columns) { return saved }
    try checkUnique(columns)
    try value.validate()
    let values = try M.schema.values(of: value)
    var query = Query<M>()
    for column in columns {
      let node = try node(of: column, in: values)
      // Nil equals nothing in a unique column.
      guard node != .value(.null) else { return try inserted(value) }
      query = query.filtered(by: .compare(.equal, reference(to: column), node))
    }
    guard let found = try rowOfFirst(query) else { return try inserted(value) }
    let list = AssignmentList()
    let keys = Set(M.schema.keyColumns.map(\.name) + columns.map(\.name))
    for column in M.schema.writtenColumns where !keys.contains(column.name) {
      list.append(column.name, try node(of: column.column, in: values))
    }
    _ = try updateAll(found, list)
    guard let saved = try first(found) else { throw StoreError.deletedByTrigger(M.self) }
    return saved
  }

  private func inserted<M: Model>(_ value: M) throws -> M {
    try write([value], .insert)
    return try stored(value.id)
  }

  /// Returns the row that was saved just before.
  func stored<M: Model>(_ key: M.ID) throws -> M {
    guard let row = try find(M.self, key) else { throw StoreError.deletedByTrigger(M.self) }
    return row
  }

  /// Returns the query for the first row that the query finds. What isn't its key need not be readable.
  private func rowOfFirst<M: Model>(_ query: Query<M>) throws -> Query<M>? {
    guard M.schema.keyColumns.count == 1, let key = M.schema.keyColumns.first else {
      return try first(query).map { try row(of: M.self, try M.schema.values(of: $0)) }
    }
    let value = try first(query, columns: Quoting.name(key.name))
    return value.isNull ? nil : try row(of: M.self, [key.name: value])
  }

  private func row<M: Model>(of model: M.Type, _ values: [String: Value]) throws -> Query<M> {
    try M.schema.keyColumns.reduce(Query<M>()) { query, key in
      query.filtered(by: .compare(.equal, reference(to: key.column), try node(of: key.column, in: values)))
    }
  }

  private func reference<M: Model>(to column: any AnyColumn<M>) -> SQLNode {
    .column(ColumnReference(table: M.schema.table, name: column.name, type: column.type))
  }

  private func node<M: Model>(of column: any AnyColumn<M>, in values: [String: Value]) throws -> SQLNode {
    guard let value = values[column.name] else {
      throw StoreError(
        .unsupported, model: M.schema.modelName, property: column.property,
        "\(M.schema.modelName).\(column.property) is no column of its table.")
    }
    return .value(value)
  }

  /// Throws unless the columns are the key, a unique property or a unique index.
  func checkUnique<M: Model>(_ columns: [any AnyColumn<M>]) throws {
    let names = Set(columns.map(\.name))
    let unique =
      M.schema.columns.filter { $0.options.contains(.unique) }.map { [$0.name] }
      + M.indexes.filter(\.isUnique).map { $0.columns.map(\.name) } + [M.schema.keyColumns.map(\.name)]
    guard !unique.contains(where: { Set($0) == names }) else { return }
    let properties = columns.map(\.property).joined(separator: ", ")
    throw StoreError(
      .unsupported, model: M.schema.modelName, property: columns.count == 1 ? columns.first?.property : nil,
      "Several rows of \(M.schema.modelName) may have the same \(properties). Mark the property @Attribute(.unique), or add a unique Index of these properties."
    )
  }
}

extension Model {
  /// Returns the columns that the paths lead to.
  static func columns(at paths: [PartialKeyPath<Columns>]) throws -> [any AnyColumn<Self>] {
    try paths.map { path in
      guard let column = columns[keyPath: path] as? any AnyColumn<Self> else {
        throw StoreError(
          .unsupported, model: "\(Self.self)",
          "\(path) is no stored property; name the properties of an embedded struct one by one.")
      }
      return column
    }
  }
}

extension StoreError {
  static func deletedByTrigger<M: Model>(_ model: M.Type) -> StoreError {
    StoreError(.notFound, model: M.schema.modelName, "A trigger has deleted the row that was saved.")
  }
}
