import Foundation
import Hummingbird

extension RequestContext {
  /// The note that the path names; anything that is no identifier names none.
  var noteID: Note.ID {
    get throws {
      guard let id = parameters.get("id", as: UUID.self) else { throw NoteProblem.gone }
      return id
    }
  }
}

extension Request {
  /// The version that the change is based on: `If-Match` with the note's `modifiedAt`, as its JSON gave it.
  ///
  /// Throws 428 without it: a change that does not say what it is based on could overwrite another one.
  var basedOn: Date {
    get throws {
      guard let tag = headers[.ifMatch], let seconds = Double(tag.trimmingCharacters(in: ["\""])) else {
        throw HTTPError(.preconditionRequired, message: "Send If-Match with the note's modifiedAt.")
      }
      return Date(timeIntervalSinceReferenceDate: seconds)
    }
  }
}
