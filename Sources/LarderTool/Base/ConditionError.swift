import Larder

/// Shows where a condition that a person typed is wrong.
enum ConditionError {
  /// Calls the closure, and throws the error of a condition with its text and a caret under the place.
  static func showing<Result>(_ text: String?, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as StoreError {
      guard let text, let position = error.position, position <= text.count else { throw error }
      throw Failure(message(error.message, text, position))
    }
  }

  /// Returns the message with the text and the caret below it.
  static func message(_ message: String, _ text: String, _ position: Int) -> String {
    // Columns are counted in what the terminal shows.
    let before = DisplayText.width(of: DisplayText.escaped(String(text.prefix(position))))
    return "\(message)\n  \(DisplayText.escaped(text))\n  \(String(repeating: " ", count: before))^"
  }
}
