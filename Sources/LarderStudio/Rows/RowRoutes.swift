import Hummingbird
import Larder
import LarderSync

/// `api/rows` and `api/row`: rows for the grid, and one row with all that belongs to it. `api/conflict` decides what becomes
/// of a value that lost.
struct RowRoutes {
  let library: Library

  func addRoutes(to router: some RouterMethods<some RequestContext>) {
    router.get("rows") { request, _ in
      let rows = try RowRequest(request)
      let session = try await library.sessions.reader(for: request)
      return try await request.whileConnected {
        try Response.json(try await session.read { try rows.page(from: $0) })
      }
    }
    router.get("row") { request, _ in
      let table = try request.required("table")
      let key = try RowKey(text: request.required("key"))
      let session = try await library.sessions.reader(for: request)
      var detail = try await session.read { try RowDetail(key, in: table, from: $0) }
      detail.history = try await .read(detail.key, in: library.store.table(table), from: library.store)
      return try Response.json(detail)
    }
    router.post("conflict") { request, _ in
      try library.requireWritable()
      let body = try await request.json(Decision.self)
      let table = try await library.store.table(body.table)
      let conflicts = try await RowHistory.conflicts(of: body.key, in: table, library.store.sync)
      guard let conflict = conflicts.first(where: { $0.id == body.conflict }) else {
        throw Refusal(.notFound, "Somebody has decided about it meanwhile.")
      }
      try await body.restores ? library.store.sync.restore(conflict) : library.store.sync.dismiss(conflict)
      return try Response.json(["restored": body.restores])
    }
    router.get("deletion") { request, _ in
      let table = try request.required("table")
      let key = try RowKey(text: request.required("key"))
      let session = try await library.sessions.reader(for: request)
      return try Response.json(
        DeletionSummary(try await session.read { try $0.deletionPreview(ofRowWith: key.values, in: table) }))
    }
  }
}

/// What becomes of a value that lost: it is written again, or forgotten.
private struct Decision: Decodable {
  let table: String
  let key: RowKey
  let conflict: String
  let restores: Bool
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
