/// Why something was not done; the messages are for the person who asked for it.
enum LedgerProblem: Error, Equatable {
  /// What was written breaks rules.
  case invalid([Field: String])
  /// What was to be changed or deleted is not there any more.
  case gone(String)
  /// Someone else changed it after this change was begun.
  case changedElsewhere(String)
  /// It is not allowed, whatever is written.
  case refused(String)

  /// Where on the page a problem is shown.
  enum Field: String, Codable, CodingKeyRepresentable, Sendable {
    case name, currency, initialValue, account, category, date, amount, note, file
  }

  static func invalid(_ field: Field, _ message: String) -> LedgerProblem { .invalid([field: message]) }
}
