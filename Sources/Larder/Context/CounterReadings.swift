/// The values of a row's counters that a context has read or saved.
///
/// A row that is written whole was made from one of them, and nothing tells from which.
struct CounterReadings {
  /// The number of values of a counter that are kept: the first one and the latest ones.
  static let limit = 16

  /// The values of each counter without repetitions, the first one first.
  private(set) var numbers: [[Int64]]

  init(_ values: [Int64]) {
    numbers = values.map { [$0] }
  }

  /// Adds the values of all counters.
  mutating func add(_ values: [Int64]) {
    for (position, value) in values.enumerated() where !numbers[position].contains(value) {
      if numbers[position].count == Self.limit { numbers[position].remove(at: 1) }
      numbers[position].append(value)
    }
  }
}
