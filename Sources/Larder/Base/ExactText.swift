import Foundation

/// A text compared byte by byte, as JSON and SQLite do. Swift considers texts equal that differ so, such as é as one
/// scalar and as two.
struct ExactText: Sendable, Hashable {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  static func == (left: ExactText, right: ExactText) -> Bool {
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

extension String {
  /// The name in the form in which SQLite compares the names of tables, which ignores the case of A to Z.
  var foldedTableName: String {
    utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } ? asciiLowercased : self
  }
}
