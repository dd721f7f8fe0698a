import Foundation

extension ValueOrder {
  /// The name of the collation with which indexes have the order; nil if they compare bytes.
  package var collationName: String? { collation?.rawValue }

  /// Returns what stands for all texts that are equal in this order, as those of a decimal with and without zeros at its
  /// end are.
  package func canonical(_ text: String) -> Value {
    switch self {
    case .stored: return .text(text)
    case .decimal: if let number = Decimal(canonical: text) { return .text(number.canonicalText) }
    // The addition makes 0.0 of -0.0.
    case .instant: if let date = ISO8601.date(from: text) { return .real(date.timeIntervalSinceReferenceDate + 0) }
    }
    // Collations compare texts that are no numbers as Swift does.
    return .text(text.precomposedStringWithCanonicalMapping)
  }
}
