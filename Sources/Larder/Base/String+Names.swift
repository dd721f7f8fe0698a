extension String {
  /// SQLite compares names without regard to the case of the letters A to Z.
  func isSameColumn(as other: String) -> Bool {
    self == other || asciiLowercased == other.asciiLowercased
  }

  var asciiLowercased: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { ("A"..."Z").contains($0) ? Unicode.Scalar(UInt8($0.value + 32)) : $0 }))
  }
}
