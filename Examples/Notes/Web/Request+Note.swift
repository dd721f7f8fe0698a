import ExampleWeb
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
  /// The version of the note that the change is based on. Throws 428 if the request doesn't say it.
  var basedOn: Date {
    get throws { try version(of: "the note's modifiedAt") }
  }
}
