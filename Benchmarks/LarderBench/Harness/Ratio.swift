/// A ratio that was measured many times.
struct Ratio: Codable {
  /// The median.
  let value: Double
  /// How far the median of another run may lie apart by chance.
  let noise: Double
  /// Whether it compares the time that was worked on the processors, rather than the time that passed.
  let isOfProcessorTime: Bool

  /// The median of the ratios; nil of none.
  ///
  /// The noise is the half notch of a box plot: medians whose notches don't overlap differ at about the 95 % level. See
  /// R. McGill, J. W. Tukey and W. A. Larsen, "Variations of Box Plots", The American Statistician 32 (1978).
  init?(of ratios: [Double], isOfProcessorTime: Bool) {
    guard !ratios.isEmpty else { return nil }
    self.isOfProcessorTime = isOfProcessorTime
    value = Sample.median(of: ratios)
    noise = 1.57 * (ratios.percentile(75) - ratios.percentile(25)) / Double(ratios.count).squareRoot()
  }

  /// Whether the two differ by more than their noise, and by more than a hundredth. False for ratios of different times.
  func differs(from other: Ratio) -> Bool {
    isOfProcessorTime == other.isOfProcessorTime && abs(value - other.value) > max(noise + other.noise, 0.01)
  }
}
