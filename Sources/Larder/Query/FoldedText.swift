import Foundation

/// Text that is compared case-insensitively. See `caseInsensitive`.
public struct CaseInsensitiveText: QueryExpressible {
  let base: SQLNode

  /// The case-folded text, which determines the sort order.
  public var expression: QueryExpression<String> {
    QueryExpression(node: folded, coding: .stored)
  }

  private var folded: SQLNode { .function(.caseFolded, [base]) }

  private func fold(_ text: String) -> SQLNode { .value(.text(text.caseFolded)) }

  /// Returns whether the text contains the other one, ignoring case.
  ///
  /// - Parameter text: The text to find.
  /// - Returns: The condition.
  public func contains(_ text: String) -> QueryExpression<Bool> {
    .init(.textContains(folded, fold(text)))
  }

  /// Returns whether the text begins with the prefix, ignoring case.
  ///
  /// - Parameter prefix: The prefix.
  /// - Returns: The condition.
  public func hasPrefix(_ prefix: String) -> QueryExpression<Bool> {
    .init(.textHasPrefix(folded, prefix.caseFolded))
  }

  /// Returns whether the text ends with the suffix, ignoring case.
  ///
  /// - Parameter suffix: The suffix.
  /// - Returns: The condition.
  public func hasSuffix(_ suffix: String) -> QueryExpression<Bool> {
    .init(.textHasSuffix(folded, fold(suffix)))
  }

  /// Returns whether the text is in the list, ignoring case.
  ///
  /// - Parameter values: The list.
  /// - Returns: The condition.
  public func isIn(_ values: some Sequence<String>) -> QueryExpression<Bool> {
    .init(.isIn(folded, values.map(fold), .stored))
  }

  /// Returns whether the texts are equal, ignoring case; nil only equals nil.
  public static func == (left: CaseInsensitiveText, right: String?) -> QueryExpression<Bool> {
    .init(.compare(.equal, left.folded, right.map(left.fold) ?? .value(.null)))
  }

  /// Returns whether the texts differ in more than case; nil only equals nil.
  public static func != (left: CaseInsensitiveText, right: String?) -> QueryExpression<Bool> {
    .init(.compare(.notEqual, left.folded, right.map(left.fold) ?? .value(.null)))
  }

  /// Returns whether the text is less than the other one, ignoring case; false for nil.
  public static func < (left: CaseInsensitiveText, right: String) -> QueryExpression<Bool> {
    .init(.compare(.less, left.folded, left.fold(right)))
  }

  /// Returns whether the text is less than or equal to the other one, ignoring case; false for nil.
  public static func <= (left: CaseInsensitiveText, right: String) -> QueryExpression<Bool> {
    .init(.compare(.lessOrEqual, left.folded, left.fold(right)))
  }

  /// Returns whether the text is greater than the other one, ignoring case; false for nil.
  public static func > (left: CaseInsensitiveText, right: String) -> QueryExpression<Bool> {
    .init(.compare(.greater, left.folded, left.fold(right)))
  }

  /// Returns whether the text is greater than or equal to the other one, ignoring case; false for nil.
  public static func >= (left: CaseInsensitiveText, right: String) -> QueryExpression<Bool> {
    .init(.compare(.greaterOrEqual, left.folded, left.fold(right)))
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

  /// Returns whether the locale orders the texts as equal; nil only equals nil.
  public static func == (left: LocalizedText, right: String?) -> QueryExpression<Bool> {
    .init(.compare(.equal, left.collated, .value(right.map { .text($0) } ?? .null)))
  }

  /// Returns whether the locale orders the texts as different; nil only equals nil.
  public static func != (left: LocalizedText, right: String?) -> QueryExpression<Bool> {
    .init(.compare(.notEqual, left.collated, .value(right.map { .text($0) } ?? .null)))
  }

  /// Returns whether the text is less than the other one in the order of the locale; false for nil.
  public static func < (left: LocalizedText, right: String) -> QueryExpression<Bool> {
    .init(.compare(.less, left.collated, .value(.text(right))))
  }

  /// Returns whether the text is less than or equal to the other one in the order of the locale; false for nil.
  public static func <= (left: LocalizedText, right: String) -> QueryExpression<Bool> {
    .init(.compare(.lessOrEqual, left.collated, .value(.text(right))))
  }

  /// Returns whether the text is greater than the other one in the order of the locale; false for nil.
  public static func > (left: LocalizedText, right: String) -> QueryExpression<Bool> {
    .init(.compare(.greater, left.collated, .value(.text(right))))
  }

  /// Returns whether the text is greater than or equal to the other one in the order of the locale; false for nil.
  public static func >= (left: LocalizedText, right: String) -> QueryExpression<Bool> {
    .init(.compare(.greaterOrEqual, left.collated, .value(.text(right))))
  }
}

extension String {
  /// The case-folded text: uppercased first, so that "ß" equals "SS", and "ς" equals "Σ".
  var caseFolded: String {
    uppercased().lowercased()
  }
}
