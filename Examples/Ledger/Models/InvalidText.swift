/// A text that is not what it should be; the message is for the person who wrote it.
struct InvalidText: Error, Equatable {
  let message: String

  init(_ message: String) {
    self.message = message
  }
}

extension String {
  /// As much of the text as fits into a message.
  var excerpt: String {
    count > 40 ? prefix(40) + "…" : self
  }

  var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
