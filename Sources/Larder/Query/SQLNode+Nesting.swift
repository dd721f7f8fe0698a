extension SQLNode {
  /// As deep as expressions may be nested: deeper ones would end the process when they are written, compared or let go of.
  private static let nestingLimit = 100

  /// The node, or an error in its place where it is nested too deeply.
  var limited: SQLNode {
    guard nesting > Self.nestingLimit else { return self }
    return .invalid(.nestedTooDeeply)
  }

  /// How many operators lie one in another at most. Conditions that AND or OR joins lie beside one another.
  var nesting: Int {
    switch self {
    case .column, .value, .invalid, .jsonElement: 0
    case .junction(let junction): junction.nesting
    case .comparison(_, let left, let right, _), .binary(_, let left, let right): max(left.nesting, right.nesting) + 1
    case .not(let node), .negate(let node), .isNull(let node), .isIn(let node, _, _): node.nesting + 1
    default: (children.lazy.map(\.nesting).max() ?? 0) + 1
    }
  }

  /// The nodes that the node is made of. Of a list it is only known that it holds constants.
  var children: [SQLNode] {
    switch self {
    case .column, .value, .unorderedJSON, .invalid, .jsonElement: []
    case .comparison(_, let left, let right, _), .binary(_, let left, let right), .pattern(_, let left, let right),
      .jsonContains(let left, let right):
      [left, right]
    case .junction(let junction): [junction.left, junction.right]
    case .not(let node), .negate(let node), .isNull(let node), .isIn(let node, _, _), .regex(_, let node), .cast(let node, _), .collate(let node, _):
      [node]
    case .json(let node, _), .jsonCount(let node), .related(let node, _, _): [node]
    case .isBetween(let node, let low, let high, _): [node, low, high]
    case .function(_, let arguments): arguments
    case .aggregate(_, let node, _): node.map { [$0] } ?? []
    case .condition(let branches, let otherwise): branches.flatMap { [$0.condition, $0.result] } + [otherwise]
    case .jsonTest(let node, _, _, let test): [node, test]
    case .isRelated(let base, _, let condition): [base, condition]
    case .relatedRows(let rows, .value(let value)): [rows.owner, value] + (rows.condition.map { [$0] } ?? [])
    case .relatedRows(let rows, .exist): [rows.owner] + (rows.condition.map { [$0] } ?? [])
    case .paired(let pair), .pairPosition(let pair): [pair.owner, pair.key]
    }
  }

  /// Whether the node asks for more than the row at hand: for rows that it is related to, or for one of the columns that triggers keep.
  func readsOtherRows(_ derived: Set<String>) -> Bool {
    switch self {
    case .related, .isRelated, .relatedRows, .paired, .pairPosition: true
    case .column(let column): derived.contains(column.name)
    case .value, .unorderedJSON, .invalid, .jsonElement: false
    default: children.contains { $0.readsOtherRows(derived) }
    }
  }
}

extension StoreError {
  /// For what SQLite's parser refuses as well.
  static let nestedTooDeeply = StoreError(
    .unsupported,
    "The query is nested too deeply. Join conditions with && or || without brackets in brackets, ask for one of many values with isIn, or fetch in parts."
  )
}
