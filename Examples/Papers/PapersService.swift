import Foundation
import Larder

/// What can be done with the documents. There is no model: the collection is a name, and what it holds is what was
/// pasted.
struct PapersService: Sendable {
  static let collection = "papers"
  /// The page shows this many documents at most.
  static let limit = 200

  private let store: Store
  private var papers: Documents<Document> { store.documents(Self.collection) }

  /// Opens `documents.larder` and creates it if need be. Throws `StoreError` if the file is no store.
  init(folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    store = try Store(at: folder.appending(path: "documents.larder", directoryHint: .notDirectory), for: [])
  }

  /// What the page shows, now and after each change; a document that expires leaves by itself.
  func listings(where conditions: [Condition], sort: String) -> LiveResults<Listing> {
    store.live { db in
      let papers = db.documents(Self.collection)
      let found = try papers.fetch(where: conditions, sort: sort, limit: Self.limit, validatesProperties: false)
      return Listing(
        properties: try papers.properties,
        rows: try found.map {
          Listing.Row(
            key: $0.key, values: try $0.value.map { [$0.name: try $0.value.json()] },
            expires: try papers.expiry(of: $0.key))
        },
        total: try papers.count())
    }
  }

  /// Stores an object, or each object of an array, and answers the keys: the one that is given, or the object's own
  /// `key` or `id`, or a new one.
  ///
  /// Throws `StoreError` with the place in the text where it is no JSON, and `PaperProblem` where it is nothing to be
  /// kept.
  func add(_ json: String, key: String?, expires: Date?) async throws -> [String] {
    let documents: [Document] =
      switch try DocumentValue(json: json) {
      case .object(let document): [document]
      case .array(let values):
        try values.map { value in
          guard let document = value.object else { throw PaperProblem("Each element of the array must be an object.") }
          return document
        }
      default: throw PaperProblem("A document is an object, in braces: {\"name\": \"Ada\"}.")
      }
    if key != nil, documents.count != 1 {
      throw PaperProblem("One key names one document. Leave the key out to store several.")
    }
    let keyed = documents.map { (key: key ?? Self.key(of: $0), value: $0) }
    try await papers.save(keyed: keyed, expires: expires)
    return keyed.map(\.key)
  }

  private static func key(of document: Document) -> String {
    for name in ["key", "id"] {
      switch document[name] {
      case .text(let text) where !text.isEmpty: return text
      case .integer(let number): return String(number)
      default: continue
      }
    }
    return UUID.v7().uuidString
  }

  /// Deletes the document; false where there is none.
  func delete(_ key: String) async throws -> Bool {
    try await papers.delete(key)
  }

  /// Deletes every document, and forgets the properties.
  func clear() async throws {
    try await papers.deleteCollection()
  }
}

/// What the page shows.
struct Listing: Encodable, Sendable {
  let properties: [String]
  let rows: [Row]
  let total: Int

  struct Row: Encodable, Sendable {
    let key: String
    /// The JSON of each value, in the document's order.
    let values: [[String: String]]
    let expires: Date?
  }
}

/// Why what was pasted is not kept; the message is for the person who pasted it.
struct PaperProblem: Error {
  let message: String

  init(_ message: String) { self.message = message }
}
