/// A node of a query's syntax tree: conditions, sorts and aggregates are made of nodes.
indirect enum SQLNode: Sendable, Hashable {
  /// A column. The type determines how its values compare.
  case column(ColumnReference)
  case value(Value)
  /// JSON of a value with unordered parts.
  case unorderedJSON(UnorderedJSON)
  /// A comparison of two values in the order that both sides share.
  case comparison(ComparisonOperator, SQLNode, SQLNode, ValueOrder)
  case binary(BinaryOperator, SQLNode, SQLNode)
  /// Conditions joined by AND or OR. Created by ``and(_:_:)`` and ``or(_:_:)``.
  case junction(Junction)
  case not(SQLNode)
  case negate(SQLNode)
  case isNull(SQLNode)
  case isIn(SQLNode, [SQLNode], ValueOrder)
  case isBetween(SQLNode, SQLNode, SQLNode, ValueOrder)
  case function(SQLFunction, [SQLNode])
  case aggregate(Aggregate, SQLNode?, ValueOrder)
  case pattern(PatternOperator, SQLNode, SQLNode)
  case regex(RegexMatcher, SQLNode)
  case cast(SQLNode, StorageClass)
  case collate(SQLNode, Collation)
  case condition([SQLNode.Branch], otherwise: SQLNode)
  /// The value at a path in a JSON column.
  case json(SQLNode, path: [JSONPathStep])
  /// Whether an array in a JSON column, or the values of an object, contain an element.
  case jsonContains(SQLNode, SQLNode)
  case jsonCount(SQLNode)
  /// Whether some or every element of a JSON array satisfies a condition, in which the element is `.jsonElement` of the
  /// same number.
  case jsonTest(SQLNode, JSONQuantifier, element: Int, SQLNode)
  case jsonElement(Int)
  /// A column of the row whose key the node is: `$0.account.name`.
  case related(SQLNode, ColumnReference, key: ColumnReference)
  /// Whether the row whose key the node is satisfies a condition, in which its columns have the source `.related`.
  case isRelated(SQLNode, key: ColumnReference, SQLNode)
  /// A condition or value of the rows on the other side of a relationship.
  case relatedRows(RelatedRows, RelatedRows.Question)
  /// Whether a join table links a key to its owner's.
  case paired(PairedKey)
  /// The position of a key in the order that its owner keeps in a join table.
  case pairPosition(PairedKey)
  /// Whether a statement returns the value. If the value may be nil, nil is equal to nil.
  case isInRows(SQLNode, Subquery, isOptional: Bool)
  /// A value that depends on other rows of the query.
  case window(WindowFunction)
  /// SQL by hand, as a condition or value.
  case fragment(SQLFragment)
  /// A condition that couldn't be built. Writing the query throws the error.
  case invalid(StoreError)

  struct Branch: Sendable, Hashable {
    let condition: SQLNode
    let result: SQLNode
  }
}

enum ComparisonOperator: String, Sendable, Hashable {
  case equal = "="
  case notEqual = "<>"
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
}

enum BinaryOperator: String, Sendable, Hashable {
  case and = "AND"
  case or = "OR"
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
  case remainder = "%"
  case concatenate = "||"
}

enum PatternOperator: String, Sendable, Hashable {
  case like = "LIKE"
  case glob = "GLOB"
}

enum Aggregate: String, Sendable, Hashable {
  case count, distinctCount, sum, average, min, max
}

/// The collations that Larder registers on every connection.
enum Collation: String, Sendable, Hashable {
  case decimal = "larder_decimal"
  case instant = "larder_instant"
  case localized = "larder_localized"
}

enum JSONQuantifier: Sendable, Hashable {
  case some, every
}

enum JSONPathStep: Sendable, Hashable {
  case key(String)
  case index(Int)
}

extension SQLNode {
  /// The order in which the node's values compare.
  var order: ValueOrder {
    switch self {
    case .column(let column), .related(_, let column, _): column.type.order
    case .relatedRows(_, .value(let node)): node.order
    case .comparison, .junction, .isNull, .isIn, .isInRows, .isBetween, .not: .stored
    case .binary(_, let left, let right): left.order == .stored ? right.order : left.order
    case .negate(let node): node.order
    case .fragment(let fragment): fragment.order
    case .aggregate(let aggregate, _, let order):
      [.count, .distinctCount, .average].contains(aggregate) ? .stored : order
    case .condition(let branches, let otherwise): Self.order(branches.map(\.result) + [otherwise])
    case .function(let function, let arguments): function.order ?? Self.order(arguments)
    case .window(let window): window.resultOrder
    default: .stored
    }
  }

  private static func order(_ nodes: [SQLNode]) -> ValueOrder {
    nodes.lazy.map(\.order).first { $0 != .stored } ?? .stored
  }

  /// Whether the node is a condition that can be unknown in SQL, because a side of it is NULL.
  private var isUncertain: Bool {
    switch self {
    case .comparison, .junction, .isIn, .isBetween, .pattern, .regex, .isRelated, .paired, .isInRows: true
    case .function(let function, _): function.isCondition
    default: false
    }
  }

  /// The node for use as a value rather than as a filter: a condition is then either true or false, as in Swift.
  var asValue: SQLNode { isUncertain ? .not(.not(self)) : self }

  /// Returns the node with every column of the query's own table replaced by a value.
  func replacingColumns(_ value: (String) throws -> Value) rethrows -> SQLNode {
    func replace(_ node: SQLNode) throws -> SQLNode { try node.replacingColumns(value) }
    switch self {
    case .column(let column): return column.source == .root ? .value(try value(column.name)) : self
    case .related(let base, let column, let key): return .related(try replace(base), column, key: key)
    case .isRelated(let base, let key, let condition):
      return .isRelated(try replace(base), key: key, try replace(condition))
    case .paired(let pair): return .paired(try pair.replacing(replace))
    case .pairPosition(let pair): return .pairPosition(try pair.replacing(replace))
    case .relatedRows(let rows, let question):
      return .relatedRows(try rows.replacing(replace), try question.replacing(replace))
    case .value, .unorderedJSON, .invalid, .jsonElement: return self
    case .comparison(let op, let left, let right, let order):
      return .comparison(op, try replace(left), try replace(right), order)
    case .binary(let op, let left, let right): return .binary(op, try replace(left), try replace(right))
    case .junction(let junction): return .junction(try junction.replacing(replace))
    case .not(let node): return .not(try replace(node))
    case .negate(let node): return .negate(try replace(node))
    case .isNull(let node): return .isNull(try replace(node))
    case .isIn(let node, let list, let order): return .isIn(try replace(node), try list.map(replace), order)
    case .isInRows(let node, let rows, let isOptional):
      return .isInRows(try replace(node), rows, isOptional: isOptional)
    case .isBetween(let node, let low, let high, let order):
      return .isBetween(try replace(node), try replace(low), try replace(high), order)
    case .function(let name, let arguments): return .function(name, try arguments.map(replace))
    case .aggregate(let aggregate, let node, let order): return .aggregate(aggregate, try node.map(replace), order)
    case .pattern(let op, let left, let right): return .pattern(op, try replace(left), try replace(right))
    case .regex(let matcher, let node): return .regex(matcher, try replace(node))
    case .cast(let node, let type): return .cast(try replace(node), type)
    case .collate(let node, let collation): return .collate(try replace(node), collation)
    case .condition(let branches, let otherwise):
      return .condition(
        try branches.map { Branch(condition: try replace($0.condition), result: try replace($0.result)) },
        otherwise: try replace(otherwise))
    case .json(let node, let path): return .json(try replace(node), path: path)
    case .jsonContains(let node, let element): return .jsonContains(try replace(node), try replace(element))
    case .jsonCount(let node): return .jsonCount(try replace(node))
    case .jsonTest(let node, let quantifier, let element, let test):
      return .jsonTest(try replace(node), quantifier, element: element, try replace(test))
    case .fragment(let fragment): return .fragment(try fragment.replacing(replace))
    case .window(let function): return .window(try function.replacing(replace))
    }
  }
}
