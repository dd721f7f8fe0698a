import Foundation

/// Text that is compared without regard to upper and lower case. Made by `caseInsensitive`.
public struct CaseInsensitiveText: QueryExpressible {
  let base: SQLNode

  /// The folded text, by which sorts put it in order.
  public var expression: QueryExpression<String> {
    QueryExpression(node: folded, coding: .stored)
  }

  private var folded: SQLNode { .function("larder_fold_case", [base]) }

  private func fold(_ text: String) -> SQLNode { .value(.text(text.caseFolded)) }

  /// Whether the text holds the other, in whatever case.
  public func contains(_ text: String) -> QueryExpression<Bool> {
    .init(.textContains(folded, fold(text)))
  }

  /// Whether the text begins so, in whatever case.
  public func hasPrefix(_ prefix: String) -> QueryExpression<Bool> {
    .init(.textHasPrefix(folded, prefix.caseFolded))
  }

  /// Whether the text ends so, in whatever case.
  public func hasSuffix(_ suffix: String) -> QueryExpression<Bool> {
    .init(.textHasSuffix(folded, fold(suffix)))
  }

  /// Whether the text is one of the list, in whatever case.
  public func isIn(_ values: some Sequence<String>) -> QueryExpression<Bool> {
    .init(.isIn(folded, values.map(fold), .stored))
  }

  /// Whether the texts are equal but for case; nil equals nil alone.
  public static func == (left: CaseInsensitiveText, right: String?) -> QueryExpression<Bool> {
    .init(.compare(.equal, left.folded, right.map(left.fold) ?? .value(.null)))
  }

  /// Whether the texts differ in more than case; nil differs from every text.
  public static func != (left: CaseInsensitiveText, right: String?) -> QueryExpression<Bool> {
    .init(.compare(.notEqual, left.folded, right.map(left.fold) ?? .value(.null)))
  }

  /// Whether the text comes before the other when case is left aside; false for nil.
  public static func < (left: CaseInsensitiveText, right: String) -> QueryExpression<Bool> {
    .init(.compare(.less, left.folded, left.fold(right)))
  }

  /// Whether the text comes before the other, or is equal, when case is left aside; false for nil.
  public static func <= (left: CaseInsensitiveText, right: String) -> QueryExpression<Bool> {
    .init(.compare(.lessOrEqual, left.folded, left.fold(right)))
  }

  /// Whether the text comes after the other when case is left aside; false for nil.
  public static func > (left: CaseInsensitiveText, right: String) -> QueryExpression<Bool> {
    .init(.compare(.greater, left.folded, left.fold(right)))
  }

  /// Whether the text comes after the other, or is equal, when case is left aside; false for nil.
  public static func >= (left: CaseInsensitiveText, right: String) -> QueryExpression<Bool> {
    .init(.compare(.greaterOrEqual, left.folded, left.fold(right)))
  }
}

/// Text that is compared and sorted as a reader in the current locale expects. Made by `localized`.
///
/// Comparisons and sorts use Foundation's `localizedStandardCompare`, which puts "file 9" before "file 10"; `contains` uses
/// `localizedStandardContains`, for which neither case nor accents count.
public struct LocalizedText: QueryExpressible {
  let base: SQLNode

  /// The text in the locale's order.
  public var expression: QueryExpression<String> {
    QueryExpression(node: collated, coding: .stored)
  }

  private var collated: SQLNode { .collate(base, .localized) }

  /// Whether the text holds the other; neither case nor accents count.
  public func contains(_ text: String) -> QueryExpression<Bool> {
    .init(.function("larder_localized_contains", [base, .value(.text(text))]))
  }

  /// Whether the locale puts the texts in the same place; nil equals nil alone.
  public static func == (left: LocalizedText, right: String?) -> QueryExpression<Bool> {
    .init(.compare(.equal, left.collated, .value(right.map { .text($0) } ?? .null)))
  }

  /// Whether the locale puts the texts in different places; nil differs from every text.
  public static func != (left: LocalizedText, right: String?) -> QueryExpression<Bool> {
    .init(.compare(.notEqual, left.collated, .value(right.map { .text($0) } ?? .null)))
  }

  /// Whether the text comes before the other in the locale's order; false for nil.
  public static func < (left: LocalizedText, right: String) -> QueryExpression<Bool> {
    .init(.compare(.less, left.collated, .value(.text(right))))
  }

  /// Whether the text comes before the other, or with it, in the locale's order; false for nil.
  public static func <= (left: LocalizedText, right: String) -> QueryExpression<Bool> {
    .init(.compare(.lessOrEqual, left.collated, .value(.text(right))))
  }

  /// Whether the text comes after the other in the locale's order; false for nil.
  public static func > (left: LocalizedText, right: String) -> QueryExpression<Bool> {
    .init(.compare(.greater, left.collated, .value(.text(right))))
  }

  /// Whether the text comes after the other, or with it, in the locale's order; false for nil.
  public static func >= (left: LocalizedText, right: String) -> QueryExpression<Bool> {
    .init(.compare(.greaterOrEqual, left.collated, .value(.text(right))))
  }
}

extension String {
  /// The text with the difference of upper and lower case removed: upper case first, so that "ß" and "SS", "ς" and "Σ" become equal.
  var caseFolded: String {
    uppercased().lowercased()
  }
}
