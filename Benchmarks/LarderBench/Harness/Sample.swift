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

  /// The ratios to measurements of the same number, of which each was taken right before or after the one here; none if
  /// there are others.
  ///
  /// What disturbs the machine mostly disturbs two neighbours alike, so their ratios lie closer together than the ratios
  /// of medians from run to run. Pairs of which one was preempted say how busy the machine is, and are left out of the
  /// time that passed. On a machine that leaves less than half of them, there is only a ratio of processor time.
  ///
  /// - Parameter isParallel: Whether the work has more threads than there are processors, which take them from each other.
  ///   No pair is left out then.
  func ratios(to neighbours: Sample, isParallel: Bool = false) -> Ratios {
    guard measurements.count == neighbours.measurements.count else { return Ratios() }
    let pairs = Array(zip(measurements, neighbours.measurements))
    let undisturbed = pairs.filter { isParallel || ($0.preemptions == 0 && $1.preemptions == 0) }
    return Ratios(
      elapsed: undisturbed.count >= pairs.count / 2 ? Ratio(of: undisturbed.map { $0.elapsed / $1.elapsed }) : nil,
      processor: Ratio(of: pairs.map { $0.processor / $1.processor }))
  }

  /// The value in the middle, or the mean of the two in the middle. Not a number without values.
  static func median(of values: [Double]) -> Double {
    guard !values.isEmpty else { return .nan }
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}
