extension Query {
  /// `SELECT` with the model's columns.
  func writeSelect(_ writer: inout SQLWriter) throws {
    try writeSelect(
      &writer, writer.isQualified || isRanked ? M.schema.statements.qualifiedColumns : M.schema.statements.columns)
  }

  /// `SELECT` with other columns.
  func writeSelect(_ writer: inout SQLWriter, _ columns: String) throws {
    try writeSelect(&writer) { $0.write(columns) }
  }

  func writeSelect(_ writer: inout SQLWriter, columns: (inout SQLWriter) throws -> Void) throws {
    if let failure { throw failure }
    if isRanked { writer.isQualified = true }
    writer.write("SELECT ")
    try columns(&writer)
    try writeSource(&writer)
    try writeOrder(&writer)
    writeLimit(&writer)
  }

  /// `FROM` and `WHERE`.
  ///
  /// - Parameter join: Writes a join to another table.
  func writeSource(_ writer: inout SQLWriter, join: (inout SQLWriter) throws -> Void = { _ in }) throws {
    if let failure { throw failure }
    writer.write(" FROM ")
    writer.write(M.schema.statements.table)
    if isRanked, let search { search.writeJoin(&writer, M.schema.searched) }
    try join(&writer)
    var conjunction = " WHERE "
    if let search {
      writer.write(conjunction)
      conjunction = " AND "
      try search.writeCondition(&writer, M.schema.searched)
    }
    if let filter {
      writer.write(conjunction)
      conjunction = " AND "
      try writer.write(filter)
    }
    if let cursor {
      writer.write(conjunction)
      try writer.write(try condition(after: cursor))
    }
  }

  var isRanked: Bool { search?.isRanked == true }

  private func writeOrder(_ writer: inout SQLWriter) throws {
    let terms = effectiveSorts
    guard !terms.isEmpty || isRanked else { return }
    writer.write(" ORDER BY ")
    if isRanked, let search {
      search.writeRank(&writer, M.schema.searched)
      if !terms.isEmpty { writer.write(", ") }
    }
    for (position, term) in terms.enumerated() {
      if position > 0 { writer.write(", ") }
      try writer.writeOrdered(term.node, term.node.order)
      if term.isDescending { writer.write(" DESC") }
    }
  }

  func writeLimit(_ writer: inout SQLWriter) {
    guard limit != nil || offset > 0 else { return }
    writer.write(" LIMIT ")
    writer.bind(.integer(Int64(limit ?? -1)))
    guard offset > 0 else { return }
    writer.write(" OFFSET ")
    writer.bind(.integer(Int64(offset)))
  }

  private func condition(after cursor: QueryCursor) throws -> SQLNode {
    if isRanked { throw StoreError.rankedPaging("\(M.self)") }
    return try effectiveSorts.condition(after: cursor, "\(M.self)")
  }
}

extension [QuerySort] {
  /// Returns the condition of the rows after the cursor, which are greater in the first sort that differs. NULL comes
  /// first in forward order.
  func condition(after cursor: QueryCursor, _ model: String) throws -> SQLNode {
    var whole: SQLNode?
    var equal: SQLNode?
    for term in self {
      if term.node.hasText(beyond: Set(cursor.values.keys.map { $0.lowercased() })) {
        throw StoreError(
          .unsupported, model: model,
          "after(_:) works on sorts by the model's own properties; SQL in a sort has to interpolate them: SQL(\"length(\\($0.name))\")"
        )
      }
      let value = try term.node.replacingColumns { name in
        guard let value = cursor.values[name] else {
          throw StoreError(.unsupported, model: model, "after(_:) works on sorts by the model's own properties")
        }
        return value
      }
      let behind = term.behind(value)
      let step = equal.map { SQLNode.and($0, behind) } ?? behind
      whole = whole.map { .or($0, step) } ?? step
      let same = SQLNode.compare(.equal, term.node, value)
      equal = equal.map { .and($0, same) } ?? same
    }
    guard let whole else { return .value(.integer(1)) }
    guard let first, count > 1, let bound = try first.bound(cursor) else {
      return whole
    }
    return .and(bound, whole)
  }
}

extension StoreError {
  static func rankedPaging(_ model: String) -> StoreError {
    StoreError(
      .unsupported, model: model,
      "after(_:) has no meaning on ranked search results; sort by a property, or use an offset")
  }
}

extension QuerySort {
  /// Returns the condition of values after the given one in this sort's direction. A value computed from the cursor's
  /// row may be NULL too.
  fileprivate func behind(_ value: SQLNode) -> SQLNode {
    switch (value, isDescending) {
    case (.value(.null), false): .not(.isNull(node))
    case (.value(.null), true): .value(.integer(0))
    case (.value, false): .compare(.greater, node, value)
    case (_, false): .or(.compare(.greater, node, value), .and(.isNull(value), .not(.isNull(node))))
    case (_, true) where !isOptional: .compare(.less, node, value)
    case (.value, true): .or(.compare(.less, node, value), .isNull(node))
    case (_, true): .or(.compare(.less, node, value), .and(.isNull(node), .not(.isNull(value))))
    }
  }

  /// Returns a simple range that contains all rows of the page, so that an index on the first sort can be used.
  fileprivate func bound(_ cursor: QueryCursor) throws -> SQLNode? {
    guard case .column(let column) = node, !isOptional, let value = cursor.values[column.name] else { return nil }
    return .compare(isDescending ? .lessOrEqual : .greaterOrEqual, node, .value(value))
  }

  private var isOptional: Bool {
    if case .column(let column) = node { column.type.isOptional } else { true }
  }
}
