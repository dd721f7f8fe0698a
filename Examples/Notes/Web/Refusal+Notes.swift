import ExampleWeb
import Hummingbird

extension Refusal {
  /// Creates the refusal for an error of the requests of Notes, or returns `nil` if the error isn't for the page.
  init?(notes error: any Error) {
    guard let problem = error as? NoteProblem else {
      self.init(error) { NoteRefusal(error: .init(message: $0)) }
      return
    }
    switch problem {
    case .invalid(let field, let message):
      self.init(
        problem == .pictureIsTooLarge ? .contentTooLarge : .unprocessableContent,
        NoteRefusal(error: .init(field: field, message: message)))
    case .gone:
      self.init(.notFound, NoteRefusal(error: .init(message: "This note is not there any more.")))
    case .changedElsewhere(let note):
      self.init(
        .preconditionFailed,
        NoteRefusal(error: .init(message: "Another window has changed this note."), note: note))
    }
  }
}
