import Foundation

/// How far a long work is, on standard error if that is a terminal.
struct ProgressBar {
  private let title: String
  private let isShown: Bool
  private var last = -1
  private static let width = 30

  init(_ title: String, isShown: Bool = Terminal.showsErrors) {
    self.title = title
    self.isShown = isShown
  }

  /// Shows the part that is done.
  ///
  /// - Parameters:
  ///   - completed: What is done.
  ///   - total: What there is to do; nil if that isn't known.
  ///   - note: What stands behind the bar, such as a number of rows.
  mutating func show(_ completed: Int, of total: Int?, _ note: @autoclosure () -> String = "") {
    guard isShown, let total, total > 0 else { return }
    let percent = min(100, completed * 100 / total)
    guard percent != last else { return }
    last = percent
    let full = percent * Self.width / 100
    let bar = String(repeating: "█", count: full) + String(repeating: "░", count: Self.width - full)
    let line = "\(title) \(bar) \(percent) % \(note())"
    // What wraps to a second line can't be written over.
    StandardError.write("\r\(Terminal.errorWidth.map { DisplayText.cut(line, to: $0 - 1) } ?? line)\u{1B}[K")
  }

  /// Removes the bar.
  mutating func finish() {
    if isShown, last >= 0 { StandardError.write("\r\u{1B}[K") }
    last = -1
  }
}
