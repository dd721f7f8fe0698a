import Foundation
import Larder

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
