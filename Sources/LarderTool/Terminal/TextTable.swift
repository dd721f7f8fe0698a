/// Rows in aligned columns.
///
/// On a terminal, long values are cut so that a row takes one line; elsewhere nothing is cut.
struct TextTable {
  /// How a column is aligned.
  enum Alignment {
    case left, right
  }

  /// A cell: its text, or nil for no value.
  typealias Cell = String?

  private let headers: [String]
  private let alignments: [Alignment]
  private var rows: [[Cell]] = []

  /// The columns between two values.
  private static let gap = 2
  /// No column is cut below this width.
  private static let least = 8

  init(_ headers: [String], _ alignments: [Alignment]? = nil) {
    self.headers = headers.map { DisplayText.escaped($0) }
    self.alignments = alignments ?? headers.map { _ in .left }
  }

  /// Adds a row with a cell for each column.
  mutating func add(_ cells: [Cell]) {
    rows.append(cells.map { $0.map { DisplayText.escaped($0) } })
  }

  /// Returns the table.
  ///
  /// - Parameter limit: The number of columns of the terminal; nil where nothing is cut.
  func text(limit: Int? = Terminal.width) -> String {
    let widths = widths(limit)
    var text = Terminal.text(line(headers, widths), .bold) + "\n"
    for row in rows { text += line(row, widths) + "\n" }
    return text
  }

  private func line(_ cells: [Cell], _ widths: [Int]) -> String {
    var line = ""
    for (position, cell) in cells.enumerated() {
      let width = widths[position]
      let text = DisplayText.cut(cell ?? "nil", to: width)
      let padding = String(repeating: " ", count: max(0, width - DisplayText.width(of: text)))
      let shown = cell == nil ? Terminal.text(text, .faint) : text
      let isLast = position == cells.count - 1
      line += alignments[position] == .right ? padding + shown : isLast ? shown : shown + padding
      if !isLast { line += String(repeating: " ", count: Self.gap) }
    }
    return line
  }

  /// Makes the widest columns narrower, one after another, until a row fits.
  private func widths(_ limit: Int?) -> [Int] {
    var widths = headers.map { DisplayText.width(of: $0) }
    for row in rows {
      for (position, cell) in row.enumerated() {
        widths[position] = max(widths[position], DisplayText.width(of: cell ?? "nil"))
      }
    }
    guard let limit else { return widths }
    var excess = widths.reduce(0, +) + Self.gap * max(0, widths.count - 1) - limit
    while excess > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.least {
      // Down to the next widest at once: a value may be a million columns wide.
      let next = widths.indices.filter { $0 != widest }.map { widths[$0] }.max() ?? Self.least
      let step = min(excess, max(1, widths[widest] - max(next, Self.least)), widths[widest] - Self.least)
      widths[widest] -= step
      excess -= step
    }
    return widths
  }
}
