/// A text that equals only the text with the same bytes, where Swift's own `==` also equates canonically equal ones.
struct ExactText: Hashable {
  let text: String

  static func == (first: ExactText, second: ExactText) -> Bool { first.text.isExactly(second.text) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension String {
  /// Whether the bytes are the same.
  func isExactly(_ other: String) -> Bool {
    // Equal texts are mostly the same bytes, and `==` compares those quickly.
    self == other && utf8.elementsEqual(other.utf8)
  }
}
