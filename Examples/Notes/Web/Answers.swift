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

  init(_ note: Note, search: String) {
    id = note.id
    title = note.title
    excerpt = Self.excerpt(of: note.body, around: search)
    pictures = note.images.count
    createdAt = note.createdAt
    modifiedAt = note.modifiedAt
  }

  /// The beginning of the text as one line, or the part where the first word of the search stands.
  private static func excerpt(of text: String, around search: String) -> String {
    var start = text.startIndex
    if let word = search.split(whereSeparator: { !$0.isLetter && !$0.isNumber }).first,
      let found = text.range(of: word, options: [.caseInsensitive, .diacriticInsensitive])
    {
      start = text.index(found.lowerBound, offsetBy: -30, limitedBy: text.startIndex) ?? text.startIndex
    }
    let line = text[start...].prefix(400).split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(160)
    return start == text.startIndex ? String(line) : "…\(line)"
  }
}

/// The list, the days that it is divided into, and whether there are notes that it does not show.
struct NoteLines: Encodable {
  let notes: [NoteLine]
  let days: [Day]
  let more: Bool

  /// The day of the last change of so many notes of the list, one day after another.
  struct Day: Encodable {
    let date: String
    let count: Int
  }

  /// What a search found, best match first.
  init(_ notes: [Note], search: String) {
    self.notes = notes.map { NoteLine($0, search: search) }
    days = []
    more = notes.count == NotesService.listLimit
  }

  /// All notes by days.
  init(_ sections: [ResultsSection<Date, Note>], _ calendar: Calendar) {
    notes = sections.flatMap { section in section.map { NoteLine($0, search: "") } }
    let style = Date.ISO8601FormatStyle(timeZone: calendar.timeZone).year().month().day()
    days = sections.map { Day(date: $0.key.formatted(style), count: $0.count) }
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
