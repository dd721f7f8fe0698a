import Hummingbird
import Larder

/// `api/changes` and what changes rows: everything happens in the window's context until it is saved.
struct ChangeRoutes {
  private struct Insertion: Decodable {
    let table: String
    let values: [String: String?]
    let expires: String?
  }

  private struct Change: Decodable {
    let table: String
    let key: RowKey
    let values: [String: String?]
  }

  private struct Place: Decodable {
    let table: String
    let key: RowKey
  }

  private struct ExpiryChange: Decodable {
    let table: String
    let key: RowKey
    let expires: String?
  }

  private struct Decision: Decodable {
    let table: String
    let key: RowKey
    let version: String
    let keepsMine: Bool
  }

  let library: Library

  func addRoutes(to router: some RouterMethods<some RequestContext>) {
    router.get("changes") { request, _ in
      try Response.json(try await library.sessions.reader(for: request).summary)
    }
    router.post("insert") { request, _ in
      let body = try await request.json(Insertion.self)
      let date = try Expiry.date(parsing: body.expires)
      return try await changing(request) { try await $0.insert(body.values, into: body.table, expires: date) }
    }
    router.post("update") { request, _ in
      let body = try await request.json(Change.self)
      return try await changing(request) {
        try await $0.update(body.values, of: body.key, in: body.table)
        return nil
      }
    }
    router.post("delete") { request, _ in
      let body = try await request.json(Place.self)
      return try await changing(request) {
        try await $0.delete(body.key, from: body.table)
        return nil
      }
    }
    router.post("expiry") { request, _ in
      let body = try await request.json(ExpiryChange.self)
      let date = try Expiry.date(parsing: body.expires)
      return try await changing(request) {
        try await $0.setExpiry(of: body.key, in: body.table, to: date)
        return nil
      }
    }
    router.post("resolve") { request, _ in
      let body = try await request.json(Decision.self)
      return try await changing(request) {
        try await $0.resolve(body.key, in: body.table, version: body.version, keepsMine: body.keepsMine)
        return nil
      }
    }
    addSteps(to: router)
  }

  private func addSteps(to router: some RouterMethods<some RequestContext>) {
    router.post("undo") { request, _ in
      try await changing(request) {
        _ = try await $0.undo()
        return nil
      }
    }
    router.post("redo") { request, _ in
      try await changing(request) {
        _ = try await $0.redo()
        return nil
      }
    }
    router.post("discard") { request, _ in
      try await changing(request) {
        try await $0.discard()
        return nil
      }
    }
    router.post("save") { request, _ in
      try await changing(request) {
        try await $0.save()
        return nil
      }
    }
  }

  /// Changes something, and responds with what is unsaved then.
  private func changing(
    _ request: Request, _ body: (Session) async throws -> RowKey?
  ) async throws -> Response {
    try library.requireWritable()
    let session = try await library.sessions.session(for: request)
    let key = try await body(session)
    var summary = try await session.summary
    summary.key = key
    return try .json(summary)
  }
}
