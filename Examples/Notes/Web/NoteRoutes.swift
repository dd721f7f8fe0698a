import Foundation
import Hummingbird
import Larder
import NIOCore
import ServiceLifecycle

/// `api/notes` and `api/events`: everything the page asks about notes.
struct NoteRoutes {
  /// A note has at most a million bytes of text, which JSON may write as six each.
  private static let requestLimit = 8 * 1024 * 1024

  let service: NotesService

  func add(to router: some RouterMethods<some RequestContext>) {
    let api = router.group("api").add(middleware: RefusalMiddleware())
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
    api.get("notes/:id/row") { _, context in
      try await Response.json(stored(context.noteID))
    }
  }

  private func content(of request: Request) async throws -> NoteContent {
    do {
      let body = try await request.body.collect(upTo: Self.requestLimit)
      return try JSONDecoder().decode(NoteContent.self, from: Data(body.readableBytesView))
    } catch is NIOTooManyBytesError {
      throw Note.bodyIsTooLong
    }
  }

  /// Sends the list now and after every change, until the window or the server closes: by days, or what was searched for.
  private func events(_ request: Request) -> Response {
    let search = request.uri.queryParameters["search"].map(String.init) ?? ""
    let zone = request.uri.queryParameters["zone"].flatMap { TimeZone(identifier: String($0)) } ?? .gmt
    let calendar = Calendar.days(in: zone)
    let body = ResponseBody { writer in
      try await writer.write(ByteBuffer(string: "retry: 500\n\n"))
      try await request.body.consumeWithCancellationOnInboundClose { _ in
        if search.isEmpty {
          for try await days in service.days(in: calendar).cancelOnGracefulShutdown() { try await writer.send(NoteLines(days, calendar)) }
        } else {
          for try await notes in service.list(search: search).cancelOnGracefulShutdown() { try await writer.send(NoteLines(notes, search: search)) }
        }
      }
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"], body: body)
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

extension ResponseBodyWriter {
  /// Writes the list as one event.
  fileprivate mutating func send(_ lines: NoteLines) async throws {
    try await write(ByteBuffer(string: "event: notes\ndata: \(String(decoding: JSONEncoder().encode(lines), as: UTF8.self))\n\n"))
  }
}
