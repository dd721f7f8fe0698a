/// Loads the rows of a ``ToMany`` relationship.
struct ToManyInclusion<Root: Model, Target: Model>: InclusionLoader {
  let column: ToManyColumn<Root, Target>
  let rows: Query<Target>

  var path: any PartialKeyPath<Root> & Sendable { column.keyPath }

  var partialPaths: Set<AnyKeyPath> {
    let isWhole =
      rows.filter == nil && rows.search == nil && rows.sorts.isEmpty && rows.cursor == nil && rows.limit == nil
      && rows.offset == 0
    return rows.inclusions.reduce(into: isWhole ? [] : [path]) { $0.formUnion($1.partialPaths) }
  }

  func merged(with other: any InclusionLoader<Root>) -> any InclusionLoader<Root> {
    guard let other = other as? ToManyInclusion else { return self }
    return ToManyInclusion(column: column, rows: rows.merged(with: other.rows))
  }

  func load(into values: inout [Root], areAll: Bool, _ reader: some RelatedRowReader) throws {
    try rows.checkIncludable()
    let resolution = try RelationshipResolution(column)
    let stored = try values.map { try Root.schema.storedKey($0.id) }
    let keys = areAll ? nil : stored.map { SQLNode.value($0) }
    var groups = [[Target]](repeating: [], count: values.count)
    switch resolution.link {
    case .foreignKey(let reference) where rows.inclusions.isEmpty:
      let keysOfRows = StoredKeys(stored, areUUIDs: Root.schema.keyReference.type.textForm == .uuid)
      groups = try reader.fetchGroups(query(of: reference, keys, resolution), by: reference.name, keysOfRows)
    case .foreignKey(let reference):
      let positions = try positions(of: values)
      let owner = try ownerKey(resolution)
      for row in try reader.fetch(query(of: reference, keys, resolution)) {
        if let key = owner(row), let position = positions[try RowKey(key)] { groups[position].append(row) }
      }
    case .pairs(let table, let own, let other, _):
      let pairs = try reader.pairs(of: keys, table: table, own: own, other: other, isOrdered: resolution.isOrdered)
      let pairsOfKeys = try pairs.map {
        (try RowKey<Root>(try Root.schema.key(of: $0.own)), try RowKey<Target>(try Target.schema.key(of: $0.other)))
      }
      try group(pairsOfKeys, reader, try positions(of: values), &groups)
    }
    for (position, group) in groups.enumerated() { values[position][keyPath: column.keyPath] = ToMany(group) }
  }

  private func positions(of values: [Root]) throws -> [RowKey<Root>: Int] {
    var positions = [RowKey<Root>: Int](minimumCapacity: values.count)
    for (position, value) in values.enumerated() { positions[try RowKey(value.id)] = position }
    return positions
  }

  /// Distributes the rows to their owners: in the query's order, or else in the order of the pairs.
  private func group(
    _ pairs: [(own: RowKey<Root>, other: RowKey<Target>)], _ reader: some RelatedRowReader,
    _ positions: [RowKey<Root>: Int],
    _ groups: inout [[Target]]
  ) throws {
    let key = SQLNode.column(Target.schema.keyReference)
    let keys = try Set(pairs.map(\.other)).map { SQLNode.value(try Target.schema.storedKey($0.id)) }
    let found = try reader.fetch(rows.filtered(by: .isIn(key, keys, key.order)))
    if rows.sorts.isEmpty {
      let byKey = Dictionary(try found.map { (try RowKey<Target>($0.id), $0) }, uniquingKeysWith: { first, _ in first })
      for pair in pairs {
        if let row = byKey[pair.other], let position = positions[pair.own] { groups[position].append(row) }
      }
    } else {
      let owners = Dictionary(grouping: pairs, by: \.other)
      for row in found {
        for pair in owners[try RowKey(row.id)] ?? [] {
          if let position = positions[pair.own] { groups[position].append(row) }
        }
      }
    }
  }

  /// Returns a query for the rows that refer to one of the keys; without keys, to any row.
  private func query(
    of reference: ColumnReference, _ keys: [SQLNode]?, _ resolution: RelationshipResolution<Root, Target>
  ) -> Query<Target> {
    var query = rows
    if let keys {
      query = rows.filtered(by: .isIn(.column(reference), keys, reference.type.order))
    } else if reference.type.isOptional {
      query = rows.filtered(by: .not(.isNull(.column(reference))))
    }
    if query.sorts.isEmpty, let position = resolution.position(of: .value(.null)) {
      query.sorts = [.init(node: position, isDescending: false)]
    }
    return query
  }

  /// Returns a closure that reads the owner's key from a row.
  private func ownerKey(_ resolution: RelationshipResolution<Root, Target>) throws -> (Target) -> Root.ID? {
    switch resolution.reference {
    case let reference as ToOneDefinition<Target, Root, ToOne<Root>>: return { reference.column.value($0).id }
    case let reference as ToOneDefinition<Target, Root, ToOne<Root>?>: return { reference.column.value($0)?.id }
    default: preconditionFailure("a reference leads to another model than its relationship says")
    }
  }

  func hasSameContent(_ left: Root, _ right: Root) -> Bool {
    let (left, right) = (left[keyPath: column.keyPath].loaded ?? [], right[keyPath: column.keyPath].loaded ?? [])
    return left.elementsEqual(right) { Target.hasSameContent($0, $1, rows.inclusions) }
  }

  static func == (left: ToManyInclusion, right: ToManyInclusion) -> Bool {
    left.column.keyPath == right.column.keyPath && left.rows == right.rows
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(column.keyPath)
    hasher.combine(rows)
  }
}

extension ToManyColumn: RelationshipColumn {
  public func _inclusion(of rows: Query<Target>) -> Inclusion<Root> {
    Inclusion(ToManyInclusion(column: self, rows: rows))
  }
}
