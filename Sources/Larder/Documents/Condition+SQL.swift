extension Condition {
  /// Writes the condition as SQL for the table of a collection.
  func write(_ writer: inout SQLWriter) throws {
    try Self.write(node, isNegated: false, &writer)
  }

  /// Calls the closure with each path in the condition.
  func forEachPath(_ body: (DocumentPath) throws -> Void) throws {
    try Self.visit(node, body)
  }

  private static func visit(_ node: Node, _ body: (DocumentPath) throws -> Void) throws {
    switch node {
    case .everything: break
    case .comparison(let path, _, _), .differs(let path, _): try body(path)
    case .and(let nodes), .or(let nodes): for node in nodes { try visit(node, body) }
    case .not(let node): try visit(node, body)
    case .invalid(let error): throw error
    }
  }

  /// Negations are written at the comparisons, so that only AND and OR need parentheses.
  private static func write(_ node: Node, isNegated: Bool, _ writer: inout SQLWriter) throws {
    switch node {
    case .everything: writer.write(isNegated ? "0" : "1")
    case .and(let nodes): try join(nodes, isNegated ? " OR " : " AND ", isNegated: isNegated, &writer)
    case .or(let nodes): try join(joiningEqualities(nodes), isNegated ? " AND " : " OR ", isNegated: isNegated, &writer)
    case .not(let node): try write(node, isNegated: !isNegated, &writer)
    case .comparison(let path, let comparison, let operand):
      try DocumentComparisonSQL(path, comparison, operand).write(isNegated: isNegated, &writer)
    case .differs(let path, let operand):
      try DocumentComparisonSQL(path, .equal, operand).write(isNegated: !isNegated, &writer)
    case .invalid(let error): throw error
    }
  }

  /// The number of operands joined in a row. SQLite parses `a AND b AND c` as a left-leaning tree, and limits its depth
  /// to a thousand.
  private static let rowLength = 30

  private static func join(_ nodes: [Node], _ joint: String, isNegated: Bool, _ writer: inout SQLWriter) throws {
    guard !nodes.isEmpty else { return writer.write(joint == " AND " ? "1" : "0") }
    // The deepest operand comes first, so that the parser only holds its parentheses open.
    let nodes =
      nodes.count > 1 && nodes.contains(where: \.isNested) ? nodes.sorted { $0.isNested && !$1.isNested } : nodes
    try join(nodes[...], joint, isNegated: isNegated, &writer)
  }

  private static func join(
    _ nodes: ArraySlice<Node>, _ joint: String, isNegated: Bool, _ writer: inout SQLWriter
  ) throws {
    guard nodes.count > 1 else {
      for node in nodes { try write(node, isNegated: isNegated, &writer) }
      return
    }
    let length = max(1, (nodes.count + rowLength - 1) / rowLength)
    writer.write("(")
    for start in stride(from: nodes.startIndex, to: nodes.endIndex, by: length) {
      if start > nodes.startIndex { writer.write(joint) }
      try join(nodes[start..<min(start + length, nodes.endIndex)], joint, isNegated: isNegated, &writer)
    }
    writer.write(")")
  }

  /// The nodes, with several values for one property combined in a list: one index search, and less SQL.
  private static func joiningEqualities(_ nodes: [Node]) -> [Node] {
    var values: [DocumentPath: [DocumentOperand]] = [:]
    for case .comparison(let path, .equal, let operand) in nodes { values[path, default: []].append(operand) }
    guard values.contains(where: { $0.value.count > 1 }) else { return nodes }
    return nodes.compactMap { node in
      guard case .comparison(let path, .equal, _) = node else { return node }
      return values.removeValue(forKey: path).map { .comparison(path, .inList, .list($0)) }
    }
  }
}

extension Condition.Node {
  fileprivate var isNested: Bool {
    switch self {
    case .and(let nodes), .or(let nodes): nodes.count > 1
    case .not(let node): node.isNested
    default: false
    }
  }
}
