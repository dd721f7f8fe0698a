import Foundation
import Larder

/// Who wrote a note. As long as a note names its author, the author can't be deleted.
@Model
struct Author {
  var id: UUID = .v7()
  var name: String
}
