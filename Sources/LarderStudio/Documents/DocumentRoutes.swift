import HTTPTypes
import Hummingbird
import Larder

/// `api/document`: a document as JSON. A context keeps no documents, so what is written is in the file at once.
struct DocumentRoutes {
  private struct Content: Encodable {
    let json: String
    /// When the document expires, in ISO 8601.
    let expires: String?
    /// Nil where nothing is known of it.
    let history: RowHistory?
  }

  let library: Library

  func addRoutes(to router: some RouterMethods<some RequestContext>) {
    router.get("document") { request, _ in
      let name = try await collection(request.required("table"))
      let key = try RowKey(text: request.required("key")).values.first?.text ?? ""
      let version = try await library.store.read { try DocumentChange.Version(of: key, in: $0.documents(name)) }
      return try await response(version, key, in: name)
    }
    router.post("document") { request, _ in
      try library.requireWritable()
      let change = try await request.json(DocumentChange.self)
      let name = try await collection(change.table)
      let version = try await library.store.write { try change.apply(to: $0.documents(name)) }
      guard let version else { return Response(status: .noContent) }
      return try await response(version, change.key, in: name)
    }
  }

  /// Returns the name of a collection. Writing to another name would create one.
  private func collection(_ name: String) async throws -> String {
    let table = try await library.store.table(name)
    guard table.kind == .documents else {
      throw Refusal(.unprocessableContent, "\(table.title) is no collection of documents.")
    }
    return table.name
  }

  private func response(
    _ version: DocumentChange.Version, _ key: String, in collection: String
  ) async throws -> Response {
    let history = try await RowHistory.read(
      RowKey([.text(key)]), in: library.store.table(collection), from: library.store)
    return try .json(Content(json: version.json, expires: version.expires, history: history))
  }
}
