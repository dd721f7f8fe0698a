import ExampleWeb
import Foundation
import Larder

/// What can be done with notes. This is where the app meets Larder: a store, a few queries, and a transaction for each
/// change.
struct NotesService: Sendable {
  /// The list shows this many notes at most.
  static let listLimit = 500
  /// For this long the removal of a picture can be undone.
  static let undoPeriod: TimeInterval = 60 * 60
  /// For this long a deleted note can be brought back.
  static let retention: TimeInterval = 30 * 24 * 60 * 60

  let store: Store
  private let now: @Sendable () -> Date

  /// Opens `notes.larder` and creates it, and its folder, if need be. The pictures are its attachments.
  ///
  /// Throws `StoreError` if the file is not a store of notes, and what Foundation throws if the folder cannot be made.
  init(folder: URL, now: @escaping @Sendable () -> Date = { .now }) throws {
    self.now = now
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let url = folder.appending(path: Self.fileName, directoryHint: .notDirectory)
    let old = try OldPictures(in: folder.appending(path: "pictures", directoryHint: .isDirectory))
    // Pictures that can be brought back have rows of their own; all others go at once.
    store = try Store(
      at: url, for: Note.self, DeletedNote.self, RemovedPicture.self,
      configuration: .init(
        durability: old.durability, migrations: [old.migration], now: now, attachmentRetention: .zero))
    try store.blocking.once("deleted notes expire") { db in
      for deleted in try db.fetch(DeletedNote.all) {
        try db.setExpiry(of: DeletedNote.self, deleted.id, to: deleted.deletedAt + Self.retention)
      }
    }
    try old.removeFiles()
  }

  static let fileName = "notes.larder"

  // MARK: Reading

  /// The list as it is now and after each change: newest change first, or the best match first if something is searched
  /// for. An empty search lists every note, and one of signs alone finds nothing.
  func list(search: String) -> some AsyncSequence<[Note], any Error> & Sendable {
    let isOfSigns = !search.contains { $0.isLetter || $0.isNumber } && !search.allSatisfy(\.isWhitespace)
    let limit = isOfSigns ? 0 : Self.listLimit
    return store.live(Note.search(typed: search).sorted(by: \.modifiedAt, order: .reverse).ranked().limit(limit))
  }

  /// The list as it is now and after each change, newest change first, in sections by the day of the last change as the
  /// calendar counts days.
  func days(in calendar: Calendar) -> some AsyncSequence<[ResultsSection<Date, Note>], any Error> & Sendable {
    store.live(
      Note.all.sorted(by: \.modifiedAt, order: .reverse).limit(Self.listLimit),
      sectionedBy: { calendar.startOfDay(for: $0.modifiedAt) })
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

  /// A picture of the note and its bytes. Throws `NoteProblem.gone` if the note has no such picture.
  func picture(_ digest: String, of id: Note.ID) async throws -> (picture: Attachment, bytes: Data) {
    try await store.read { db in
      guard let picture = try pictures(of: id, db).first(where: { $0.digest == digest }) else { throw NoteProblem.gone }
      return (picture, try db.data(of: picture))
    }
  }

  /// The pictures that the note has, and those that it may have again: nobody else's.
  private func pictures(of id: Note.ID, _ db: some StoreReader) throws -> Set<Attachment> {
    let note = try db.find(Note.self, id) ?? db.find(DeletedNote.self, id)?.note
    let removed = try db.fetch(RemovedPicture.where { $0.note == id })
    return Set((note?.images ?? []).map(\.picture) + removed.map(\.picture))
  }

  // MARK: Writing

  /// Makes a note, which may have the pictures of the one that it is a copy of.
  ///
  /// Throws `NoteProblem.invalid` if the content breaks a rule of `Note.validate()`, or has other pictures.
  func create(_ content: NoteContent, copyOf original: Note.ID? = nil) async throws -> Note {
    let note = Note(content)
    try await store.write { db in
      try requirePictures(of: content, from: original, db)
      try db.insert(note)
    }
    return note
  }

  /// Gives the note a new content, if it is still what the change is based on.
  ///
  /// Throws `NoteProblem.changedElsewhere` if it is not, `.gone` if it was deleted, `.invalid` if the content breaks a
  /// rule.
  func change(_ id: Note.ID, to content: NoteContent, basedOn version: Date) async throws -> Note {
    try await change(id, basedOn: version) { note, db in
      try requirePictures(of: content, from: id, db)
      note.content = content
    }
  }

  /// Imports a picture. Its bytes stay if the row that names them comes to be, and go away by themselves if not.
  func addPicture(
    _ pieces: some AsyncSequence<Data, any Error>, named name: String, frame: PlacedImage.Frame, to id: Note.ID,
    basedOn version: Date
  ) async throws -> Note {
    var picture = try await store.attach(PictureUpload(pieces: pieces))
    let signature = try await store.data(of: picture, range: 0..<min(picture.size, PictureFormat.signatureLength))
    guard let format = PictureFormat(signature: signature) else { throw NoteProblem.noPicture }
    picture.mediaType = format.mediaType
    let image = PlacedImage(name: name, picture: picture, frame: frame)
    return try await change(id, basedOn: version) { note, _ in note.images.append(image) }
  }

  private func change(
    _ id: Note.ID, basedOn version: Date, _ apply: @Sendable @escaping (inout Note, Transaction) throws -> Void
  ) async throws -> Note {
    try await store.write { db in
      guard let old = try db.find(Note.self, id) else { throw NoteProblem.gone }
      guard old.modifiedAt == version else { throw NoteProblem.changedElsewhere(old) }
      var note = old
      try apply(&note, db)
      guard note != old else { return old }
      // The date is the note's version too, so it moves on even when the clock does not.
      note.modifiedAt = max(.now, old.modifiedAt.addingTimeInterval(0.001))
      for removed in Set(old.images.map(\.picture)).subtracting(note.images.map(\.picture)) {
        try db.insert(RemovedPicture(note: id, picture: removed))
      }
      try db.update(note)
      return note
    }
  }

  /// A page may name no other pictures than those that it was shown.
  private func requirePictures(of content: NoteContent, from id: Note.ID?, _ db: Transaction) throws {
    let known = try id.map { try pictures(of: $0, db) } ?? []
    guard known.isSuperset(of: content.images.map(\.picture)) else { throw NoteProblem.pictureIsGone }
  }

  // MARK: Deleting

  /// Moves the note out of sight in one transaction. Throws `NoteProblem.gone` if there is none.
  func delete(_ id: Note.ID) async throws {
    try await store.write { db in
      guard let note = try db.find(Note.self, id) else { throw NoteProblem.gone }
      try db.delete(note)
      try db.save(DeletedNote(note, at: now()), expires: now() + Self.retention)
    }
  }

  /// The deleted notes that can be brought back, the last deleted one first.
  func deletedNotes() async throws -> [DeletedNote] {
    try await store.fetch(DeletedNote.all.sorted(by: \.deletedAt, order: .reverse).limit(Self.listLimit))
  }

  /// Deletes a note for good that was deleted before. Throws `NoteProblem.gone` if there is none.
  func deleteForGood(_ id: Note.ID) async throws {
    try await store.write { db in
      guard let deleted = try db.find(DeletedNote.self, id) else { throw NoteProblem.gone }
      try db.delete(deleted)
      try db.deleteAll(RemovedPicture.where { $0.note == id })
    }
  }

  /// Brings a deleted note back as it was. Throws `NoteProblem.gone` if it has expired.
  func restore(_ id: Note.ID) async throws -> Note {
    try await store.write { db in
      if let note = try db.find(Note.self, id) { return note }
      guard let deleted = try db.find(DeletedNote.self, id) else { throw NoteProblem.gone }
      try db.delete(deleted)
      try db.insert(deleted.note)
      return deleted.note
    }
  }

  /// Forgets the pictures that were removed too long ago. Deleted notes expire by themselves, and the store deletes the
  /// bytes that no row names any longer.
  func tidy(now: Date = .now) async throws {
    let cutoff = now.addingTimeInterval(-Self.undoPeriod)
    try await store.write { db in _ = try db.deleteAll(RemovedPicture.where { $0.removedAt < cutoff }) }
  }
}
