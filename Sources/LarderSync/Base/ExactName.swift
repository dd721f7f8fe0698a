import Foundation

/// A name compared byte by byte, as SQLite does. Swift considers texts equal that differ so, such as é as one scalar and
/// as two.
struct ExactName: Sendable, Hashable {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  static func == (left: ExactName, right: ExactName) -> Bool {
    var (left, right) = (left.text, right.text)
    return left.withUTF8 { left in
      right.withUTF8 { right in
        guard left.count == right.count else { return false }
        guard let start = left.baseAddress, let other = right.baseAddress, start != other else { return true }
        return memcmp(start, other, left.count) == 0
      }
    }
  }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(0xFF as UInt8)
  }
}
