import Foundation

/// The figures as an SVG: a panel for each kind of work, with sizes from left to right by powers of ten.
///
/// Each panel begins at zero, so a line that stays level means work that doesn't grow. Lines of another color are of work
/// that grows more than the depth of a B-tree.
struct GrowthPlot {
  private let report: GrowthReport

  private let columns = 4
  private let panel = (width: 200.0, height: 130.0)
  private let plot = (left: 14.0, top: 40.0, width: 172.0, height: 62.0)

  init(_ report: GrowthReport) { self.report = report }

  /// Writes the plot; a folder that is missing is made.
  func write(to file: URL) throws {
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(svg.utf8).write(to: file, options: .atomic)
  }

  private var svg: String {
    let figures = GrowthFigure.allCases
    let rows = (figures.count + columns - 1) / columns
    let (width, height) = (panel.width * Double(columns), panel.height * Double(rows))
    let panels = figures.enumerated().map { position, figure in
      let x = Double(position % columns) * panel.width
      let y = Double(position / columns) * panel.height
      let kind = report.exceedsDepth(figure) ? " class=\"more\"" : ""
      return "<g\(kind) transform=\"translate(\(Self.text(x)) \(Self.text(y)))\">\n\(content(of: figure))</g>\n"
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.text(width)) \(Self.text(height))" role="img">
      <title>Time and memory by the number of rows; orange grows more than the depth of a B-tree</title>
      <style>
      text { font: 10px system-ui, sans-serif; fill: #333 }
      .title { font-weight: 600 }
      .axis { stroke: #999; stroke-width: 1 }
      .line { fill: none; stroke: #0a6cbc; stroke-width: 2; stroke-linejoin: round }
      .dot { fill: #0a6cbc }
      .more .line { stroke: #c2410c }
      .more .dot { fill: #c2410c }
      @media (prefers-color-scheme: dark) {
        text { fill: #ddd }
        .axis { stroke: #888 }
        .line { stroke: #5ab0f2 }
        .dot { fill: #5ab0f2 }
        .more .line { stroke: #fb923c }
        .more .dot { fill: #fb923c }
      }
      </style>
      \(panels.joined())</svg>

      """
  }

  private func content(of figure: GrowthFigure) -> String {
    let values = report.figures[figure] ?? []
    let greatest = values.filter(\.isFinite).max() ?? 1
    let points = zip(report.sizes, values).filter { $1.isFinite }.map { size, value in
      (x: x(size), y: plot.top + plot.height * (1 - value / max(greatest, .leastNormalMagnitude)), value: value)
    }
    let bottom = plot.top + plot.height
    var lines = [
      "<text class=\"title\" x=\"\(Self.text(plot.left))\" y=\"14\">\(Self.escaped(figure.title))\(report.exceedsDepth(figure) ? " *" : "")</text>",
      "<path class=\"axis\" d=\"M\(Self.text(plot.left)) \(Self.text(bottom))H\(Self.text(plot.left + plot.width))\"/>",
      "<path class=\"line\" d=\"M"
        + points.map { "\(Self.text($0.x)) \(Self.text($0.y))" }.joined(separator: "L") + "\"/>",
    ]
    for point in points {
      lines.append("<circle class=\"dot\" cx=\"\(Self.text(point.x))\" cy=\"\(Self.text(point.y))\" r=\"3\"/>")
      lines.append(label(Self.value(point.value), x: point.x, y: point.y - 6))
    }
    for size in report.sizes { lines.append(label(Self.power(size), x: x(size), y: bottom + 13)) }
    return lines.map { $0 + "\n" }.joined()
  }

  private func label(_ text: String, x: Double, y: Double) -> String {
    let anchor = x < plot.left + 12 ? "start" : x > plot.left + plot.width - 12 ? "end" : "middle"
    return "<text text-anchor=\"\(anchor)\" x=\"\(Self.text(x))\" y=\"\(Self.text(y))\">\(text)</text>"
  }

  private func x(_ size: Int) -> Double {
    let (first, last) = (log10(Double(report.sizes.first ?? 1)), log10(Double(report.sizes.last ?? 1)))
    guard last > first else { return plot.left }
    return plot.left + plot.width * (log10(Double(size)) - first) / (last - first)
  }

  private static func power(_ size: Int) -> String {
    let exponent = Int(log10(Double(size)).rounded())
    guard pow(10, Double(exponent)) == Double(size) else { return "\(size)" }
    return "10<tspan dy=\"-3\" font-size=\"7\">\(exponent)</tspan>"
  }

  private static func value(_ value: Double) -> String {
    String(format: value < 10 ? "%.1f" : "%.0f", value)
  }

  private static func text(_ number: Double) -> String {
    String(format: number == number.rounded() ? "%.0f" : "%.1f", number)
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
  }
}

extension GrowthFigure {
  /// A short title, with the unit.
  fileprivate var title: String {
    let name =
      switch self {
      case .insert: "insert"
      case .find: "look-up by key"
      case .newestPage: "newest 50 rows"
      case .deepPage: "50 rows from the middle"
      case .indexedPage: "50 rows by an index"
      case .save: "single save"
      case .saveChild: "save below a sum"
      case .saveObserved: "save, 1,000 observers"
      case .search: "full-text search"
      case .insertLetter: "insert with full text"
      case .insertDocument: "insert of a document"
      case .findDocument: "document by its key"
      case .deleteCascade: "delete with 100 rows"
      case .contextPage: "50 rows in a context"
      case .contextSave: "saving a context"
      case .count: "count, per million"
      case .backup: "backup, per million"
      case .open: "opening"
      case .memory: "peak memory"
      }
    return "\(name), \(unit.rawValue)"
  }
}
