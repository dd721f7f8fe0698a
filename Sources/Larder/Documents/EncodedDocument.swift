import Foundation

/// A document as it is written to the file.
struct EncodedDocument: Sendable {
  let key: String
  let json: String
  /// The names of its properties.
  let properties: [String]
  let expires: Date?

  private init(key: String, _ json: String, _ properties: [String], expires: Date?) throws {
    if let expires, !expires.timeIntervalSinceReferenceDate.isFinite {
      throw StoreError(
        .invalidValue, property: "expires", "The date of expiry is not a finite number. Give a date, or nil for none.")
    }
    self.key = key
    self.json = json
    self.properties = properties
    self.expires = expires
  }

  /// Omits a property named `key`, which is the document's key. Throws ``StoreError`` `.invalidValue` for a value that
  /// JSON can't represent.
  init(key: String, _ document: Document, unset: [String] = [], expires: Date?) throws {
    var document = document
    document["key"] = nil
    try self.init(key: key, DocumentWriter.json(of: document), document.names + unset, expires: expires)
  }

  /// Omits a property named `key`. Throws ``StoreError`` `.invalidValue` with the position of invalid JSON.
  init(key: String, json: String, expires: Date?) throws {
    if let scanned = DocumentScanner.scan(json) {
      try self.init(key: key, scanned.json, scanned.properties, expires: expires)
    } else {
      try self.init(key: key, DocumentReader.document(json), expires: expires)
    }
  }

  /// The properties that a collection maintains itself if it records times.
  static let times = ["addedAt", "updatedAt"]

  /// Returns the document with the times at which it was added and updated, which replace its own values of these
  /// names.
  ///
  /// - Parameter addedAt: Nil if the time is unknown.
  func keepingTimes(addedAt: DocumentValue?, updatedAt: DocumentValue) throws -> EncodedDocument {
    var json = json
    if properties.contains(where: Self.times.contains) {
      var document = try DocumentReader.storedDocument(json)
      for name in Self.times { document[name] = nil }
      json = try DocumentWriter.json(of: document)
    }
    var times = Document()
    times["addedAt"] = addedAt
    times["updatedAt"] = updatedAt
    let members = try DocumentWriter.json(of: times).dropFirst()
    json = String(json.dropLast()) + (json == "{}" ? "" : ",") + members
    return try EncodedDocument(
      key: key, json, properties.filter { !Self.times.contains($0) } + Self.times, expires: expires)
  }
}
