import Foundation
import Larder

/// A folder. Its notes go with it.
@Model
struct Folder {
  var id: UUID = .v7()
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Note.folder) var notes: ToMany<Note> = []
}
