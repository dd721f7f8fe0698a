import Foundation
import Larder

/// All rows of a device, as the page shows them.
struct Contents: Encodable, Equatable, Sendable {
  let folders: [Named]
  let notes: [NoteState]
  let labels: [Named]
  let authors: [Named]
  let tags: [Named]

  struct Named: Encodable, Equatable, Sendable {
    let id: UUID
    let name: String
  }

  struct NoteState: Encodable, Equatable, Sendable {
    let id: UUID
    let title: String
    let text: String
    let folder: UUID
    let label: UUID?
    let author: UUID?
    let tags: [UUID]
  }

  init(in db: some StoreReader) throws {
    folders = try db.fetch(Folder.all.sorted(by: \.name)).map { Named(id: $0.id, name: $0.name) }
    labels = try db.fetch(Label.all.sorted(by: \.name)).map { Named(id: $0.id, name: $0.name) }
    authors = try db.fetch(Author.all.sorted(by: \.name)).map { Named(id: $0.id, name: $0.name) }
    tags = try db.fetch(Tag.all.sorted(by: \.name)).map { Named(id: $0.id, name: $0.name) }
    notes = try db.fetch(Note.all.including(\.tags).sorted(by: \.title)).map { note in
      NoteState(
        id: note.id, title: note.title, text: note.text, folder: note.folder.id, label: note.label?.id,
        author: note.author?.id, tags: (note.tags.loaded ?? []).map(\.id))
    }
  }

  /// What a person calls the row with the key; nil if it is not there.
  func name(of key: Value) -> String? {
    guard let id = UUID(key) else { return nil }
    if let note = notes.first(where: { $0.id == id }) { return note.title }
    return (folders + labels + authors + tags).first { $0.id == id }?.name
  }
}

extension UUID {
  /// The identifier that a key of the file is; nil if it is none.
  fileprivate init?(_ key: Value) {
    switch key {
    case .text(let text): self.init(uuidString: text)
    case .blob(let bytes) where bytes.count == 16:
      self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    default: return nil
    }
  }
}
