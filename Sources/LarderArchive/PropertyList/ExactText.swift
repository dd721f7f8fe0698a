/// A text that only equals a text with the same bytes, unlike Swift's own `==`, which also equates canonically equal
/// ones.
struct ExactText: Hashable {
  let text: String

  static func == (first: ExactText, second: ExactText) -> Bool { first.text.isExactly(second.text) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension String {
  /// Returns whether the bytes are the same.
  func isExactly(_ other: String) -> Bool {
    // Equal texts usually have the same bytes, which `==` compares quickly.
    self == other && utf8.elementsEqual(other.utf8)
  }
}
