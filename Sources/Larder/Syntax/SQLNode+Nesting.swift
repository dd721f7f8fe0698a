extension SQLNode {
  /// The largest depth of expressions. Deeper ones would overflow the stack when they are written, compared or
  /// released.
  private static let nestingLimit = 100

  /// Returns the node, or an error in its place if it is nested too deeply.
  var limited: SQLNode {
    guard nesting > Self.nestingLimit else { return self }
    return .invalid(.nestedTooDeeply)
  }

  /// The largest number of nested operators. Conditions joined by AND or OR count as one level.
  var nesting: Int {
    switch self {
    case .column, .value, .invalid, .jsonElement: 0
    case .junction(let junction): junction.nesting
    case .comparison(_, let left, let right, _), .binary(_, let left, let right): max(left.nesting, right.nesting) + 1
    case .not(let node), .negate(let node), .isNull(let node), .isIn(let node, _, _): node.nesting + 1
    case .isInRows(let node, let rows, _): max(node.nesting, rows.statement.nesting) + 1
    default: (children.lazy.map(\.nesting).max() ?? 0) + 1
    }
  }

  /// The child nodes. Of a list, only that it contains constants is known.
  var children: [SQLNode] {
    switch self {
    case .column, .value, .unorderedJSON, .invalid, .jsonElement: []
    case .comparison(_, let left, let right, _), .binary(_, let left, let right), .pattern(_, let left, let right),
      .jsonContains(let left, let right):
      [left, right]
    case .junction(let junction): [junction.left, junction.right]
    case .not(let node), .negate(let node), .isNull(let node), .isIn(let node, _, _), .regex(_, let node),
      .cast(let node, _), .collate(let node, _):
      [node]
    case .json(let node, _), .jsonCount(let node), .related(let node, _, _), .isInRows(let node, _, _): [node]
    case .isBetween(let node, let low, let high, _): [node, low, high]
    case .function(_, let arguments): arguments
    case .fragment(let fragment): fragment.nodes
    case .window(let function): function.nodes
    case .aggregate(_, let node, _): node.map { [$0] } ?? []
    case .condition(let branches, let otherwise): branches.flatMap { [$0.condition, $0.result] } + [otherwise]
    case .jsonTest(let node, _, _, let test): [node, test]
    case .isRelated(let base, _, let condition): [base, condition]
    case .relatedRows(let rows, .value(let value)): [rows.owner, value] + (rows.condition.map { [$0] } ?? [])
    case .relatedRows(let rows, .exist): [rows.owner] + (rows.condition.map { [$0] } ?? [])
    case .paired(let pair), .pairPosition(let pair): [pair.owner, pair.key]
    }
  }

  /// Whether a function or an operator makes the value.
  var isComputed: Bool {
    switch self {
    case .function, .binary, .negate, .cast, .condition: true
    default: false
    }
  }

  /// The sources of all columns of the node.
  var sources: Set<ColumnReference.Source> {
    if case .column(let column) = self { return [column.source] }
    return children.reduce(into: []) { $0.formUnion($1.sources) }
  }

  /// Whether the node needs more than the current row: related rows, or a column that triggers maintain.
  func readsOtherRows(_ derived: Set<String>) -> Bool {
    switch self {
    case .related, .isRelated, .relatedRows, .paired, .pairPosition, .isInRows, .fragment: true
    case .column(let column): derived.contains(column.name)
    case .value, .unorderedJSON, .invalid, .jsonElement: false
    default: children.contains { $0.readsOtherRows(derived) }
    }
  }
}

extension StoreError {
  /// Also the error if SQLite's parser rejects the depth.
  static let nestedTooDeeply = StoreError(
    .unsupported,
    "The query is nested too deeply. Join conditions with && or || without brackets in brackets, ask for one of many values with isIn, or fetch in parts."
  )
}
