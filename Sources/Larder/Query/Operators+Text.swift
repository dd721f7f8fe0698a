/// A property of text, or of optional text: what `contains`, `hasPrefix` and the like work on.
public protocol QueryText: StoredValue {}

extension String: QueryText {}
extension Optional: QueryText where Wrapped: QueryText {}

extension QueryExpressible where Output: QueryText {
  /// Whether the text holds the other, character for character: `%` and `_` are ordinary, upper and lower case differ.
  public func contains(_ text: String) -> QueryExpression<Bool> {
    .init(.textContains(node, .value(.text(text))))
  }

  /// Whether the text holds that of another property or expression, character for character.
  public func contains(_ text: some QueryExpressible<String>) -> QueryExpression<Bool> {
    .init(.textContains(node, text.node))
  }

  /// Whether the text begins so, character for character. An index on the column serves it.
  public func hasPrefix(_ prefix: String) -> QueryExpression<Bool> {
    .init(.textHasPrefix(node, prefix))
  }

  /// Whether the text ends so, character for character.
  public func hasSuffix(_ suffix: String) -> QueryExpression<Bool> {
    .init(.textHasSuffix(node, .value(.text(suffix))))
  }

  /// SQL's LIKE: `%` stands for any characters, `_` for one, and the letters A to Z match in either case.
  public func like(_ pattern: String) -> QueryExpression<Bool> {
    .init(.pattern(.like, node, .value(.text(pattern))))
  }

  /// The opposite of ``like(_:)``; false where the text is nil.
  public func notLike(_ pattern: String) -> QueryExpression<Bool> {
    .init(.and(.not(.isNull(node)), .not(.pattern(.like, node, .value(.text(pattern))))))
  }

  /// Whether the text does not hold the other; false where the text is nil.
  public func notContains(_ text: String) -> QueryExpression<Bool> {
    .init(.and(.not(.isNull(node)), .not(.textContains(node, .value(.text(text))))))
  }

  /// A Unix file pattern: `*` stands for any characters, `?` for one, `[a-z]` for one of these; upper and lower case differ.
  public func glob(_ pattern: String) -> QueryExpression<Bool> {
    .init(.pattern(.glob, node, .value(.text(pattern))))
  }

  /// Whether the regular expression is found in the text. Every row is looked at.
  ///
  /// - Complexity: One match for each row that the other conditions leave.
  public func matches(_ regex: some RegexComponent) -> QueryExpression<Bool> {
    .init(.regex(RegexMatcher(regex), node))
  }

  /// The text for comparisons in which upper and lower case are the same, in every script: `$0.name.caseInsensitive == "ÉMILE"`.
  public var caseInsensitive: CaseInsensitiveText {
    CaseInsensitiveText(base: node)
  }

  /// The text for comparisons and sorts in the current locale's order: "file 9" comes before "file 10".
  public var localized: LocalizedText {
    LocalizedText(base: node)
  }

  /// The number of Unicode scalars before the first NUL.
  public var length: QueryExpression<Int> {
    QueryExpression(node: .function("length", [node]), coding: .stored)
  }

  /// The text in lower case, in every script.
  public var lowercased: QueryExpression<String> {
    QueryExpression(node: .function("larder_lower", [node]), coding: .stored)
  }

  /// The text in upper case, in every script.
  public var uppercased: QueryExpression<String> {
    QueryExpression(node: .function("larder_upper", [node]), coding: .stored)
  }
}

/// The text with another behind it: `$0.first + " "`.
public func + (left: some QueryExpressible<String>, right: String) -> QueryExpression<String> {
  .init(node: .binary(.concatenate, left.node, .value(.text(right))), coding: .stored)
}

/// The text with another before it.
public func + (left: String, right: some QueryExpressible<String>) -> QueryExpression<String> {
  .init(node: .binary(.concatenate, .value(.text(left)), right.node), coding: .stored)
}

/// Two texts, one behind the other: `$0.first + $0.last`.
public func + (left: some QueryExpressible<String>, right: some QueryExpressible<String>) -> QueryExpression<String> {
  .init(node: .binary(.concatenate, left.node, right.node), coding: .stored)
}

/// The text with another behind it; nil where the text is nil.
public func + (left: some QueryExpressible<String?>, right: String) -> QueryExpression<String?> {
  .init(node: .binary(.concatenate, left.node, .value(.text(right))), coding: .stored)
}

/// The text with another before it; nil where the text is nil.
public func + (left: String, right: some QueryExpressible<String?>) -> QueryExpression<String?> {
  .init(node: .binary(.concatenate, .value(.text(left)), right.node), coding: .stored)
}

/// Two texts, one behind the other; nil where the first is nil.
public func + (left: some QueryExpressible<String?>, right: some QueryExpressible<String>) -> QueryExpression<String?> {
  .init(node: .binary(.concatenate, left.node, right.node), coding: .stored)
}

/// Two texts, one behind the other; nil where the second is nil.
public func + (left: some QueryExpressible<String>, right: some QueryExpressible<String?>) -> QueryExpression<String?> {
  .init(node: .binary(.concatenate, left.node, right.node), coding: .stored)
}

/// Two texts, one behind the other; nil where one is nil.
public func + (left: some QueryExpressible<String?>, right: some QueryExpressible<String?>) -> QueryExpression<String?> {
  .init(node: .binary(.concatenate, left.node, right.node), coding: .stored)
}

extension SQLNode {
  /// SQLite's `instr` compares bytes: exact in case and in `%` and `_`, also past an embedded NUL. Every text holds the empty one.
  static func textContains(_ text: SQLNode, _ part: SQLNode) -> SQLNode {
    .comparison(.greater, .function("instr", [text, part]), .value(.integer(0)), .stored)
  }

  /// A range in the order of the bytes, which an index on the column serves.
  static func textHasPrefix(_ text: SQLNode, _ prefix: String) -> SQLNode {
    let low = SQLNode.comparison(.greaterOrEqual, text, .value(.text(prefix)), .stored)
    guard let end = prefix.endOfPrefixRange else { return low }
    return .and(low, .comparison(.less, text, .value(.text(end)), .stored))
  }

  static func textHasSuffix(_ text: SQLNode, _ suffix: SQLNode) -> SQLNode {
    .function("larder_has_suffix", [text, suffix])
  }
}

extension String {
  /// The first text, in the order of UTF-8 bytes, after all that begin with this one; nil if there is none.
  var endOfPrefixRange: String? {
    var scalars = Array(unicodeScalars)
    while let last = scalars.popLast() {
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      if let scalar = Unicode.Scalar(next) {
        scalars.append(scalar)
        var end = String.UnicodeScalarView()
        end.append(contentsOf: scalars)
        return String(end)
      }
    }
    return nil
  }
}
