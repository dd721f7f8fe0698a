import Foundation

/// A ratio that was measured many times.
struct Ratio: Codable, Equatable {
  /// The median.
  let value: Double
  /// How far the median of another run may lie apart by chance.
  let noise: Double

  init(value: Double, noise: Double) {
    self.value = value
    self.noise = noise
  }

  /// The median of the ratios; nil of none.
  ///
  /// The noise is the half notch of a box plot: medians whose notches don't overlap differ at about the 95 % level. See
  /// R. McGill, J. W. Tukey and W. A. Larsen, "Variations of Box Plots", The American Statistician 32 (1978).
  init?(of ratios: [Double]) {
    guard !ratios.isEmpty else { return nil }
    value = Sample.median(of: ratios)
    noise = 1.57 * (ratios.percentile(75) - ratios.percentile(25)) / Double(ratios.count).squareRoot()
  }

  /// Whether the two differ by more than their noise, and by more than a hundredth.
  func differs(from other: Ratio) -> Bool {
    abs(value - other.value) > max(noise + other.noise, 0.01)
  }

  /// The value and its noise, as they are printed.
  var text: String { String(format: "%.2f ± %.2f", value, noise) }
}
