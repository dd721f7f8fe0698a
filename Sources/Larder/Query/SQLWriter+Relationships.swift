extension SQLWriter {
  static let relatedAlias = "larder_related"

  static func alias(ofRows depth: Int) -> String { "larder_rows_\(depth)" }

  /// Writes conditions and values of related rows as subqueries: they can be used like any value, don't add rows, and
  /// use indexes.
  mutating func writeRelated(_ node: SQLNode) throws {
    switch node {
    case .related(let base, let column, let key):
      try qualifying { writer in
        writer.write("(SELECT ")
        try writer.write(.column(column))
        try writer.writeSource(of: key)
        let key = SQLNode.column(key.as(.related))
        try writer.writeComparison(of: key, with: [base]) { writer in
          try writer.write(key)
          writer.write(" = ")
          try writer.write(base)
        }
        writer.write(")")
      }
    case .isRelated(let base, let key, let condition):
      try qualifying { writer in
        writer.write("(")
        try writer.write(base)
        writer.write(" IN (SELECT ")
        try writer.write(.column(key.as(.related)))
        try writer.writeSource(of: key)
        try writer.write(condition)
        writer.write("))")
      }
    case .relatedRows(let rows, .exist):
      write("EXISTS (SELECT 1")
      try writeSource(of: rows)
      write(")")
    case .relatedRows(let rows, .value(let value)):
      try qualifying { writer in
        writer.write("(SELECT ")
        try writer.write(value)
        try writer.writeSource(of: rows)
        writer.write(")")
      }
    case .paired(let pair):
      let table = Quoting.name(pair.table)
      write("(")
      try write(pair.key)
      write(" IN (SELECT \(Quoting.name(pair.other)) FROM \(table) WHERE \(table).\(Quoting.name(pair.own)) = ")
      try qualifying { try $0.write(pair.owner) }
      write("))")
    case .pairPosition(let pair):
      let table = Quoting.name(pair.table)
      let position = pair.own == PairsTable.source ? PairsTable.position : PairsTable.inversePosition
      try qualifying { writer in
        writer.write(
          "(SELECT \(table).\(Quoting.name(position)) FROM \(table) WHERE \(table).\(Quoting.name(pair.own)) = ")
        try writer.write(pair.owner)
        writer.write(" AND \(table).\(Quoting.name(pair.other)) = ")
        try writer.write(pair.key)
        writer.write(")")
      }
    default: preconditionFailure("not a node of a relationship")
    }
  }

  /// Writes `FROM` and `WHERE` of the row with a key.
  private mutating func writeSource(of key: ColumnReference) throws {
    write(" FROM \(Quoting.name(key.table)) AS \(Self.relatedAlias) WHERE ")
  }

  /// Writes `FROM` and `WHERE` of the rows that belong to their owner.
  private mutating func writeSource(of rows: RelatedRows) throws {
    let alias = Self.alias(ofRows: rows.depth)
    try qualifying { writer in
      switch rows.link {
      case nil: writer.write(" FROM \(Quoting.name(rows.table)) AS \(alias) WHERE TRUE")
      case .foreignKey(let column):
        writer.write(" FROM \(Quoting.name(rows.table)) AS \(alias) WHERE ")
        let column = SQLNode.column(column.as(.rows(rows.depth)))
        try writer.writeComparison(of: column, with: [rows.owner]) { writer in
          try writer.write(column)
          writer.write(" = ")
          try writer.write(rows.owner)
        }
      case .pairs(let table, let own, let other, let key):
        let pair = alias + "_pair"
        writer.write(" FROM \(Quoting.name(table)) AS \(pair) JOIN \(Quoting.name(rows.table)) AS \(alias)")
        writer.write(" ON \(alias).\(Quoting.name(key)) = \(pair).\(Quoting.name(other))")
        writer.write(" WHERE \(pair).\(Quoting.name(own)) = ")
        try writer.write(rows.owner)
      }
      guard let condition = rows.condition else { return }
      guard !condition.hasAggregate else {
        throw StoreError(
          .unsupported, model: rows.name,
          "an aggregate of a group can't be used within a condition on rows of \(rows.name); select it, and compare it in Swift"
        )
      }
      writer.write(" AND ")
      try writer.write(condition)
    }
  }
}
