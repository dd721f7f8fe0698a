/// What a replica has added to a counter of a row since the row's last insertion.
///
/// The counter shows the sum over all replicas. Only the replica itself changes its contribution, so the later one of
/// two counts.
///
/// Source: the PN-counter of Shapiro and others, "A comprehensive study of Convergent and Commutative Replicated Data
/// Types", 2011, with one signed number instead of two.
public struct Contribution: Sendable, Hashable, Codable {
  /// The property's name in the exchange.
  public let property: String
  /// When and by whom something was added last.
  public let stamp: Stamp
  /// The causal length of the row under which it was added.
  public let causalLength: Int64
  /// The amount.
  public let amount: CounterAmount

  /// Creates a contribution.
  ///
  /// - Parameters:
  ///   - property: The property's name in the exchange.
  ///   - stamp: When and by whom something was added last.
  ///   - causalLength: The causal length of the row under which it was added; odd.
  ///   - amount: The amount.
  public init(property: String, stamp: Stamp, causalLength: Int64, amount: CounterAmount) {
    self.property = property
    self.stamp = stamp
    self.causalLength = causalLength
    self.amount = amount
  }

  /// Whether both are of the same replica and counter.
  func isSame(as other: Contribution) -> Bool {
    property == other.property && stamp.replica == other.stamp.replica
  }

  /// Whether this one comes before the other in a row.
  func precedes(_ other: Contribution) -> Bool {
    (property, stamp.replica) < (other.property, other.stamp.replica)
  }

  /// Whether the other contribution of the same replica replaces this one.
  func isOlder(than other: Contribution) -> Bool {
    (causalLength, stamp.time, amount) < (other.causalLength, other.stamp.time, other.amount)
  }
}

/// A signed number of 80 bits. A sum that leaves the range of its property comes back into it unharmed.
public struct CounterAmount: Sendable, Hashable, Codable {
  /// The number divided by 2³², rounded down.
  public let high: Int64
  /// The remainder.
  public let low: UInt32

  /// The greatest number of high parts in either direction, which leaves room for the sum of all replicas.
  static let greatestHigh: Int64 = 1 << 47

  /// Creates `high` × 2³² + `low`.
  ///
  /// - Parameters:
  ///   - high: The number divided by 2³², rounded down.
  ///   - low: The remainder.
  public init(high: Int64, low: UInt32) {
    self.high = high
    self.low = low
  }

  /// Creates a number from parts of which the lower one may be negative, or have more than 32 bits.
  init(high: Int64, carrying low: Int64) {
    self.init(high: high &+ low >> 32, low: UInt32(truncatingIfNeeded: low))
  }

  /// Creates a number.
  init(_ number: Int64) {
    self.init(high: number >> 32, low: UInt32(truncatingIfNeeded: number))
  }

  static let zero = CounterAmount(0)

  static func + (left: CounterAmount, right: CounterAmount) -> CounterAmount {
    CounterAmount(high: left.high &+ right.high, carrying: Int64(left.low) + Int64(right.low))
  }

  static func - (left: CounterAmount, right: CounterAmount) -> CounterAmount {
    CounterAmount(high: left.high &- right.high, carrying: Int64(left.low) - Int64(right.low))
  }

  /// Returns the number, or the bound of the range that it has passed.
  func clamped(to range: ClosedRange<Int64>) -> Int64 {
    guard (-(1 << 31)..<(1 << 31)).contains(high) else { return high < 0 ? range.lowerBound : range.upperBound }
    return min(max(high << 32 | Int64(low), range.lowerBound), range.upperBound)
  }
}

extension CounterAmount: Comparable {
  public static func < (left: CounterAmount, right: CounterAmount) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}
