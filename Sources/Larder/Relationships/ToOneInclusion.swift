/// Loads the rows of a ``ToOne`` relationship.
struct ToOneInclusion<Root: Model, Target: Model, Output>: InclusionLoader {
  let column: ToOneColumn<Root, Target, Output>
  let rows: Query<Target>

  var path: any PartialKeyPath<Root> & Sendable { column.keyPath }

  var partialPaths: Set<AnyKeyPath> { rows.inclusions.reduce(into: []) { $0.formUnion($1.partialPaths) } }

  func merged(with other: any InclusionLoader<Root>) -> any InclusionLoader<Root> {
    guard let other = other as? ToOneInclusion else { return self }
    return ToOneInclusion(column: column, rows: rows.merged(with: other.rows))
  }

  func load(into values: inout [Root], areAll: Bool, _ reader: some RelatedRowReader) throws {
    try rows.checkIncludable()
    guard let assign = column.assign else {
      throw StoreError(
        .unsupported, model: "\(Root.self)", property: column.property,
        "\(Root.self).\(column.property) is a constant, in which nothing can be loaded. Declare it with `var`.")
    }
    let keys = try values.map { try (column.target(column.value($0))?.id).map { try RowKey<Target>($0) } }
    var loaded: [RowKey<Target>: ToOne<Target>] = [:]
    for target in try reader.fetch(try query(for: Set(keys.compactMap { $0 }))) {
      loaded[try RowKey(target.id)] = ToOne(target)
    }
    for (position, key) in keys.enumerated() {
      guard let key else { continue }
      let reference = loaded[key] ?? ToOne(missing: key.id)
      if let value = column.output(reference) { assign(&values[position], value) }
    }
  }

  func hasSameContent(_ left: Root, _ right: Root) -> Bool {
    switch (column.target(column.value(left))?.loaded, column.target(column.value(right))?.loaded) {
    case (let left?, let right?): Target.hasSameContent(left, right, rows.inclusions)
    case (nil, nil): true
    default: false
    }
  }

  private func query(for keys: Set<RowKey<Target>>) throws -> Query<Target> {
    let key = SQLNode.column(Target.schema.keyReference)
    return rows.filtered(by: .isIn(key, try keys.map { .value(try Target.schema.storedKey($0.id)) }, key.order))
  }

  static func == (left: ToOneInclusion, right: ToOneInclusion) -> Bool {
    left.column.keyPath == right.column.keyPath && left.rows == right.rows
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(column.keyPath)
    hasher.combine(rows)
  }
}

extension ToOneColumn: RelationshipColumn {
  public func _inclusion(of rows: Query<Target>) -> Inclusion<Root> {
    Inclusion(ToOneInclusion(column: self, rows: rows))
  }
}
