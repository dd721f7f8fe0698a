/// One series as inline SVG. Colours come from the page's style, so that light and dark are its business.
struct Plot {
  let series: Series

  private static let width = 320.0
  private static let height = 150.0
  private static let left = 46.0
  private static let bottom = 24.0
  private static let top = 10.0

  var svg: String {
    guard !series.points.isEmpty else { return "" }
    return series.style == .bars ? bars : line
  }

  // MARK: Lines

  private var line: String {
    let greatestX = max(series.points.map(\.x).max() ?? 1, 1)
    let greatestY = max(series.points.map(\.y).max() ?? 1, 1)
    let points = series.points.map { point in
      let x = Self.left + point.x / greatestX * (Self.width - Self.left - 8)
      let y = Self.height - Self.bottom - point.y / greatestY * (Self.height - Self.bottom - Self.top)
      return "\(Self.short(x)),\(Self.short(y))"
    }
    let base = Self.height - Self.bottom
    return """
      <svg viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" role="img" aria-label="\(Report.escaped(series.name))">
      <path class="axis" d="M\(Self.left) \(Self.top) V\(base) H\(Self.width - 8)"/>
      <polyline class="line" points="\(points.joined(separator: " "))"/>
      <text x="\(Self.left - 4)" y="\(Self.top + 8)" text-anchor="end">\(Report.short(greatestY))</text>
      <text x="\(Self.left - 4)" y="\(base)" text-anchor="end">0</text>
      <text x="\(Self.width - 8)" y="\(Self.height - 8)" text-anchor="end">\(Report.short(greatestX)) \(Report.escaped(series.xLabel))</text>
      </svg>
      """
  }

  // MARK: Bars

  /// Bars lie, one below the other, so that their names can be read on a narrow screen.
  private var bars: String {
    let greatest = max(series.points.map(\.y).max() ?? 1, 1)
    let row = 18.0
    let name = 130.0
    var parts: [String] = []
    for (number, point) in series.points.enumerated() {
      let y = Double(number) * row
      let label = series.labels.indices.contains(number) ? series.labels[number] : Report.short(point.x)
      let length = point.y / greatest * (Self.width - name - 52)
      parts.append(
        """
        <text x="\(name - 6)" y="\(y + 13)" text-anchor="end">\(Report.escaped(label))</text>
        <rect class="bar" x="\(name)" y="\(y + 3)" width="\(Self.short(max(length, 1)))" height="\(row - 6)" rx="2"/>
        <text x="\(Self.short(name + length + 4))" y="\(y + 13)">\(Report.short(point.y))</text>
        """)
    }
    return """
      <svg viewBox="0 0 \(Int(Self.width)) \(Int(Double(series.points.count) * row + 4))" role="img" aria-label="\(Report.escaped(series.name))">
      \(parts.joined(separator: "\n"))
      </svg>
      """
  }

  private static func short(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
}
