extension SQLNode {
  var columnName: String? {
    switch self {
    case .column(let column): column.name
    case .aggregate(_, let node?, _): node.columnName
    default: nil
    }
  }

  /// Returns a comparison; if one side is NULL, whether the other one is NULL.
  static func compare(_ op: ComparisonOperator, _ left: SQLNode, _ right: SQLNode) -> SQLNode {
    switch (op, left, right) {
    case (.equal, .value(.null), let other), (.equal, let other, .value(.null)): return .isNull(other)
    case (.notEqual, .value(.null), let other), (.notEqual, let other, .value(.null)): return .not(.isNull(other))
    case (.notEqual, _, _): return comparison(op, left, right)
    case (_, .related, .value): return lifting(left) { comparison(op, $0, right) }
    case (_, .value, .related): return lifting(right) { comparison(op, left, $0) }
    default: return comparison(op, left, right)
    }
  }

  /// The text in the form that is compared case-insensitively.
  var caseFolded: SQLNode { isCaseFolded ? self : .function(.caseFolded, [self]) }

  private var isCaseFolded: Bool {
    if case .function(.caseFolded, _) = self { true } else { false }
  }

  private static func comparison(_ op: ComparisonOperator, _ left: SQLNode, _ right: SQLNode) -> SQLNode {
    if left.isCaseFolded != right.isCaseFolded { return comparison(op, left.caseFolded, right.caseFolded) }
    let (leftOrder, rightOrder) = (left.order, right.order)
    guard leftOrder == .instant || rightOrder == .instant else {
      return .comparison(op, left.asValue, right.asValue, leftOrder == .stored ? rightOrder : leftOrder)
    }
    let sides = alike([left, right])
    return .comparison(
      op, sides[0].asValue, sides[1].asValue, sides[0].order == .stored ? sides[1].order : sides[0].order)
  }

  /// Returns a condition that only rows with the related value satisfy, expressed on the reference so that indexes on
  /// either side can be used.
  static func lifting(_ operand: SQLNode, _ condition: (SQLNode) -> SQLNode) -> SQLNode {
    guard case .related(let base, let column, let key) = operand else { return condition(operand) }
    return lifting(base) { .isRelated($0, key: key, condition(.column(column))) }
  }

  /// Returns the nodes with dates as seconds, if some of the nodes are dates stored as text and others are stored as
  /// seconds.
  static func alike(_ nodes: [SQLNode]) -> [SQLNode] {
    func isText(_ node: SQLNode) -> Bool {
      switch node {
      case .value(.text), .value(.null): true
      default: node.order == .instant
      }
    }
    guard nodes.contains(where: { $0.order == .instant }), !nodes.allSatisfy(isText) else { return nodes }
    return nodes.map { isText($0) ? .function(.seconds, [$0]) : $0 }
  }

  /// Returns values of which a function picks one. The picked value has no column affinity: decimals that an existing
  /// file stores as numbers become text.
  static func alternatives(_ nodes: [SQLNode]) -> [SQLNode] {
    let nodes = alike(nodes)
    guard nodes.contains(where: { $0.order == .decimal }) else { return nodes }
    return nodes.map { node in
      if case .column = node { .function(.decimalText, [node]) } else { node }
    }
  }
}
