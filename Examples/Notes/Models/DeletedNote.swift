import Foundation
import Larder

/// A deleted note, kept whole until it expires: so long it can be brought back.
@Model(expires: true)
struct DeletedNote {
  var id: UUID
  var note: Note
  @Attribute(.indexed) var deletedAt: Date = .now

  init(_ note: Note, at deletedAt: Date = .now) {
    self.id = note.id
    self.note = note
    self.deletedAt = deletedAt
  }
}
