import Hummingbird
import Larder

/// `api/store` and `api/count`: which tables there are, and how many rows.
struct TableRoutes {
  private struct StoreSummary: Encodable {
    let name: String
    let isWritable: Bool
    let home: Studio.Link?
    /// The migrations that ran in the file, oldest first.
    let migrations: [String]
    let tables: [TableSummary]
  }

  private struct Count: Encodable {
    let count: Int
  }

  let library: Library

  func addRoutes(to router: some RouterMethods<some RequestContext>) {
    router.get("store") { _, _ in
      let (tables, migrations) = try await library.store.read { (try $0.tables, try $0.migrations) }
      return try Response.json(
        StoreSummary(
          name: library.name, isWritable: library.isWritable, home: library.home, migrations: migrations,
          tables: tables.map(TableSummary.init)))
    }
    router.get("count") { request, _ in
      let rows = try RowRequest(request)
      let session = try await library.sessions.reader(for: request)
      return try await request.whileConnected {
        try Response.json(Count(count: try await session.read { try $0.count(rows.query) }))
      }
    }
  }
}
