import Hummingbird
import Larder

/// `api/rows` and `api/row`: rows for the grid, and one row with all that belongs to it.
struct RowRoutes {
  let library: Library

  func addRoutes(to router: some RouterMethods<some RequestContext>) {
    router.get("rows") { request, _ in
      let rows = try RowRequest(request)
      let session = try await library.sessions.session(for: request)
      return try await request.whileConnected {
        try Response.json(try await session.read { try rows.page(from: $0) })
      }
    }
    router.get("row") { request, _ in
      let table = try request.required("table")
      let key = try RowKey(text: request.required("key"))
      let session = try await library.sessions.session(for: request)
      return try Response.json(try await session.read { try RowDetail(key, in: table, from: $0) })
    }
    router.get("deletion") { request, _ in
      let table = try request.required("table")
      let key = try RowKey(text: request.required("key"))
      let session = try await library.sessions.session(for: request)
      return try Response.json(
        DeletionSummary(try await session.read { try $0.deletionPreview(ofRowWith: key.values, in: table) }))
    }
  }
}

/// What a deletion would do, as the page says it.
private struct DeletionSummary: Encodable {
  struct Reach: Encodable {
    let table: String
    let property: String?
    let count: Int
  }

  let deleted: [Reach]
  let cleared: [Reach]
  let denied: [Reach]
  let isComplete: Bool

  init(_ preview: DeletionPreview) {
    deleted = preview.deleted.sorted { $0.key < $1.key }.map { Reach(table: $0.key, property: nil, count: $0.value) }
    cleared = preview.cleared.map { Reach(table: $0.table, property: $0.property, count: $0.count) }
    denied = preview.denied.map { Reach(table: $0.table, property: $0.property, count: $0.count) }
    isComplete = preview.isComplete
  }
}
