import Foundation
import Larder

/// A note, with a relationship of each kind: what is deleted on one device while it is used on the other shows what each
/// delete rule does.
@Model
struct Note {
  var id: UUID = .v7()
  var title: String
  var text: String = ""
  var folder: ToOne<Folder>
  var label: ToOne<Label>?
  @Relationship(deleteRule: .deny) var author: ToOne<Author>?
  @Relationship(inverse: \Tag.notes) var tags: ToMany<Tag> = []
}
