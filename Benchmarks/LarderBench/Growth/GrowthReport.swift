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

  /// How much the depth of a B-tree grows from the first size to the last: as the logarithm of its rows.
  var depthGrowth: Double {
    guard let first = sizes.first, let last = sizes.last else { return 1 }
    return log(Double(last)) / log(Double(first))
  }

  /// How much a figure grows from the first size to the last.
  func growth(of figure: GrowthFigure) -> Double {
    let values = figures[figure] ?? []
    return (values.last ?? .nan) / (values.first ?? .nan)
  }

  /// Whether a figure grows more than the depth of a B-tree, by more than the tenth by which a measurement may err.
  func exceedsDepth(_ figure: GrowthFigure) -> Bool {
    figure.isOfAllRows || growth(of: figure) > 1.1 * depthGrowth
  }

  var description: String {
    let width = 10
    var lines = ["rows".left(54) + sizes.map { "\($0)".right(width) }.joined() + "growth".right(width)]
    for figure in GrowthFigure.allCases {
      lines.append(
        "\(figure.work), \(figure.unit.rawValue)".left(54)
          + (figures[figure] ?? []).map { Self.number($0).right(width) }.joined()
          + String(format: "%.1f", growth(of: figure)).right(width) + (exceedsDepth(figure) ? " *" : ""))
    }
    lines.append(
      String(format: "* grows more than the depth of a B-tree, which grows by a factor of %.2f", depthGrowth))
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
    /// The names of the figures that grow more than the depth of a B-tree.
    let exceedingDepth: [String]
    /// By name and unit.
    let figures: [String: [Double]]

    init(report: GrowthReport) {
      machine = report.machine
      sizes = report.sizes
      exceedingDepth = GrowthFigure.allCases.filter(report.exceedsDepth).map(\.rawValue)
      figures = Dictionary(
        uniqueKeysWithValues: report.figures.map { ("\($0.key.rawValue), \($0.key.unit.rawValue)", $0.value) })
    }
  }
}
