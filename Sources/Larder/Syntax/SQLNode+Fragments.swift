extension SQLNode {
  /// Whether a value depends on other rows of the query, also by SQL by hand.
  var hasWindow: Bool {
    switch self {
    case .window: true
    case .fragment(let fragment): fragment.words.contains("over") || fragment.nodes.contains(where: \.hasWindow)
    default: children.contains(where: \.hasWindow)
    }
  }

  /// Whether a value is one of many rows, other than of those that belong to a row.
  var hasAggregate: Bool {
    switch self {
    case .aggregate, .function(.total, _): true
    case .relatedRows: false
    default: children.contains(where: \.hasAggregate)
    }
  }

  /// Whether SQL by hand may depend on the row without interpolating its columns: it names one in its text, has none at
  /// all, or holds a statement.
  func hasText(beyond columns: Set<String>) -> Bool {
    guard case .fragment(let fragment) = self else { return children.contains { $0.hasText(beyond: columns) } }
    return fragment.nodes.allSatisfy(\.sources.isEmpty) || fragment.hasRows || !fragment.words.isDisjoint(with: columns)
      || fragment.nodes.contains { $0.hasText(beyond: columns) }
  }
}

extension SQLFragment {
  /// The words of the text, in lowercase.
  var words: Set<String> {
    var words: Set<String> = []
    for case .text(let text) in parts {
      words.formUnion(text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
    }
    return words
  }

  fileprivate var hasRows: Bool { parts.contains { if case .rows = $0 { true } else { false } } }
}
