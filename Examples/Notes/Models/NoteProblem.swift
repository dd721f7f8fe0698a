/// Why something was not done to a note.
enum NoteProblem: Error, Equatable {
  /// The content breaks a rule; the message is for the person who wrote it.
  case invalid(Field, String)
  /// There is no such note.
  case gone
  /// Someone else changed the note after this change was begun; here it is.
  case changedElsewhere(Note)

  /// Where on the page the problem is shown.
  enum Field: String, Codable {
    case title, body, font, picture
  }
}
