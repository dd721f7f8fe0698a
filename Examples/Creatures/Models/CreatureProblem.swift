/// Why something was not done to a creature; the messages are for the person who asked.
enum CreatureProblem: Error, Equatable {
  /// What was sent breaks a rule.
  case invalid([Field: String])
  /// There is no such creature, or no such part of it.
  case gone(String)
  /// Another window has changed the creature since.
  case changedElsewhere
  /// The creature's package is not as it was written.
  case damaged(String)

  /// Where on the page the problem is shown.
  enum Field: String, Codable, CodingKeyRepresentable {
    case title, rating, picture
  }
}
