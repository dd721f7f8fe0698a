/// A text type, or an optional of one, for `contains`, `hasPrefix` and similar conditions.
public protocol QueryText: StoredValue {}

extension String: QueryText {}
extension Optional: QueryText where Wrapped: QueryText {}

extension QueryExpressible where Output: QueryText {
  /// Returns whether the text contains the other one. The comparison is case-sensitive, and `%` and `_` are ordinary
  /// characters.
  ///
  /// - Parameter text: The text to find.
  /// - Returns: The condition.
  public func contains(_ text: String) -> QueryExpression<Bool> {
    .init(.textContains(node, .value(.text(text))))
  }

  /// Returns whether the text contains that of another expression. The comparison is case-sensitive.
  ///
  /// - Parameter text: The expression of the text to find.
  /// - Returns: The condition.
  public func contains(_ text: some QueryExpressible<String>) -> QueryExpression<Bool> {
    .init(.textContains(node, text.node))
  }

  /// Returns whether the text begins with the prefix. The comparison is case-sensitive, and can use an index on the
  /// column.
  ///
  /// - Parameter prefix: The prefix.
  /// - Returns: The condition.
  public func hasPrefix(_ prefix: String) -> QueryExpression<Bool> {
    .init(.textHasPrefix(node, prefix))
  }

  /// Returns whether the text ends with the suffix. The comparison is case-sensitive.
  ///
  /// - Parameter suffix: The suffix.
  /// - Returns: The condition.
  public func hasSuffix(_ suffix: String) -> QueryExpression<Bool> {
    .init(.textHasSuffix(node, .value(.text(suffix))))
  }

  /// Returns whether the text matches SQL's LIKE: `%` matches any characters, `_` matches one, and A to Z ignore case.
  ///
  /// - Parameter pattern: The pattern.
  /// - Returns: The condition.
  public func like(_ pattern: String) -> QueryExpression<Bool> {
    .init(.pattern(.like, node, .value(.text(pattern))))
  }

  /// Returns whether the text doesn't match SQL's LIKE; false for nil.
  ///
  /// - Parameter pattern: The pattern of ``like(_:)``.
  /// - Returns: The condition.
  public func notLike(_ pattern: String) -> QueryExpression<Bool> {
    .init(.and(.not(.isNull(node)), .not(.pattern(.like, node, .value(.text(pattern))))))
  }

  /// Returns whether the text doesn't contain the other one; false for nil.
  ///
  /// - Parameter text: The text to find.
  /// - Returns: The condition.
  public func notContains(_ text: String) -> QueryExpression<Bool> {
    .init(.and(.not(.isNull(node)), .not(.textContains(node, .value(.text(text))))))
  }

  /// Returns whether the text matches a Unix file pattern: `*` matches any characters, `?` one, `[a-z]` one of these;
  /// case-sensitive.
  ///
  /// - Parameter pattern: The pattern.
  /// - Returns: The condition.
  public func glob(_ pattern: String) -> QueryExpression<Bool> {
    .init(.pattern(.glob, node, .value(.text(pattern))))
  }

  /// Returns whether the regular expression matches a part of the text.
  ///
  /// - Parameter regex: The regular expression.
  /// - Returns: The condition.
  /// - Complexity: One match for each row that the other conditions leave; no index is used.
  public func matches(_ regex: some RegexComponent) -> QueryExpression<Bool> {
    .init(.regex(RegexMatcher(regex), node))
  }

  /// The text for case-insensitive comparisons, in every script: `$0.name.caseInsensitive == "ÉMILE"`.
  public var caseInsensitive: CaseInsensitiveText {
    CaseInsensitiveText(base: node)
  }

  /// The text for comparisons and sorts in the order of the current locale: "file 9" comes before "file 10".
  public var localized: LocalizedText {
    LocalizedText(base: node)
  }

  /// The number of Unicode scalars before the first NUL.
  public var length: QueryExpression<Int> {
    QueryExpression(node: .function(.length, [node]), coding: .stored)
  }

  /// The text in lowercase, in every script.
  public var lowercased: QueryExpression<String> {
    QueryExpression(node: .function(.lowercased, [node]), coding: .stored)
  }

  /// The text in uppercase, in every script.
  public var uppercased: QueryExpression<String> {
    QueryExpression(node: .function(.uppercased, [node]), coding: .stored)
  }
}

/// Returns the concatenation of the text and the constant: `$0.first + " "`.
public func + (left: some QueryExpressible<String>, right: String) -> QueryExpression<String> {
  .init(node: .binary(.concatenate, left.node, .value(.text(right))), coding: .stored)
}

/// Returns the concatenation of the constant and the text.
public func + (left: String, right: some QueryExpressible<String>) -> QueryExpression<String> {
  .init(node: .binary(.concatenate, .value(.text(left)), right.node), coding: .stored)
}

/// Returns the concatenation of two texts: `$0.first + $0.last`.
public func + (left: some QueryExpressible<String>, right: some QueryExpressible<String>) -> QueryExpression<String> {
  .init(node: .binary(.concatenate, left.node, right.node), coding: .stored)
}

/// Returns the concatenation of the text and the constant; nil if the text is nil.
public func + (left: some QueryExpressible<String?>, right: String) -> QueryExpression<String?> {
  .init(node: .binary(.concatenate, left.node, .value(.text(right))), coding: .stored)
}

/// Returns the concatenation of the constant and the text; nil if the text is nil.
public func + (left: String, right: some QueryExpressible<String?>) -> QueryExpression<String?> {
  .init(node: .binary(.concatenate, .value(.text(left)), right.node), coding: .stored)
}

/// Returns the concatenation of two texts; nil if the first is nil.
public func + (left: some QueryExpressible<String?>, right: some QueryExpressible<String>) -> QueryExpression<String?> {
  .init(node: .binary(.concatenate, left.node, right.node), coding: .stored)
}

/// Returns the concatenation of two texts; nil if the second is nil.
public func + (left: some QueryExpressible<String>, right: some QueryExpressible<String?>) -> QueryExpression<String?> {
  .init(node: .binary(.concatenate, left.node, right.node), coding: .stored)
}

/// Returns the concatenation of two texts; nil if either is nil.
public func + (left: some QueryExpressible<String?>, right: some QueryExpressible<String?>) -> QueryExpression<String?>
{
  .init(node: .binary(.concatenate, left.node, right.node), coding: .stored)
}

extension SQLNode {
  /// Uses SQLite's `instr`, which compares bytes: case-sensitive, with `%` and `_` as ordinary characters, and beyond
  /// an embedded NUL. Every text contains the empty one.
  static func textContains(_ text: SQLNode, _ part: SQLNode) -> SQLNode {
    .comparison(.greater, .function(.instr, [text, part]), .value(.integer(0)), .stored)
  }

  /// Returns a range in byte order, for which an index on the column can be used.
  static func textHasPrefix(_ text: SQLNode, _ prefix: String) -> SQLNode {
    let low = SQLNode.comparison(.greaterOrEqual, text, .value(.text(prefix)), .stored)
    guard let end = prefix.endOfPrefixRange else { return low }
    return .and(low, .comparison(.less, text, .value(.text(end)), .stored))
  }

  static func textHasSuffix(_ text: SQLNode, _ suffix: SQLNode) -> SQLNode {
    .function(.hasSuffix, [text, suffix])
  }
}

extension String {
  /// The first text, in byte order, after all texts that begin with this one; nil if there is none.
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
