import Foundation
import Larder

/// A note that was deleted a while ago, kept whole until the deletion can no longer be undone.
@Model
struct DeletedNote {
  var id: UUID
  var note: Note
  @Attribute(.indexed) var deletedAt: Date = .now

  init(_ note: Note) {
    self.id = note.id
    self.note = note
  }
}
