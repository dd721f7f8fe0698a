/// Why something was not done on a device; the message is for the person who wanted it.
enum DeviceProblem: Error {
  /// The row is not there, or no longer as the page shows it.
  case gone
  /// The page asked for a device or a kind of rows that there is not.
  case unknown
  /// A text has the character NUL, at which other programs end it.
  case containsNUL
}
