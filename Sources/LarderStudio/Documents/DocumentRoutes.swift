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

  private struct Change: Decodable {
    let table: String
    let key: String
    let json: String
    /// The JSON that was changed; nil for a document that must not be there yet.
    let before: String?
  }

  private struct Place: Decodable {
    let table: String
    let key: String
    /// The JSON that the page shows; nil for a deletion whatever is there.
    let before: String?
  }

  private struct ExpiryChange: Decodable {
    let table: String
    let key: String
    let expires: String?
    /// The JSON that the page shows; nil for any.
    let before: String?
  }

  let library: Library

  func addRoutes(to router: some RouterMethods<some RequestContext>) {
    router.get("document") { request, _ in
      let table = try request.required("table")
      let key = try RowKey(text: request.required("key")).values.first?.text ?? ""
      return try Response.json(try await content(of: key, in: collection(table)))
    }
    router.post("document") { request, _ in
      try library.requireWritable()
      let body = try await request.json(Change.self)
      let name = try await collection(body.table)
      try await library.store.write { try Self.save(body, in: $0.documents(name)) }
      return try Response.json(try await content(of: body.key, in: name))
    }
    router.post("document/delete") { request, _ in
      try library.requireWritable()
      let body = try await request.json(Place.self)
      let name = try await collection(body.table)
      try await library.store.write { db in
        let documents = db.documents(name)
        try Self.requireUnchanged(body.before, body.key, in: documents)
        guard try documents.delete(body.key) else { throw Self.gone }
      }
      return HTTPResponse.Status.noContent
    }
    router.post("document/expiry") { request, _ in
      try library.requireWritable()
      let body = try await request.json(ExpiryChange.self)
      let date = try Expiry.date(parsing: body.expires)
      let name = try await collection(body.table)
      try await library.store.write { db in
        let documents = db.documents(name)
        try Self.requireUnchanged(body.before, body.key, in: documents)
        guard try documents.setExpiry(of: body.key, to: date) else { throw Self.gone }
      }
      return try Response.json(try await content(of: body.key, in: name))
    }
  }

  private static var gone: Refusal {
    Refusal(.notFound, "There is no such document any longer. It was deleted, or it has expired.")
  }

  /// Throws if a document isn't the one that the page shows.
  private static func requireUnchanged(
    _ before: String?, _ key: String, in documents: BlockingDocuments<Transaction, Document>
  ) throws {
    guard let before, let stored = try documents.json(key), stored != before else { return }
    throw Refusal(.conflict, "The document was changed meanwhile. Close it, and open it again to see what it is now.")
  }

  /// Writes a document, and keeps when it expires. Nobody's change is overwritten unseen.
  private static func save(_ change: Change, in documents: BlockingDocuments<Transaction, Document>) throws {
    let stored = try documents.json(change.key)
    guard stored == change.before else {
      throw Refusal(
        .conflict,
        change.before == nil
          ? "There is already a document with this key. Choose another key."
          : "The document was changed meanwhile. Copy your text, close the document, and open it again.")
    }
    try documents.save(change.key, json: change.json, expires: documents.expiry(of: change.key))
  }

  /// Returns the name of a collection. Writing to another name would create one.
  private func collection(_ name: String) async throws -> String {
    let table = try await library.store.table(name)
    guard table.kind == .documents else {
      throw Refusal(.unprocessableContent, "\(table.title) is no collection of documents.")
    }
    return table.name
  }

  private func content(of key: String, in collection: String) async throws -> Content {
    let (json, expires) = try await library.store.read { db in
      let documents = db.documents(collection)
      guard let json = try documents.json(key) else { throw Self.gone }
      return (json, try documents.expiry(of: key)?.studioText)
    }
    let history = try await RowHistory.read(
      RowKey([.text(key)]), in: library.store.table(collection), from: library.store)
    return Content(json: json, expires: expires, history: history)
  }
}
