/// Changes the rows that are linked to one row.
struct Links<Root: Model, Target: Model> {
  private let column: ToManyColumn<Root, Target>
  private let resolution: RelationshipResolution<Root, Target>
  private let owner: SQLNode
  private let connection: Connection
  private let context = ErrorContext(Target.self)

  init(_ column: ToManyColumn<Root, Target>, of owner: Root.ID, on connection: Connection) throws {
    self.column = column
    self.connection = connection
    resolution = try RelationshipResolution(column)
    self.owner = Root.schema.node(forKey: owner)
  }

  // MARK: One row

  func add(_ key: Target.ID) throws {
    do {
      switch resolution.link {
      case .foreignKey(let reference):
        guard try connection.updateAll(row(key), AssignmentList(reference.name, owner)) > 0 else { throw missing }
      case .pairs(let table, let own, let other, _): try addPair(key, table, own, other)
      }
    } catch let error as StoreError where error.code == .referenced {
      guard try connection.count(row(key)) > 0 else { throw missing }
      let owners = Query<Root>().filtered(by: .compare(.equal, .column(Root.schema.keyReference), owner))
      guard try connection.count(owners) == 0 else { throw error }
      throw StoreError(
        .referenced, model: Root.schema.modelName,
        "The \(Root.schema.modelName) that a \(Target.schema.modelName) is to be linked to by \(column.property) is not stored. Save it first."
      )
    }
  }

  /// Returns false if the row wasn't linked to the owner.
  func remove(_ key: Target.ID) throws -> Bool {
    switch resolution.link {
    case .foreignKey(let reference):
      let rows = row(key).filtered(by: .compare(.equal, .column(reference), owner))
      guard resolution.reference?.isOptional == true else {
        if try connection.count(rows) == 0 { return false }
        throw required(reference)
      }
      return try connection.updateAll(rows, AssignmentList(reference.name, .value(.null))) > 0
    case .pairs(let table, let own, let other, _):
      return try removePairs(table, own) { writer in
        writer.write(" AND \(other) = ")
        try writer.write(Target.schema.node(forKey: key))
      } > 0
    }
  }

  // MARK: All rows

  func replace(with keys: [Target.ID]) throws {
    let nodes = keys.map { Target.schema.node(forKey: $0) }
    let keyColumn = SQLNode.column(Target.schema.keyReference)
    switch resolution.link {
    case .foreignKey(let reference):
      let others = Query<Target>().filtered(by: .compare(.equal, .column(reference), owner)).filtered(
        by: .not(.isIn(keyColumn, nodes, keyColumn.order)))
      if resolution.reference?.isOptional == true {
        _ = try connection.updateAll(others, AssignmentList(reference.name, .value(.null)))
      } else if try connection.count(others) > 0 {
        throw required(reference)
      }
    case .pairs(let table, let own, let other, _):
      _ = try removePairs(table, own) { writer in
        writer.write(" AND NOT ")
        try writer.write(
          .isIn(
            .column(ColumnReference(table: table, name: other, type: ColumnType(storageClass: .blob))), nodes, .stored))
      }
    }
    for key in keys { try add(key) }
    if resolution.isOrdered { try order(keys) }
  }

  /// Sets the positions of the rows to the order of the keys.
  func order(_ keys: [Target.ID]) throws {
    for (place, key) in keys.enumerated() {
      let place = SQLNode.value(.integer(Int64(place + 1)))
      switch resolution.link {
      case .foreignKey(let reference):
        _ = try connection.updateAll(row(key), AssignmentList(ReservedNames.position(of: reference.name), place))
      case .pairs(let table, let own, let other, _):
        var writer = connection.environment.makeWriter()
        writer.write(
          "UPDATE \(Quoting.name(table)) SET \(own == PairsTable.source ? PairsTable.position : PairsTable.inversePosition) = "
        )
        try writer.write(place)
        writer.write(" WHERE \(own) = ")
        try writer.write(owner)
        writer.write(" AND \(other) = ")
        try writer.write(Target.schema.node(forKey: key))
        _ = try connection.change(writer, context)
      }
    }
  }

  // MARK: Statements

  private func row(_ key: Target.ID) -> Query<Target> {
    Query<Target>().filtered(by: .compare(.equal, .column(Target.schema.keyReference), Target.schema.node(forKey: key)))
  }

  private func addPair(
    _ key: Target.ID, _ table: String, _ own: String, _ other: String
  ) throws {
    var writer = connection.environment.makeWriter()
    func write(_ node: SQLNode) throws { try writer.write(node) }
    writer.write("INSERT INTO \(Quoting.name(table)) (\(own), \(other)) SELECT ")
    try write(owner)
    writer.write(", ")
    try write(Target.schema.node(forKey: key))
    writer.write(" WHERE NOT EXISTS (SELECT 1 FROM \(Quoting.name(table)) WHERE \(own) = ")
    try write(owner)
    writer.write(" AND \(other) = ")
    try write(Target.schema.node(forKey: key))
    writer.write(")")
    _ = try connection.change(writer, context)
  }

  private func removePairs(
    _ table: String, _ own: String, _ condition: (inout SQLWriter) throws -> Void
  ) throws -> Int {
    var writer = connection.environment.makeWriter()
    writer.write("DELETE FROM \(Quoting.name(table)) WHERE \(own) = ")
    try writer.write(owner)
    try condition(&writer)
    return try connection.change(writer, context)
  }

  private var missing: StoreError {
    StoreError(
      .notFound, model: "\(Target.self)",
      "There is no \(Target.self) with this key to link to \(Root.self).\(column.property). Insert it first.")
  }

  private func required(_ reference: ColumnReference) -> StoreError {
    let property = resolution.reference?.property ?? reference.name
    return StoreError(
      .constraint, model: "\(Target.self)", property: property,
      "\(Target.self).\(property) is required, so a \(Target.self) cannot leave \(Root.self).\(column.property) without another owner. Delete it, link it to another \(Root.self), or make \(property) optional."
    )
  }
}

extension AssignmentList {
  /// One assignment.
  convenience init(_ column: String, _ node: SQLNode) {
    self.init()
    append(column, node)
  }
}
