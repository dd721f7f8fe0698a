import Foundation
import Larder

/// A label, of which a note has at most one. When it is deleted, its notes have none.
@Model
struct Label {
  var id: UUID = .v7()
  var name: String
}
