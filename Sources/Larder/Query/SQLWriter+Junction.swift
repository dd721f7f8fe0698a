extension SQLWriter {
  /// The number of conditions joined in a row: SQLite nests each one deeper than the one before, and limits the depth
  /// to a thousand.
  private static let width = 50
  /// The number of conditions joined by AND that SQLite may take apart. It passes them on to the parts of a view one by
  /// one, each nested deeper than the one before.
  private static let separableCount = 500

  /// The number of comparisons with constants above which they become one comparison with a list.
  private static let mergedCount = 32

  mutating func write(_ junction: Junction) throws {
    let conditions = Self.merging(junction.conditions, junction.op)
    guard conditions.count > 1 else { return try write(conditions[0]) }
    try write(conditions[...], junction.op, isSeparable: conditions.count <= Self.separableCount)
  }

  /// Returns the conditions with those that compare one value with many constants as a comparison with the list of them.
  ///
  /// SQLite computes equal constants of a statement once, and to find them compares each one with all before it
  /// (`sqlite3ExprCodeRunJustOnce`): preparing a statement with ten thousand took seconds.
  private static func merging(_ conditions: [SQLNode], _ op: BinaryOperator) -> [SQLNode] {
    guard conditions.count > mergedCount else { return conditions }
    var lists: [ComparedNode: [SQLNode]] = [:]
    for condition in conditions {
      guard let (compared, constant) = ComparedNode.comparing(condition, op) else { continue }
      lists[compared, default: []].append(constant)
    }
    lists = lists.filter { $0.value.count > mergedCount }
    return conditions.compactMap { condition in
      guard let (compared, _) = ComparedNode.comparing(condition, op), let list = lists[compared] else {
        return condition
      }
      guard !list.isEmpty else { return nil }
      lists[compared] = []
      let isIn = SQLNode.isIn(compared.node, list, compared.order)
      // Nil differs from every constant.
      return op == .or ? isIn : .or(.not(isIn), .isNull(compared.node))
    }
  }

  private mutating func write(
    _ conditions: ArraySlice<SQLNode>, _ op: BinaryOperator, isSeparable: Bool
  ) throws {
    let size = (conditions.count + Self.width - 1) / Self.width
    write("(")
    for start in stride(from: conditions.startIndex, to: conditions.endIndex, by: size) {
      if start > conditions.startIndex { write(" \(op.rawValue) ") }
      let end = min(start + size, conditions.endIndex)
      if end - start == 1 {
        try write(conditions[start])
      } else {
        // SQLite doesn't look into the operand of a unary plus, which has its value.
        if !isSeparable { write("+") }
        try write(conditions[start..<end], op, isSeparable: isSeparable)
      }
    }
    write(")")
  }
}

/// What is compared with constants, by equality under OR and by difference under AND.
private struct ComparedNode: Hashable {
  let node: SQLNode
  let order: ValueOrder

  static func comparing(_ condition: SQLNode, _ op: BinaryOperator) -> (ComparedNode, SQLNode)? {
    guard case .comparison(let comparison, let node, let constant, let order) = condition,
      comparison == (op == .or ? .equal : .notEqual), !node.isConstant, case .value(let value) = constant
    else { return nil }
    switch value {
    case .integer, .text, .blob: break
    case .real(let real): if real.isNaN { return nil }
    case .null: return nil
    }
    return (ComparedNode(node: node, order: order), constant)
  }
}
