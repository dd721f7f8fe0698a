import Foundation
import Larder

/// A tag: a word that is there once.
@Model
struct Tag {
  var id: UUID = .v7()
  @Attribute(.unique) var name: String
  var notes: ToMany<Note> = []
}
