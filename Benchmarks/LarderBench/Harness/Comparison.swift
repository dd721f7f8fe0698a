import ArgumentParser
import Foundation

/// Larder and raw C in turn on the same work, and a line of the report for each.
struct Comparison {
  /// How many rounds are measured after the warm-up; the median counts.
  let rounds: Int

  /// Larder's ratios by the names of the cases, to be compared with those of other runs.
  private(set) var ratios: [String: Ratios] = [:]

  init(rounds: Int) { self.rounds = rounds }

  /// Prints the head of the report.
  func begin() {
    print("milliseconds                                    Larder   raw C            ratio    goal")
  }

  /// Measures both in turn and prints the medians. What they return must be the same.
  mutating func compare<Result: Equatable>(
    _ name: String, _ title: String, goal: Double?, before: () throws -> Void = {}, _ larder: () throws -> Result,
    with rawC: () throws -> Result
  ) throws {
    try before()
    guard try larder() == rawC() else { throw ValidationError("\(title): Larder disagrees with raw C.") }
    try measure(name, title, goal, before, larder, rawC)
  }

  mutating func compare(
    _ name: String, _ title: String, goal: Double?, before: () throws -> Void = {}, _ larder: () throws -> Void,
    with rawC: () throws -> Void
  ) throws {
    try measure(name, title, goal, before, larder, rawC)
  }

  private mutating func measure<Result>(
    _ name: String, _ title: String, _ goal: Double?, _ before: () throws -> Void, _ larder: () throws -> Result,
    _ rawC: () throws -> Result
  ) throws {
    var (own, reference) = (Sample(), Sample())
    for round in 0...rounds {
      try before()
      let isFirst = round.isMultiple(of: 2)
      let one = try measurement(of: isFirst ? larder : rawC)
      let other = try measurement(of: isFirst ? rawC : larder)
      // The first round warms up.
      guard round > 0 else { continue }
      own.append(isFirst ? one : other)
      reference.append(isFirst ? other : one)
    }
    let ratios = own.ratios(to: reference)
    self.ratios[name] = ratios
    let figures = [own, reference].map { String(format: "%.1f", $0.median(of: \.elapsed)).right(8) }.joined()
    print(
      title.left(46) + figures + (ratios.time?.text ?? "–").right(17)
        + (goal.map { String(format: "%.2f", $0) } ?? "–").right(8)
        + (ratios.isOfProcessorTime ? "  of processor time" : ""))
  }

  private func measurement<Result>(of body: () throws -> Result) rethrows -> Measurement {
    let start = Measurement.sinceSomeStart()
    let result = try body()
    let measurement = Measurement.sinceSomeStart() - start
    blackHole(result)
    return measurement
  }
}
