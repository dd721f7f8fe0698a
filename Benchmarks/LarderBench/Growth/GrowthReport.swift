import Foundation

/// The figures of each size.
struct GrowthReport: CustomStringConvertible {
  let machine: Machine
  private(set) var sizes: [Int] = []
  private(set) var figures: [GrowthFigure: [Double]] = [:]

  init(machine: Machine) { self.machine = machine }

  mutating func add(_ values: [GrowthFigure: Double], size: Int) {
    sizes.append(size)
    for figure in GrowthFigure.allCases { figures[figure, default: []].append(values[figure] ?? .nan) }
  }

  var description: String {
    let width = 10
    var lines = ["rows".left(54) + sizes.map { "\($0)".right(width) }.joined() + "growth".right(width)]
    for figure in GrowthFigure.allCases {
      let values = figures[figure] ?? []
      let growth = (values.last ?? .nan) / (values.first ?? .nan)
      lines.append(
        "\(figure.work), \(figure.unit.rawValue)".left(54)
          + values.map { Self.number($0).right(width) }.joined() + String(format: "%.1f", growth).right(width))
    }
    return lines.joined(separator: "\n")
  }

  /// Three digits, as far as they say something.
  private static func number(_ value: Double) -> String {
    String(format: value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
  }

  /// Writes the figures; a folder that is missing is made.
  func write(to file: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try encoder.encode(Content(report: self)).write(to: file, options: .atomic)
  }

  private struct Content: Encodable {
    let machine: Machine
    let sizes: [Int]
    /// By name and unit.
    let figures: [String: [Double]]

    init(report: GrowthReport) {
      machine = report.machine
      sizes = report.sizes
      figures = Dictionary(
        uniqueKeysWithValues: report.figures.map { ("\($0.key.rawValue), \($0.key.unit.rawValue)", $0.value) })
    }
  }
}
