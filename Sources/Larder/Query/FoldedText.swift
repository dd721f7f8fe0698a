import Foundation

/// Text that is compared case-insensitively. See `caseInsensitive`.
public struct CaseInsensitiveText: QueryExpressible {
  let base: SQLNode

  /// The case-folded text, which determines the sort order. What it is compared with is folded too.
  public var expression: QueryExpression<String> {
    QueryExpression(node: base.caseFolded, coding: .caseFolded)
  }

  private func fold(_ text: String) -> SQLNode { .value(.text(text.caseFolded)) }

  /// Returns whether the text contains the other one, ignoring case.
  ///
  /// - Parameter text: The text to find.
  /// - Returns: The condition.
  public func contains(_ text: String) -> QueryExpression<Bool> {
    .init(.textContains(node, fold(text)))
  }

  /// Returns whether the text contains that of another expression, ignoring case.
  ///
  /// - Parameter text: The expression of the text to find.
  /// - Returns: The condition.
  public func contains(_ text: some QueryExpressible<String>) -> QueryExpression<Bool> {
    .init(.textContains(node, text.node.caseFolded))
  }

  /// Returns whether the text doesn't contain the other one, ignoring case; false for nil.
  ///
  /// - Parameter text: The text to find.
  /// - Returns: The condition.
  public func notContains(_ text: String) -> QueryExpression<Bool> {
    expression.notContains(text.caseFolded)
  }

  /// Returns whether the text begins with the prefix, ignoring case.
  ///
  /// - Parameter prefix: The prefix.
  /// - Returns: The condition.
  public func hasPrefix(_ prefix: String) -> QueryExpression<Bool> {
    .init(.textHasPrefix(node, prefix.caseFolded))
  }

  /// Returns whether the text ends with the suffix, ignoring case.
  ///
  /// - Parameter suffix: The suffix.
  /// - Returns: The condition.
  public func hasSuffix(_ suffix: String) -> QueryExpression<Bool> {
    .init(.textHasSuffix(node, fold(suffix)))
  }

  /// Returns whether the text matches SQL's LIKE, ignoring case in every script: `%` matches any characters, `_` one.
  ///
  /// - Parameter pattern: The pattern.
  /// - Returns: The condition.
  public func like(_ pattern: String) -> QueryExpression<Bool> {
    expression.like(pattern.caseFolded)
  }

  /// Returns whether the text doesn't match SQL's LIKE, ignoring case; false for nil.
  ///
  /// - Parameter pattern: The pattern of ``like(_:)``.
  /// - Returns: The condition.
  public func notLike(_ pattern: String) -> QueryExpression<Bool> {
    expression.notLike(pattern.caseFolded)
  }

  /// Returns whether the text matches a Unix file pattern, ignoring case: `*` matches any characters, `?` one, `[a-z]`
  /// one of these.
  ///
  /// - Parameter pattern: The pattern.
  /// - Returns: The condition.
  public func glob(_ pattern: String) -> QueryExpression<Bool> {
    expression.glob(pattern.caseFolded)
  }

  /// Returns whether the regular expression matches a part of the text, ignoring case.
  ///
  /// - Parameter regex: The regular expression.
  /// - Returns: The condition.
  public func matches(_ regex: some RegexComponent) -> QueryExpression<Bool> {
    .init(.regex(RegexMatcher(regex.regex.ignoresCase()), base))
  }
}

extension ColumnCoding where Output == String {
  /// Folds constants, because they are compared with folded text.
  fileprivate static var caseFolded: ColumnCoding {
    let stored = ColumnCoding.stored
    return ColumnCoding(type: stored.type, encode: { .text($0.caseFolded) }, decode: stored.decode)
  }
}

/// Text that is compared and sorted by the rules of the current locale. See `localized`.
///
/// Comparisons and sorts use Foundation's `localizedStandardCompare`, which orders "file 9" before "file 10";
/// `contains` uses `localizedStandardContains`, which ignores case and accents.
public struct LocalizedText: QueryExpressible {
  let base: SQLNode

  /// The text in the order of the locale.
  public var expression: QueryExpression<String> {
    QueryExpression(node: collated, coding: .stored)
  }

  private var collated: SQLNode { .collate(base, .localized) }

  /// Returns whether the text contains the other one, ignoring case and accents.
  ///
  /// - Parameter text: The text to find.
  /// - Returns: The condition.
  public func contains(_ text: String) -> QueryExpression<Bool> {
    .init(.function(.localizedContains, [base, .value(.text(text))]))
  }
}

extension String {
  /// The case-folded text: uppercased first, so that "ß" equals "SS", and "ς" equals "Σ".
  var caseFolded: String {
    uppercased().lowercased()
  }
}
