extension TableQuery {
  /// A query with its text read, and its names looked up.
  struct Resolved {
    let table: TableDescription
    let query: TableQuery
    let filter: SQLNode?
    let sorts: [QuerySort]
  }

  func resolved(on connection: Connection) throws -> Resolved {
    let table = try connection.description(of: table)
    var nodes: [SQLNode] = []
    var sorts: [QuerySort] = []
    for condition in conditions {
      switch condition {
      case .text(let text):
        nodes.append(try ConditionParser.condition(text, on: table) { try connection.description(of: $0) })
      case .key(let key): nodes.append(contentsOf: try table.nodes(ofKey: key))
      case .related(let owner, let name, let key):
        let (condition, position) = try connection.description(of: owner).rows(of: name, key, in: table)
        nodes.append(condition)
        if let position { sorts.append(QuerySort(node: position, isDescending: false)) }
      }
    }
    if let order {
      sorts = try ConditionParser.sorts(order, on: table) { try connection.description(of: $0) }
    }
    if isReversed { sorts = sorts.map { QuerySort(node: $0.node, isDescending: !$0.isDescending) } }
    let filter = nodes.dropFirst().reduce(nodes.first) { whole, node in whole.map { .and($0, node) } }
    return Resolved(table: table, query: self, filter: filter, sorts: table.completing(sorts, isReversed: isReversed))
  }
}

extension TableDescription {
  /// Returns the sorts with the key behind them, so that every row has its place.
  fileprivate func completing(_ sorts: [QuerySort], isReversed: Bool) -> [QuerySort] {
    let isDescending = sorts.last?.isDescending ?? isReversed
    return sorts
      + key.map(node).filter { key in !sorts.contains { $0.node == key } }.map {
        QuerySort(node: $0, isDescending: isDescending)
      }
  }

  func node(_ property: Property) -> SQLNode {
    .column(ColumnReference(table: name, name: property.column, type: property.columnType))
  }

  /// Returns the conditions that a row has the key.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` for another number of values, or a value of another type.
  func nodes(ofKey values: [Value]) throws -> [SQLNode] {
    let key = key
    guard !key.isEmpty else {
      throw StoreError(.unsupported, model: title, "\(title) has no key, by which one of its rows could be named.")
    }
    guard values.count == key.count else {
      throw StoreError(
        .invalidValue, model: title,
        "The key of \(title) has \(key.count) values, \(key.map(\.name).joined(separator: ", ")), and \(values.count) were given."
      )
    }
    // SQLite itself finds a key that another program has written, in whichever form.
    return try zip(key, values).map {
      .compare(.equal, node($0), .value(kind == .table ? $1 : try naming($0, $1)))
    }
  }

  /// Returns the value as the property stores it. Throws with the name of the model.
  func naming(_ property: Property, _ value: Value) throws -> Value {
    do {
      return try property.stored(value)
    } catch let error as StoreError {
      throw error.naming(title)
    }
  }

  /// Returns the condition of the rows that belong to a row of this table, and their place among them.
  fileprivate func rows(
    of name: String, _ key: [Value], in other: TableDescription
  ) throws -> (condition: SQLNode, position: SQLNode?) {
    guard let relationship = relationship(name) else {
      throw StoreError(
        .notFound, model: title, property: name,
        "\(title) has no relationship \(name); it has \(relationships.map(\.name).formattedList).")
    }
    guard relationship.target.isSameColumn(as: other.name) else {
      throw StoreError(
        .invalidValue, model: title, property: name,
        "\(title).\(name) leads to \(relationship.target), and the query is for rows of \(other.title).")
    }
    _ = try nodes(ofKey: key)
    guard self.key.count == 1, let own = self.key.first else {
      throw StoreError(.unsupported, model: title, property: name, "\(title) has a key of several properties.")
    }
    let owner = SQLNode.value(try naming(own, key[0]))
    let place = ColumnType(storageClass: .integer, isOptional: true)
    switch relationship.rows {
    case .reference(let column) where relationship.kind == .toOne:
      guard let target = other.property(relationship.key), let reference = property(column) else {
        throw StoreError(
          .schemaMismatch, model: title, property: name, "\(title).\(name) refers to a column that is not there.")
      }
      // The row itself is looked up for the value of its reference.
      let depth = 0
      let source = ColumnReference(table: self.name, name: own.column, type: own.columnType, source: .rows(depth))
      let found = RelatedRows(
        table: self.name, name: name, depth: depth, link: nil, owner: owner,
        condition: .compare(.equal, .column(source), owner))
      let value = ColumnReference(
        table: self.name, name: reference.column, type: reference.columnType, source: .rows(depth))
      return (.compare(.equal, other.node(target), .relatedRows(found, .value(.column(value)))), nil)
    case .reference(let column):
      guard let reference = other.property(column) else {
        throw StoreError(.schemaMismatch, model: title, property: name, "\(other.title) has no column \(column).")
      }
      let position = ColumnReference(table: other.name, name: ReservedNames.position(of: column), type: place)
      return (.compare(.equal, other.node(reference), owner), relationship.isOrdered ? .column(position) : nil)
    case .pairs(let pairs, let ownColumn, let otherColumn, let otherKey):
      guard let target = other.property(otherKey) else {
        throw StoreError(.schemaMismatch, model: title, property: name, "\(other.title) has no column \(otherKey).")
      }
      let pair = PairedKey(table: pairs, own: ownColumn, other: otherColumn, owner: owner, key: other.node(target))
      return (.paired(pair), relationship.isOrdered ? .pairPosition(pair) : nil)
    }
  }
}

// MARK: - Statements

extension TableQuery.Resolved {
  /// Writes the query with its properties as columns.
  func select(_ writer: inout SQLWriter) throws {
    let table = Quoting.name(table.name)
    try select(&writer) { writer in
      for (position, property) in self.table.properties.enumerated() {
        if position > 0 { writer.write(", ") }
        if isRanked { writer.write("\(table).") }
        writer.write("\(Quoting.name(property.column)) AS \(Quoting.name(property.name))")
      }
    }
  }

  /// Writes the query for the number of its rows.
  func count(_ writer: inout SQLWriter) throws {
    guard query.limit != nil || query.offset > 0 else {
      writer.write("SELECT count(*)")
      return try writeSource(&writer)
    }
    writer.write("SELECT count(*) FROM (")
    try select(&writer) { $0.write("1") }
    writer.write(")")
  }

  private var isRanked: Bool { query.search?.isRanked == true }

  private var searched: SearchedTable {
    SearchedTable(
      name: table.name, model: table.title, rowIDColumn: table.rowID ?? "rowid", isSearchable: table.isSearchable)
  }

  private func select(_ writer: inout SQLWriter, _ columns: (inout SQLWriter) throws -> Void) throws {
    if isRanked { writer.isQualified = true }
    writer.write("SELECT ")
    try columns(&writer)
    try writeSource(&writer)
    try writeOrder(&writer)
    guard query.limit != nil || query.offset > 0 else { return }
    writer.write(" LIMIT ")
    writer.bind(.integer(Int64(query.limit ?? -1)))
    guard query.offset > 0 else { return }
    writer.write(" OFFSET ")
    writer.bind(.integer(Int64(query.offset)))
  }

  private func writeSource(_ writer: inout SQLWriter) throws {
    writer.write(" FROM \(Quoting.name(table.name))")
    if isRanked { query.search?.writeJoin(&writer, searched) }
    var conjunction = " WHERE "
    if let search = query.search {
      writer.write(conjunction)
      conjunction = " AND "
      try search.writeCondition(&writer, searched)
    }
    if let filter {
      writer.write(conjunction)
      conjunction = " AND "
      try writer.write(filter)
    }
    if let cursor = query.cursor {
      writer.write(conjunction)
      try writer.write(try condition(after: cursor))
    }
  }

  private func writeOrder(_ writer: inout SQLWriter) throws {
    guard !sorts.isEmpty || isRanked else { return }
    writer.write(" ORDER BY ")
    if isRanked, let search = query.search {
      search.writeRank(&writer, searched)
      if !sorts.isEmpty { writer.write(", ") }
    }
    for (position, term) in sorts.enumerated() {
      if position > 0 { writer.write(", ") }
      try writer.writeOrdered(term.node, term.node.order)
      if term.isDescending { writer.write(" DESC") }
    }
  }

  private func condition(after row: Row) throws -> SQLNode {
    if isRanked { throw StoreError.rankedPaging(table.title) }
    guard !table.key.isEmpty else {
      throw StoreError(
        .unsupported, model: table.title,
        "\(table.title) has no key, so its rows have no order to go on from. Use an offset.")
    }
    var values: [String: Value] = [:]
    for property in table.properties { values[property.column] = row[property.name] }
    return try sorts.condition(after: QueryCursor(values: values), table.title)
  }
}

extension Connection {
  func rows(_ query: TableQuery) throws -> [Row] {
    let resolved = try query.resolved(on: self)
    return try using(resolved, { try resolved.select(&$0) }) { statement in try rows(statement, nil) }
  }

  func forEach(_ query: TableQuery, _ body: (Row) throws -> Void) throws {
    let resolved = try query.resolved(on: self)
    try using(resolved, { try resolved.select(&$0) }) { statement in
      guard try step(statement, nil) else { return }
      let layout = Row.Layout(statement.columnNames)
      repeat {
        try body(try Row(layout: layout, statement.pointer, model: resolved.table.title))
      } while try step(statement, nil)
    }
  }

  func count(_ query: TableQuery) throws -> Int {
    let resolved = try query.resolved(on: self)
    return try using(resolved, { try resolved.count(&$0) }) { statement in
      try step(statement, nil) ? Int(StoredColumn(statement.pointer, 0).integer ?? 0) : 0
    }
  }

  private func using<Result>(
    _ query: TableQuery.Resolved, _ write: (inout SQLWriter) throws -> Void,
    _ body: (PreparedStatement) throws -> Result
  ) throws -> Result {
    var writer = environment.makeWriter()
    do {
      try write(&writer)
      // The properties of documents are columns of a view.
      let statement = try environment.features.statement(ofUserSQL: writer.sql, self) ?? statement(writer.sql)
      return try using(statement, writer.arguments, nil, body)
    } catch let error as StoreError {
      throw error.naming(query.table.title)
    }
  }
}
