/// SQL text with nodes and statements between, as a program writes it by hand.
struct SQLFragment: Sendable, Hashable {
  enum Part: Sendable, Hashable {
    case text(String)
    /// The value of a parameter that stands in the text.
    case argument(Value)
    case node(SQLNode)
    /// A statement that returns one column.
    case rows(Subquery)
  }

  var parts: [Part] = []
  /// How the values of the fragment compare, if it is an expression.
  var order = ValueOrder.stored

  var nodes: [SQLNode] {
    parts.compactMap { if case .node(let node) = $0 { node } else { nil } }
  }

  /// Appends text, to the text before it if there is one.
  mutating func append(_ text: String) {
    guard case .text(let before) = parts.last else { return parts.append(.text(text)) }
    parts[parts.count - 1] = .text(before + text)
  }

  func replacing(_ replace: (SQLNode) throws -> SQLNode) rethrows -> SQLFragment {
    var fragment = self
    fragment.parts = try parts.map { part in
      if case .node(let node) = part { .node(try replace(node)) } else { part }
    }
    return fragment
  }
}
