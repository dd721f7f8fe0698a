extension Report {
  /// The report as one HTML page that needs nothing else.
  public var page: String {
    "<!doctype html><meta charset=utf-8><title>Larder: the proof</title><pre>\(Self.escaped(text))</pre>"
  }

  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
  }
}
