import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What stands behind standard output and standard error.
enum Terminal {
  /// Whether a person reads standard output on a terminal.
  static let showsOutput = isatty(STDOUT_FILENO) == 1
  /// Whether a person reads standard error on a terminal.
  static let showsErrors = isatty(STDERR_FILENO) == 1

  /// Whether standard output takes colours: a terminal, unless `NO_COLOR` is set (<https://no-color.org>).
  static let hasColours = showsOutput && ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty

  /// The number of columns of the terminal; nil if output goes elsewhere, where nothing is cut.
  static var width: Int? { showsOutput ? width(of: STDOUT_FILENO) : nil }

  /// The number of columns of the terminal behind standard error; nil if errors go elsewhere.
  static var errorWidth: Int? { showsErrors ? width(of: STDERR_FILENO) : nil }

  private static func width(of descriptor: Int32) -> Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// A colour of the terminal's own palette.
  enum Colour: Int {
    case red = 31
    case green = 32
    case yellow = 33
    case bold = 1
    case faint = 2
  }

  /// Returns the text in a colour, or as it is where colours are off.
  static func text(_ text: String, _ colour: Colour) -> String {
    hasColours ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
  }
}
