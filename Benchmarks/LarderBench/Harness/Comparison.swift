import ArgumentParser
import Foundation

/// Larder and raw C in turn on the same work, and a line of the report for each.
struct Comparison {
  /// How many rounds are measured after the warm-up; the median counts.
  let rounds: Int

  /// Prints the head of the report.
  func begin() {
    print("milliseconds                                    Larder   raw C   ratio    goal")
  }

  /// Measures both in turn and prints the medians. What they return must be the same.
  func compare<Result: Equatable>(
    _ title: String, goal: Double?, before: () throws -> Void = {}, _ larder: () throws -> Result,
    with rawC: () throws -> Result
  ) throws {
    try before()
    guard try larder() == rawC() else { throw ValidationError("\(title): Larder disagrees with raw C.") }
    try measure(title, goal, before, larder, rawC)
  }

  func compare(
    _ title: String, goal: Double?, before: () throws -> Void = {}, _ larder: () throws -> Void,
    with rawC: () throws -> Void
  ) throws {
    try measure(title, goal, before, larder, rawC)
  }

  private func measure<Result>(
    _ title: String, _ goal: Double?, _ before: () throws -> Void, _ larder: () throws -> Result,
    _ rawC: () throws -> Result
  ) throws {
    var times: (larder: [Double], rawC: [Double]) = ([], [])
    for round in 0...rounds {
      try before()
      let isFirst = round.isMultiple(of: 2)
      let one = try seconds(isFirst ? larder : rawC)
      let other = try seconds(isFirst ? rawC : larder)
      // The first round warms up.
      guard round > 0 else { continue }
      times.larder.append(isFirst ? one : other)
      times.rawC.append(isFirst ? other : one)
    }
    let (own, reference) = (times.larder.median, times.rawC.median)
    let figures = [own * 1e3, reference * 1e3].map { String(format: "%.1f", $0).right(8) }.joined()
    print(
      title.left(46) + figures + String(format: "%.2f", own / reference).right(8)
        + (goal.map { String(format: "%.2f", $0) } ?? "–").right(8))
  }

  private func seconds<Result>(_ body: () throws -> Result) rethrows -> Double {
    let start = ContinuousClock.now
    blackHole(try body())
    return start.duration(to: .now) / .seconds(1)
  }
}
