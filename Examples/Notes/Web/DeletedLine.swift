import Foundation

/// A line of the list of deleted notes.
struct DeletedLine: Encodable {
  let id: UUID
  let title: String
  let deletedAt: Date
  /// When it can no longer be brought back.
  let expiresAt: Date

  init(_ deleted: DeletedNote) {
    id = deleted.id
    title = deleted.note.title
    deletedAt = deleted.deletedAt
    expiresAt = deleted.deletedAt + NotesService.retention
  }
}
