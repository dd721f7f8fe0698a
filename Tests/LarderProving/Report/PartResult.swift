public import Foundation

/// What one part of the proof tried and found, as it is kept in a file between a run and the report.
public struct PartResult: Codable, Sendable {
  /// The subcommand that runs the part, such as `kills`.
  public var part: String
  /// The part's title in the report.
  public var title: String
  /// What is done, in a sentence or two.
  public var summary: String
  public var seed: UInt64
  /// How many cases were tried; `unit` says of what.
  public var cases: Int
  /// What a case is, in the plural, such as `kills`.
  public var unit: String
  /// How many comparisons with the expected answer were made.
  public var checks: Int
  public var findings: [Finding]
  public var seconds: Double
  public var counters: [Counter]
  public var series: [Series]
  public var startedAt: Date

  public init(
    part: String, title: String, summary: String, seed: UInt64, cases: Int = 0, unit: String = "cases", checks: Int = 0,
    findings: [Finding] = [], seconds: Double = 0, counters: [Counter] = [], series: [Series] = [],
    startedAt: Date = .now
  ) {
    self.part = part
    self.title = title
    self.summary = summary
    self.seed = seed
    self.cases = cases
    self.unit = unit
    self.checks = checks
    self.findings = findings
    self.seconds = seconds
    self.counters = counters
    self.series = series
    self.startedAt = startedAt
  }

  /// Adds to the counter with the name, and creates it if there is none.
  public mutating func count(_ name: String, by number: Int = 1) {
    if let position = counters.firstIndex(where: { $0.name == name }) {
      counters[position].value += number
    } else {
      counters.append(Counter(name: name, value: number))
    }
  }
}

/// A number of the report, such as how many saves were acknowledged.
public struct Counter: Codable, Sendable, Hashable {
  public var name: String
  public var value: Int

  public init(name: String, value: Int) {
    self.name = name
    self.value = value
  }
}
