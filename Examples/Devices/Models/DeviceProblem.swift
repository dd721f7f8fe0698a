/// Why something was not done on a device; the message is for the person who wanted it.
enum DeviceProblem: Error {
  /// The row is not there.
  case gone
  /// What was chosen can't be done, because somebody has decided or changed something meanwhile.
  case decided
  /// Notes name the author who was to be deleted.
  case named
  /// The page asked for a device or a kind of rows that there is not.
  case unknown
  /// A text has the character NUL, at which other programs end it.
  case containsNUL
}
