import ExampleWeb
import Foundation
import Hummingbird
import Larder

/// `api`: everything that the page asks. Each change names the device on which it is made.
struct DeviceRoutes {
  let service: DevicesService
  let transfers: TransferFolder

  func add(to router: some RouterMethods<some RequestContext>) {
    let api = router.group("api").add(middleware: RefusalMiddleware(Refusal.init(devices:)))
    api.get("events") { request, _ in events(request) }
    api.put(":device/connection") { request, context in
      try await service.set(context.device, online: request.form(Connection.self).isOnline)
      return HTTPResponse.Status.noContent
    }
    addFiles(to: api)
    addNotes(to: api)
    addNamed(to: api)
    addChoices(to: api)
  }

  private struct Connection: DeviceForm {
    let isOnline: Bool
    var texts: [String] { [] }
  }
  private struct SavedFile: DeviceForm {
    let tag: String
    var texts: [String] { [tag] }
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
      service.start()
      return await service.states()
    }
  }

  /// The tag of a file says where it ends. The page sends it back when it has all of the file.
  private func addFiles(to api: RouterGroup<some RequestContext>) {
    api.get(":device/file") { _, context in
      try await transfers.withFile { url in
        let end = try await service.writeFile(of: context.device, to: url)
        var response = try Response.file(url)
        response.headers[.eTag] = "\"\(end)\""
        return response
      }
    }
    api.post(":device/file") { request, context in
      try await transfers.withBody(of: request, upTo: TransferFolder.maximumSyncFileBytes) { url in
        try await Response.json(service.readFile(at: url, on: context.device))
      }
    }
    api.put(":device/file/saved") { request, context in
      let tag = try await request.form(SavedFile.self).tag
      guard let end = Int64(tag.trimmingCharacters(in: ["\""])) else { throw DeviceProblem.unknown }
      try await service.noteSavedFile(upTo: end, of: context.device)
      return HTTPResponse.Status.noContent
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
