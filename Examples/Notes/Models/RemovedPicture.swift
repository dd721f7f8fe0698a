import Foundation
import Larder

/// A picture that was taken off a note a while ago: as long as this row names its bytes, the removal can be undone.
@Model
struct RemovedPicture {
  var id: UUID = .v7()
  @Attribute(.indexed) var note: Note.ID
  var picture: Attachment
  @Attribute(.indexed) var removedAt: Date = .now
}
