import Foundation

/// Converts values of a collection's type to documents and back.
struct DocumentCoding<Content: Codable>: Sendable {
  let collection: String

  /// Returns the document to write. Without a given key, it takes the value's property `key`.
  func encode(_ key: String?, _ value: Content, expires: Date?) throws -> EncodedDocument {
    do {
      if let document = value as? Document {
        return try EncodedDocument(key: try key ?? ownKey(document), document, expires: expires)
      }
      let encoder = DocumentEncoder()
      guard case .object(let document) = try encoder.encode(value) else {
        throw StoreError(
          .invalidValue, "\(Content.self) does not encode as an object with properties. Wrap it in a struct.")
      }
      let ownKey = try key ?? (value as? any StoredDocument)?.key ?? ownKey(document)
      return try EncodedDocument(key: ownKey, document, unset: encoder.unset, expires: expires)
    } catch let error as StoreError {
      throw error.naming(collection)
    } catch let error as EncodingError {
      throw StoreError(
        .invalidValue, model: collection,
        "A \(Content.self) cannot be written to \(collection): \(error.shortDescription). Store what encodes.")
    }
  }

  /// Returns the document to write for JSON text.
  func read(_ key: String, json: String, expires: Date?) throws -> EncodedDocument {
    do {
      return try EncodedDocument(key: key, json: json, expires: expires)
    } catch let error as StoreError {
      throw StoreError(
        error.code, model: collection, property: error.property,
        "\(error.message) It was given for the key \"\(key)\" of \(collection).")
    }
  }

  /// Returns the documents to write for JSON texts.
  func read(_ texts: some Sequence<(key: String, value: String)>, expires: Date?) throws -> [EncodedDocument] {
    try texts.enumerated().map { position, text in
      do {
        return try read(text.key, json: text.value, expires: expires)
      } catch let error as StoreError {
        throw StoreError(
          error.code, model: error.model, property: error.property, "In text \(position): \(error.message)")
      }
    }
  }

  private func ownKey(_ document: Document) throws -> String {
    if case .text(let key) = document["key"] { return key }
    throw StoreError(
      .invalidValue, property: "key",
      "A \(Content.self) for \(collection) has no text property \"key\". Add one, or save it with a key.")
  }

  func decode(_ key: String, json: String) throws -> Content {
    var json = json
    return try json.withUTF8 { try decode(key, $0) }
  }

  func decode(_ key: String, _ json: UnsafeBufferPointer<UInt8>) throws -> Content {
    try decode(key, DocumentReader.document(json, of: key, in: collection))
  }

  /// Decodes the value of a document, and collects the references in it if `references` isn't nil.
  func decode(_ key: String, _ document: Document, references: DocumentReferences? = nil) throws -> Content {
    do {
      if let value = document as? Content { return value }
      return try Content(from: DocumentDecoder(.object(document), key: key, references: references))
    } catch let error as DecodingError {
      throw StoreError(
        .invalidValue, model: collection,
        "The document \"\(key)\" of \(collection) does not decode as \(Content.self): \(error.shortDescription). Correct it, or make the property optional."
      )
    }
  }
}

/// A coding key for a name or position that isn't a property.
struct DocumentCodingKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }
}

extension DocumentValue: Codable {
  public init(from decoder: any Decoder) throws {
    if let decoder = decoder as? DocumentDecoder {
      self = decoder.value
      return
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let bool = try? container.decode(Bool.self) {
      self = .bool(bool)
    } else if let integer = Self.integer(in: container) {
      self = .integer(integer)
    } else if let real = try? container.decode(Double.self) {
      if let number = try? container.decode(Decimal.self), !DocumentReader.isExact(real, "\(number)") {
        throw DecodingError.dataCorruptedError(
          in: container,
          debugDescription:
            "Neither a 64-bit integer nor a double holds the number. Write it as text, in quotation marks.")
      }
      self = .real(real)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let array = try? container.decode([DocumentValue].self) {
      self = .array(array)
    } else {
      self = .object(try container.decode(Document.self))
    }
  }

  /// The integer, because Foundation's decoder truncates a number that doesn't fit a double.
  private static func integer(in container: any SingleValueDecodingContainer) -> Int64? {
    guard let integer = try? container.decode(Int64.self) else { return nil }
    guard let number = try? container.decode(Decimal.self) else { return integer }
    return number == Decimal(integer) ? integer : nil
  }

  public func encode(to encoder: any Encoder) throws {
    if let encoder = encoder as? DocumentEncoder {
      encoder.result.value = .value(self)
      return
    }
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let bool): try container.encode(bool)
    case .integer(let integer): try container.encode(integer)
    case .real(let real): try container.encode(real)
    case .text(let text): try container.encode(text)
    case .array(let array): try container.encode(array)
    case .object(let document): try document.encode(to: encoder)
    }
  }
}

extension Document: Codable {
  public init(from decoder: any Decoder) throws {
    if let decoder = decoder as? DocumentDecoder, case .object(let document) = decoder.value {
      self = document
      return
    }
    let container = try decoder.container(keyedBy: DocumentCodingKey.self)
    self.init(try container.allKeys.map { ($0.stringValue, try container.decode(DocumentValue.self, forKey: $0)) })
  }

  public func encode(to encoder: any Encoder) throws {
    if let encoder = encoder as? DocumentEncoder {
      encoder.result.value = .value(.object(self))
      return
    }
    var container = encoder.container(keyedBy: DocumentCodingKey.self)
    for (name, value) in self { try container.encode(value, forKey: DocumentCodingKey(stringValue: name)) }
  }
}
