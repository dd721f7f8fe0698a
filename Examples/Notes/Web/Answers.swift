import Foundation
import Larder

/// A line of the list.
struct NoteLine: Encodable {
  let id: UUID
  let title: String
  let excerpt: String
  let pictures: Int
  let createdAt: Date
  let modifiedAt: Date

  init(_ note: Note) {
    id = note.id
    title = note.title
    excerpt = String(note.body.prefix(400).split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(160))
    pictures = note.images.count
    createdAt = note.createdAt
    modifiedAt = note.modifiedAt
  }
}

/// The list, and whether there are notes that it does not show.
struct NoteLines: Encodable {
  let notes: [NoteLine]
  let more: Bool

  init(_ notes: [Note]) {
    self.notes = notes.map(NoteLine.init)
    more = notes.count == NotesService.listLimit
  }
}

/// What the panel "What is stored" shows.
struct StoredNote: Encodable {
  let file: String
  let table: String
  let columns: [Column]
  let files: [File]

  struct Column: Encodable {
    let name: String
    let storage: String
    let value: String
  }

  struct File: Encodable {
    let name: String
    let bytes: Int
  }
}

extension StoredNote.Column {
  /// The value as SQL would write it, without the quotes around a text.
  init(name: String, value: Value) {
    self.name = name
    switch value {
    case .null:
      storage = "NULL"
      self.value = ""
    case .integer(let number):
      storage = "INTEGER"
      self.value = String(number)
    case .real(let number):
      storage = "REAL"
      self.value = String(number)
    case .text(let text):
      storage = "TEXT"
      self.value = text
    case .blob(let bytes):
      storage = "BLOB"
      self.value = "x'" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
    }
  }
}

/// Why a request was refused, for the page to show where it belongs.
struct Refusal: Encodable {
  struct Reason: Encodable {
    var field: NoteProblem.Field?
    var message: String
  }

  var error: Reason
  /// The note as it is now, if that is the reason.
  var note: Note?
}
