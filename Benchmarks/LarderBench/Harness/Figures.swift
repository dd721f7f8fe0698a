import Foundation

extension [Double] {
  /// The middle of the sorted values; 0 of none.
  var median: Double { percentile(50) }

  /// The value that so many of a hundred do not exceed; 0 of none.
  func percentile(_ percent: Int) -> Double {
    isEmpty ? 0 : sorted()[Swift.min(count - 1, count * percent / 100)]
  }
}

extension String {
  /// The text at the right end of a column.
  func right(_ width: Int) -> String { String(repeating: " ", count: Swift.max(0, width - count)) + self }

  /// The text at the left end of a column.
  func left(_ width: Int) -> String { padding(toLength: width, withPad: " ", startingAt: 0) }
}
