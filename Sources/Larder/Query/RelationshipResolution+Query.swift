extension RelationshipResolution {
  /// Returns a query for the rows that belong to the row with the key, in their order if the relationship is ordered.
  func query(ownedBy key: Root.ID) -> Query<Target> {
    let owner = Root.schema.node(forKey: key)
    var query = Query<Target>()
    switch link {
    case .foreignKey(let column):
      query.filter = .compare(.equal, .column(column), owner)
    case .pairs(let table, let own, let other, _):
      query.filter = .paired(
        PairedKey(table: table, own: own, other: other, owner: owner, key: .column(Target.schema.keyReference)))
    }
    if let position = position(of: owner) { query.sorts = [.init(node: position, isDescending: false)] }
    return query
  }

  /// The position of a row among those of its owner; nil if the relationship isn't ordered.
  func position(of owner: SQLNode) -> SQLNode? {
    guard isOrdered else { return nil }
    let type = ColumnType(storageClass: .integer, isOptional: true)
    switch link {
    case .foreignKey(let column):
      return .column(ColumnReference(table: column.table, name: ReservedNames.position(of: column.name), type: type))
    case .pairs(let table, let own, let other, _):
      return .pairPosition(
        PairedKey(table: table, own: own, other: other, owner: owner, key: .column(Target.schema.keyReference)))
    }
  }
}
