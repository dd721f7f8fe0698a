/// All measurements of one contender in one case.
struct Sample {
  private(set) var measurements: [Measurement] = []

  mutating func append(_ measurement: Measurement) {
    measurements.append(measurement)
  }

  /// The median of a time in milliseconds.
  func median(of time: KeyPath<Measurement, Double>) -> Double {
    Self.median(of: measurements.map { $0[keyPath: time] })
  }

  /// The value in the middle, or the mean of the two in the middle. Not a number without values.
  static func median(of values: [Double]) -> Double {
    guard !values.isEmpty else { return .nan }
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}
