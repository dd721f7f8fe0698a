/// Sums that their property may not be able to hold.
///
/// A change that makes such a sum is refused. Where nothing may be refused, the column has the nearest value that its
/// property can hold, and says no more of the sum than that. The next change adds up the rows then.
extension DerivedColumn {
  /// The values that take the place of a sum, as SQL.
  struct Replacements {
    /// Of a sum that is too large.
    let above: String
    /// Of a sum that is too small.
    let below: String
    /// Of infinities of both signs.
    let notANumber: String
  }

  /// The least and the greatest sum of integers that the property can hold.
  var bounds: ClosedRange<Int64> { range ?? .min ... .max }

  /// Returns the sum of the rows, or the nearest value that the property can hold; nil if the column is no sum.
  func nearestSum(in scope: Scope) -> String? {
    guard aggregate == .sum, let value else { return nil }
    let name = "larder_rows.\(Quoting.name(value))"
    switch arithmetic {
    // In a context, each mention of a derived value computes it.
    case .integer where isOfDerived == true:
      let sum = "CAST(coalesce(\(computed("larder_decimal_sum(\(name))", in: scope)), 0) AS INTEGER)"
      return "min(max(\(sum), \(bounds.lowerBound)), \(bounds.upperBound))"
    case .decimal: return computed("coalesce(larder_decimal_sum_within(\(name), 0), '0')", in: scope)
    default: return sum(in: scope, replacedBy: nearest)
    }
  }

  /// The nearest values that the property can hold.
  var nearest: Replacements {
    let greatest = Double(Float.greatestFiniteMagnitude)
    return arithmetic == .integer
      ? Replacements(above: "\(bounds.upperBound)", below: "\(bounds.lowerBound)", notANumber: "0")
      : Replacements(above: "\(greatest)", below: "\(-greatest)", notANumber: "0.0")
  }

  /// Returns the sum of the rows, exactly for integers, or one of the replacements; nil if the column is no sum of integers
  /// or real numbers.
  func sum(in scope: Scope, replacedBy replacements: Replacements) -> String? {
    guard aggregate == .sum, let value else { return nil }
    let name = "larder_rows.\(Quoting.name(value))"
    switch arithmetic {
    case .integer:
      // SQLite's own sum of integers throws on overflow, so the halves of the numbers are added up.
      let low = "sum(\(name) & 4294967295)"
      let halves = computed(
        """
        coalesce(sum(\(name) >> 32) + (\(low) >> 32), 0) AS larder_high, \
        coalesce(\(low) & 4294967295, 0) AS larder_low
        """, in: scope)
      let sum = "(min(max(larder_high, -2147483648), 2147483647) << 32 | larder_low)"
      return """
        (SELECT CASE WHEN larder_high > 2147483647 OR \(sum) > \(bounds.upperBound) THEN \(replacements.above) \
        WHEN larder_high < -2147483648 OR \(sum) < \(bounds.lowerBound) THEN \(replacements.below) \
        ELSE \(sum) END FROM \(halves))
        """
    case .real where isSingle == true:
      let (sum, greatest) = ("larder_sum", Double(Float.greatestFiniteMagnitude))
      return """
        (SELECT CASE WHEN \(sum) IS NULL THEN \(replacements.notANumber) \
        WHEN \(sum) > \(greatest) AND \(sum) < 9e999 THEN \(replacements.above) \
        WHEN \(sum) < \(-greatest) AND \(sum) > -9e999 THEN \(replacements.below) \
        ELSE \(sum) END FROM \(computed("\(aggregated()) AS \(sum)", in: scope)))
        """
    case .real: return "coalesce(\(computed(aggregated(), in: scope)), \(replacements.notANumber))"
    case .decimal, .none: return nil
    }
  }
}
