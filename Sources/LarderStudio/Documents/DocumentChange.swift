import Foundation
import HTTPTypes
import Larder

/// What a person makes of a document: another version, or none.
///
/// Its JSON and its expiry are compared and written together, so that nothing comes between them.
struct DocumentChange: Decodable, Sendable {
  struct Version: Codable, Sendable {
    let json: String
    /// When the document expires, in ISO 8601.
    let expires: String?
  }

  let table: String
  let key: String
  /// What the page shows; nil for a document that must not be there yet.
  let before: Version?
  /// Nil deletes the document.
  let after: Version?

  /// Writes the change.
  ///
  /// A change of the JSON alone keeps the expiry that is stored.
  ///
  /// - Returns: What is stored then; nil if the document was deleted.
  /// - Throws: `Refusal` if what is stored isn't what the page shows, or no longer there after the change.
  func apply(to documents: BlockingDocuments<Transaction, Document>) throws -> Version? {
    let expiry = try documents.expiry(of: key)
    try requireShown(json: try documents.json(key), expires: expiry?.studioText)
    guard let after else {
      _ = try documents.delete(key)
      return nil
    }
    let expires = setsExpiry ? try Expiry.date(parsing: after.expires) : expiry
    if after.json == before?.json {
      _ = try documents.setExpiry(of: key, to: expires)
    } else {
      try documents.save(key, json: after.json, expires: expires)
    }
    return try Version(of: key, in: documents)
  }

  private var setsExpiry: Bool { after?.expires != before?.expires }

  private func requireShown(json: String?, expires: String?) throws {
    guard let before else {
      guard json == nil else { throw Refusal(.conflict, "There is already a document with this key.") }
      return
    }
    guard let json else { throw Self.gone }
    let replacesExpiry = after == nil || setsExpiry
    guard json == before.json, !replacesExpiry || expires == before.expires else {
      throw Refusal(.conflict, "The document was changed meanwhile. Look at what it is now.")
    }
  }

  fileprivate static var gone: Refusal {
    Refusal(.notFound, "There is no such document any longer. It was deleted, or it has expired.")
  }
}

extension DocumentChange.Version {
  /// Reads the document with the key.
  ///
  /// - Throws: `Refusal` if there is none.
  init(of key: String, in documents: BlockingDocuments<some StoreReader, Document>) throws {
    guard let json = try documents.json(key) else { throw DocumentChange.gone }
    self.init(json: json, expires: try documents.expiry(of: key)?.studioText)
  }
}
