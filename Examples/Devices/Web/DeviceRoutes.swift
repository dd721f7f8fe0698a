import ExampleWeb
import Foundation
import Hummingbird
import Larder
import NIOCore

/// `api`: everything that the page asks. Each change names the device on which it is made.
struct DeviceRoutes {
  /// More than these notes will ever fill.
  private static let fileLimit = 16 * 1024 * 1024

  let service: DevicesService

  func add(to router: some RouterMethods<some RequestContext>) {
    let api = router.group("api").add(middleware: RefusalMiddleware(Refusal.init(devices:)))
    api.get("events") { request, _ in events(request) }
    api.put(":device/connection") { request, context in
      try await service.set(context.device, online: request.form(Connection.self).isOnline)
      return HTTPResponse.Status.noContent
    }
    api.get(":device/file") { _, context in
      try await Response.content(service.file(of: context.device), mediaType: "application/octet-stream")
    }
    api.post(":device/file") { request, context in
      let file = try await request.body.collect(upTo: Self.fileLimit)
      return try await Response.json(Merged(rows: service.read(Data(file.readableBytesView), on: context.device)))
    }
    addNotes(to: api)
    addNamed(to: api)
    addChoices(to: api)
  }

  private struct Merged: Encodable { let rows: Int }
  private struct Connection: DeviceForm {
    let isOnline: Bool
    var texts: [String] { [] }
  }
  private struct Name: DeviceForm {
    let name: String
    var texts: [String] { [name] }
  }
  private struct Choice: DeviceForm {
    let token: String
    let choice: String
    var texts: [String] { [token, choice] }
  }

  /// Sends what the page shows now and after every change.
  private func events(_ request: Request) -> Response {
    .events(named: "devices", for: request) {
      try await service.start()
      return await service.states()
    }
  }

  private func addNotes(to api: RouterGroup<some RequestContext>) {
    api.post(":device/notes") { request, context in
      try await service.add(request.form(NoteContent.self), on: context.device)
      return HTTPResponse.Status.created
    }
    api.patch(":device/notes/:id") { request, context in
      try await service.change(context.rowID, request.form(NoteChange.self), on: context.device)
      return HTTPResponse.Status.noContent
    }
    api.delete(":device/notes/:id") { _, context in
      try await service.delete(Note.self, context.rowID, on: context.device)
      return HTTPResponse.Status.noContent
    }
  }

  private func addNamed(to api: RouterGroup<some RequestContext>) {
    add("folders", { Folder(name: $0) }, to: api)
    add("labels", { Label(name: $0) }, to: api)
    add("authors", { Author(name: $0) }, to: api)
    add("tags", { Tag(name: $0) }, to: api)
    api.put(":device/tags/:id") { request, context in
      try await service.rename(context.rowID, to: request.form(Name.self).name, on: context.device)
      return HTTPResponse.Status.noContent
    }
  }

  /// Adds the requests for rows that have nothing but a name.
  private func add<M: Model>(
    _ path: String, _ make: @escaping @Sendable (String) -> M, to api: RouterGroup<some RequestContext>
  ) where M.ID == UUID {
    api.post(":device/\(path)") { request, context in
      try await service.save(make(request.form(Name.self).name), on: context.device)
      return HTTPResponse.Status.created
    }
    api.delete(":device/\(path)/:id") { _, context in
      try await service.delete(M.self, context.rowID, on: context.device)
      return HTTPResponse.Status.noContent
    }
  }

  private func addChoices(to api: RouterGroup<some RequestContext>) {
    api.post(":device/conflicts") { request, context in
      let form = try await request.form(Choice.self)
      guard let choice = ConflictChoice(rawValue: form.choice) else { throw DeviceProblem.unknown }
      try await service.settle(form.token, by: choice, on: context.device)
      return HTTPResponse.Status.noContent
    }
    api.post(":device/aside") { request, context in
      let form = try await request.form(Choice.self)
      guard let choice = SetAsideChoice(rawValue: form.choice) else { throw DeviceProblem.unknown }
      try await service.settle(form.token, by: choice, on: context.device)
      return HTTPResponse.Status.noContent
    }
  }
}

extension Request {
  /// A JSON body; nothing that the page sends comes near the limit.
  ///
  /// - Throws: `DeviceProblem.containsNUL` for a text with NUL.
  fileprivate func form<Form: DeviceForm>(_ type: Form.Type) async throws -> Form {
    let form = try await json(type, upTo: 64 * 1024)
    if form.texts.contains(where: \.containsNUL) { throw DeviceProblem.containsNUL }
    return form
  }
}

extension RequestContext {
  fileprivate var device: Device.ID {
    get throws {
      guard let device = parameters.get("device").flatMap({ Device.ID(rawValue: $0) }) else {
        throw DeviceProblem.unknown
      }
      return device
    }
  }

  fileprivate var rowID: UUID {
    get throws {
      guard let id = parameters.get("id", as: UUID.self) else { throw DeviceProblem.gone }
      return id
    }
  }
}
