extension String {
  /// Whether the text contains the character NUL, at which other programs end a text.
  public var containsNUL: Bool { utf8.contains(0) }
}
