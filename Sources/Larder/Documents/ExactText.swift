/// A text as JSON and SQLite compare it: byte by byte. Swift takes texts for equal that differ so, such as é as one character and as two.
struct ExactText: Sendable, Hashable {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  static func == (left: ExactText, right: ExactText) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(0xFF as UInt8)
  }
}

extension String {
  /// What the names of one table have in common: SQLite compares them whatever the case of the letters A to Z.
  var foldedTableName: String {
    utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } ? asciiLowercased : self
  }
}
