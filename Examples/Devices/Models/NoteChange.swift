import Foundation
import Larder

/// What a person changes of a note at once: what is nil stays as it is.
struct NoteChange: DeviceForm, Sendable {
  var title: String?
  var text: String?
  var folder: Folder.ID?
  var label: Choice<Label.ID>?
  var author: Choice<Author.ID>?
  var tag: TagChange?

  /// A row that is chosen, or none.
  struct Choice<ID: Decodable & Sendable>: Decodable, Sendable {
    let id: ID?
  }

  /// A tag that the note gets or loses.
  struct TagChange: Decodable, Sendable {
    let id: Tag.ID
    let isSet: Bool
  }

  var texts: [String] { [title, text].compactMap { $0 } }

  func apply(to note: inout Note) {
    if let title { note.title = title }
    if let text { note.text = text }
    if let folder { note.folder = ToOne(folder) }
    if let label { note.label = label.id.map { ToOne($0) } }
    if let author { note.author = author.id.map { ToOne($0) } }
  }
}
