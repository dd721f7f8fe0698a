import Foundation
import Larder

/// What can be done with notes. This is where the app meets Larder: a store, a few queries, and a transaction for each change.
struct NotesService: Sendable {
  /// The list shows this many notes at most.
  static let listLimit = 500
  /// For this long a deletion can be undone.
  static let undoPeriod: TimeInterval = 60 * 60

  let pictures: PictureFolder
  private let store: Store

  /// Opens `notes.larder` and the folder `pictures` beside it, and creates both if need be.
  ///
  /// Throws `StoreError` if the file is not a store of notes, and what Foundation throws if the folder cannot be made.
  init(folder: URL) throws {
    pictures = try PictureFolder(at: folder.appending(path: "pictures", directoryHint: .isDirectory))
    store = try Store(at: folder.appending(path: Self.fileName, directoryHint: .notDirectory), for: Note.self, DeletedNote.self)
  }

  static let fileName = "notes.larder"

  // MARK: Reading

  /// The list as it is now and after each change: newest change first, or the best match first if something is searched for.
  func list(search: String) -> some AsyncSequence<[Note], any Error> & Sendable {
    store.live(Note.search(typed: search).sorted(by: \.modifiedAt, order: .reverse).ranked().limit(Self.listLimit))
  }

  /// The list as it is now and after each change, newest change first, in sections by the day of the last change as the calendar counts days.
  func days(in calendar: Calendar) -> some AsyncSequence<[ResultsSection<Date, Note>], any Error> & Sendable {
    store.live(Note.all.sorted(by: \.modifiedAt, order: .reverse).limit(Self.listLimit), sectionedBy: { calendar.startOfDay(for: $0.modifiedAt) })
  }

  /// Throws `NoteProblem.gone` if there is no such note.
  func note(_ id: Note.ID) async throws -> Note {
    guard let note = try await store.find(Note.self, id) else { throw NoteProblem.gone }
    return note
  }

  /// The note's row exactly as the file keeps it.
  func storedRow(of id: Note.ID) async throws -> Row {
    guard let row = try await store.rows(Note.where { $0.id == id }).first else { throw NoteProblem.gone }
    return row
  }

  // MARK: Writing

  /// Throws `NoteProblem.invalid` if the content breaks a rule of `Note.validate()`.
  func create(_ content: NoteContent) async throws -> Note {
    let note = Note(content)
    try await store.write { db in
      try requirePictures(of: note)
      try db.insert(note)
    }
    return note
  }

  /// Gives the note a new content, if it is still what the change is based on.
  ///
  /// Throws `NoteProblem.changedElsewhere` if it is not, `.gone` if it was deleted, `.invalid` if the content breaks a rule.
  func change(_ id: Note.ID, to content: NoteContent, basedOn version: Date) async throws -> Note {
    try await change(id, basedOn: version) { $0.content = content }
  }

  /// Imports a picture: the file first, whole and on the disk, then the row that names it.
  func addPicture(
    _ pieces: some AsyncSequence<Data, any Error>, named name: String, frame: PlacedImage.Frame, to id: Note.ID, basedOn version: Date
  ) async throws -> Note {
    let file = try await pictures.write(pieces)
    do {
      return try await change(id, basedOn: version) { $0.images.append(PlacedImage(name: name, file: file, frame: frame)) }
    } catch {
      try? pictures.remove(file)
      throw error
    }
  }

  private func change(_ id: Note.ID, basedOn version: Date, _ apply: @Sendable @escaping (inout Note) -> Void) async throws -> Note {
    try await store.write { db in
      guard let old = try db.find(Note.self, id) else { throw NoteProblem.gone }
      guard old.modifiedAt == version else { throw NoteProblem.changedElsewhere(old) }
      var note = old
      apply(&note)
      guard note != old else { return old }
      // The date is the note's version too, so it moves on even when the clock does not.
      note.modifiedAt = max(.now, old.modifiedAt.addingTimeInterval(0.001))
      try requirePictures(of: note)
      try db.update(note)
      try pictures.letGo(of: Set(old.images.map(\.file)).subtracting(note.images.map(\.file)))
      return note
    }
  }

  private func requirePictures(of note: Note) throws {
    guard note.images.map(\.file).allSatisfy(pictures.contains) else {
      throw NoteProblem.invalid(.picture, "A picture of this note is no longer there: remove it or add it again.")
    }
  }

  // MARK: Deleting

  /// Moves the note out of sight in one transaction. Throws `NoteProblem.gone` if there is none.
  func delete(_ id: Note.ID) async throws {
    try await store.write { db in
      guard let note = try db.find(Note.self, id) else { throw NoteProblem.gone }
      try db.delete(note)
      try db.save(DeletedNote(note))
    }
  }

  /// Brings a deleted note back as it was. Throws `NoteProblem.gone` if the undo period is over.
  func restore(_ id: Note.ID) async throws -> Note {
    try await store.write { db in
      if let note = try db.find(Note.self, id) { return note }
      guard let deleted = try db.find(DeletedNote.self, id) else { throw NoteProblem.gone }
      try db.delete(deleted)
      try db.insert(deleted.note)
      return deleted.note
    }
  }

  /// Forgets what can no longer be undone: old deletions, and the picture files that no note needs.
  func tidy(now: Date = .now) async throws {
    let cutoff = now.addingTimeInterval(-Self.undoPeriod)
    // Within one transaction, so that nobody brings a picture back while its file goes away.
    try await store.write { db in
      try db.deleteAll(DeletedNote.where { $0.deletedAt < cutoff })
      let notes = try db.fetch(Note.all) + db.fetch(DeletedNote.all).map(\.note)
      try pictures.removeFiles(except: Set(notes.flatMap(\.images).map(\.file)), untouchedSince: cutoff)
    }
  }
}
