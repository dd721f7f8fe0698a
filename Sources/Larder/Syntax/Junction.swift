/// Conditions joined by AND or by OR, in a tree that stays balanced even if they are joined one after another.
///
/// Ten thousand conditions form a tree of about a dozen levels, so neither Larder nor SQLite's parser overflows its
/// stack.
struct Junction: Sendable, Hashable {
  let op: BinaryOperator
  let left: SQLNode
  let right: SQLNode
  /// The height of the tree; zero for a condition that isn't a junction of the same operator.
  private let height: Int
  /// The nesting depth of the deepest condition.
  private let conditionNesting: Int

  private init(_ op: BinaryOperator, _ left: SQLNode, _ right: SQLNode) {
    self.op = op
    self.left = left
    self.right = right
    height = max(Self.height(left, op), Self.height(right, op)) + 1
    conditionNesting = max(Self.nesting(left, op), Self.nesting(right, op))
  }

  /// The nesting depth of the whole junction.
  var nesting: Int { conditionNesting + 1 }

  /// The conditions from left to right.
  var conditions: [SQLNode] {
    var conditions: [SQLNode] = []
    collect(into: &conditions)
    return conditions
  }

  /// Returns the same junction of other conditions.
  func replacing(_ replace: (SQLNode) throws -> SQLNode) rethrows -> Junction {
    Junction(op, try replace(left), try replace(right))
  }

  /// Joins two conditions, each of which may be a tree itself, as balanced trees are joined.
  ///
  /// Source: Blelloch, Ferizovic and Sun, "Just Join for Parallel Ordered Sets", 2016, the join of AVL trees.
  static func joining(_ op: BinaryOperator, _ left: SQLNode, _ right: SQLNode) -> SQLNode {
    let (leftHeight, rightHeight) = (height(left, op), height(right, op))
    if leftHeight > rightHeight + 1, case .junction(let tree) = left {
      let joined = joining(op, tree.right, right)
      guard height(joined, op) > height(tree.left, op) + 1, case .junction(let inner) = joined else {
        return .junction(Junction(op, tree.left, joined))
      }
      if height(inner.left, op) > height(inner.right, op), case .junction(let middle) = inner.left {
        return .junction(
          Junction(
            op, .junction(Junction(op, tree.left, middle.left)), .junction(Junction(op, middle.right, inner.right))))
      }
      return .junction(Junction(op, .junction(Junction(op, tree.left, inner.left)), inner.right))
    }
    if rightHeight > leftHeight + 1, case .junction(let tree) = right {
      let joined = joining(op, left, tree.left)
      guard height(joined, op) > height(tree.right, op) + 1, case .junction(let inner) = joined else {
        return .junction(Junction(op, joined, tree.right))
      }
      if height(inner.right, op) > height(inner.left, op), case .junction(let middle) = inner.right {
        return .junction(
          Junction(
            op, .junction(Junction(op, inner.left, middle.left)), .junction(Junction(op, middle.right, tree.right))))
      }
      return .junction(Junction(op, inner.left, .junction(Junction(op, inner.right, tree.right))))
    }
    return .junction(Junction(op, left, right))
  }

  private func collect(into conditions: inout [SQLNode]) {
    for node in [left, right] {
      if case .junction(let junction) = node, junction.op == op {
        junction.collect(into: &conditions)
      } else {
        conditions.append(node)
      }
    }
  }

  private static func height(_ node: SQLNode, _ op: BinaryOperator) -> Int {
    if case .junction(let junction) = node, junction.op == op { junction.height } else { 0 }
  }

  private static func nesting(_ node: SQLNode, _ op: BinaryOperator) -> Int {
    if case .junction(let junction) = node, junction.op == op { junction.conditionNesting } else { node.nesting }
  }
}

extension SQLNode {
  /// Returns a node that is true if both conditions are.
  static func and(_ left: SQLNode, _ right: SQLNode) -> SQLNode { Junction.joining(.and, left, right) }

  /// Returns a node that is true if at least one of the conditions is.
  static func or(_ left: SQLNode, _ right: SQLNode) -> SQLNode { Junction.joining(.or, left, right) }
}
