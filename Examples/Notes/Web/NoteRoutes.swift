import ExampleWeb
import Foundation
import Hummingbird
import Larder
import NIOCore

/// `api/notes` and `api/events`: everything the page asks about notes.
struct NoteRoutes {
  /// A note has at most a million bytes of text, which JSON may write as six each.
  private static let requestLimit = 8 * 1024 * 1024

  let service: NotesService

  func add(to router: some RouterMethods<some RequestContext>) {
    let api = router.group("api").add(middleware: RefusalMiddleware(Refusal.init(notes:)))
    api.get("events") { request, _ in events(request) }
    api.post("notes") { request, _ in
      let original = request.uri.queryParameters["copyOf"].flatMap { UUID(uuidString: String($0)) }
      return try await Response.json(service.create(content(of: request), copyOf: original), status: .created)
    }
    api.get("notes/:id") { _, context in
      try await Response.json(service.note(context.noteID))
    }
    api.put("notes/:id") { request, context in
      try await Response.json(service.change(context.noteID, to: content(of: request), basedOn: request.basedOn))
    }
    api.delete("notes/:id") { _, context in
      try await service.delete(context.noteID)
      return HTTPResponse.Status.noContent
    }
    api.post("notes/:id/restore") { _, context in
      try await Response.json(service.restore(context.noteID))
    }
    api.get("deleted") { _, _ in
      try await Response.json(service.deletedNotes().map(DeletedLine.init))
    }
    api.delete("deleted/:id") { _, context in
      try await service.deleteForGood(context.noteID)
      return HTTPResponse.Status.noContent
    }
    api.get("notes/:id/row") { _, context in
      try await Response.json(stored(context.noteID))
    }
  }

  private func content(of request: Request) async throws -> NoteContent {
    do {
      return try await request.json(NoteContent.self, upTo: Self.requestLimit)
    } catch is NIOTooManyBytesError {
      throw Note.bodyIsTooLong
    }
  }

  /// Sends the list now and after every change: by days, or what was searched for.
  private func events(_ request: Request) -> Response {
    let search = request.uri.queryParameters["search"].map(String.init) ?? ""
    let zone = request.uri.queryParameters["zone"].flatMap { TimeZone(identifier: String($0)) } ?? .gmt
    let calendar = Calendar.days(in: zone)
    if search.isEmpty {
      return .events(named: "notes", for: request) { service.days(in: calendar).map { NoteLines($0, calendar) } }
    }
    return .events(named: "notes", for: request) { service.list(search: search).map { NoteLines($0, search: search) } }
  }

  private func stored(_ id: Note.ID) async throws -> StoredNote {
    let row = try await service.storedRow(of: id)
    let note = try await service.note(id)
    return StoredNote(
      file: NotesService.fileName,
      table: Note.schema.table,
      columns: row.map { StoredNote.Column(name: $0.name, value: $0.value) },
      files: note.images.map { .init(name: $0.picture.digest, bytes: $0.picture.size) }
    )
  }
}

extension Calendar {
  /// The calendar by whose days the list is divided.
  static func days(in zone: TimeZone) -> Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    return calendar
  }
}
