/// The durations of one contender in one case.
struct Sample {
  private(set) var milliseconds: [Double] = []

  mutating func append(_ duration: Duration) {
    milliseconds.append(duration / .milliseconds(1))
  }

  /// The middle one, or the mean of the two in the middle. Not a number without durations.
  var median: Double {
    Self.median(of: milliseconds)
  }

  static func median(of values: [Double]) -> Double {
    guard !values.isEmpty else { return .nan }
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}
