import Foundation
import Larder

/// A note as the page sends it: a title and a folder if it is new, and all that it had if its deletion is taken back.
struct NoteContent: DeviceForm, Sendable {
  let title: String
  let folder: Folder.ID
  var id: Note.ID?
  var text: String?
  var label: Label.ID?
  var author: Author.ID?
  var tags: [Tag.ID]?

  var texts: [String] { [title, text].compactMap { $0 } }

  var note: Note {
    Note(
      id: id ?? .v7(), title: title, text: text ?? "", folder: ToOne(folder), label: label.map { ToOne($0) },
      author: author.map { ToOne($0) })
  }
}
