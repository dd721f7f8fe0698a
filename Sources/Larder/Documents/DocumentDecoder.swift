import Foundation

/// Decodes any `Decodable` from a document value. Boolean values are read leniently: see ``DocumentValue/bool``.
struct DocumentDecoder: Decoder {
  let value: DocumentValue
  /// The document's key, which the document's own property `key` is decoded from.
  let key: String?
  let codingPath: [any CodingKey]
  /// Collects references to other documents; nil if they aren't needed.
  let references: DocumentReferences?
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(
    _ value: DocumentValue, key: String? = nil, at codingPath: [any CodingKey] = [],
    references: DocumentReferences? = nil
  ) {
    self.value = value
    self.references = references
    self.key = key
    self.codingPath = codingPath
  }

  func decode<Output: Decodable>(_ type: Output.Type) throws -> Output {
    switch type {
    case is Bool.Type: return try cast(value.bool, type)
    case is String.Type: return try cast(value.text, type)
    case is Int.Type: return try cast(value.integer.flatMap { Int(exactly: $0) }, type)
    case is Int64.Type: return try cast(value.integer, type)
    case is Double.Type: return try cast(value.real, type)
    case is Date.Type: return try cast(value.date, type)
    case is Data.Type: return try cast(value.text.flatMap { Data(base64Encoded: $0) }, type)
    case is UUID.Type: return try cast(value.text.flatMap { UUID(uuidString: $0) }, type)
    case is URL.Type: return try cast(value.text.flatMap { URL(string: $0) }, type)
    case is Decimal.Type: return try cast(value.decimal, type)
    default: return try Output(from: self)
    }
  }

  private func cast<Output>(_ found: Any?, _ type: Output.Type) throws -> Output {
    if let found = found as? Output { return found }
    throw mismatch(type)
  }

  fileprivate func mismatch(_ type: Any.Type) -> DecodingError {
    let context = DecodingError.Context(codingPath: codingPath, debugDescription: "")
    return value.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }

  fileprivate func nested(_ value: DocumentValue, _ key: any CodingKey) -> DocumentDecoder {
    DocumentDecoder(value, at: codingPath + [key], references: references)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let document) = value else { throw mismatch([String: Any].self) }
    return KeyedDecodingContainer(DocumentKeyedDecoding(decoder: self, document: document))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let values) = value else { throw mismatch([Any].self) }
    return DocumentUnkeyedDecoding(decoder: self, values: values)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { DocumentSingleDecoding(decoder: self) }
}

private struct DocumentKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: DocumentDecoder
  let document: Document
  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { document.names.compactMap { Key(stringValue: $0) } }

  private func find(_ key: some CodingKey) -> DocumentValue? {
    if let documentKey = decoder.key, key.stringValue == "key" { return .text(documentKey) }
    return document[key.stringValue]
  }

  private func nested(_ key: some CodingKey) throws -> DocumentDecoder {
    guard let value = find(key) else {
      throw DecodingError.keyNotFound(key, DecodingError.Context(codingPath: codingPath, debugDescription: ""))
    }
    return decoder.nested(value, key)
  }

  func contains(_ key: Key) -> Bool { find(key) != nil }
  func decodeNil(forKey key: Key) throws -> Bool { try nested(key).value.isNull }
  func decode<Output: Decodable>(_ type: Output.Type, forKey key: Key) throws -> Output { try nested(key).decode(type) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try nested(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try nested(key).unkeyedContainer()
  }
  func superDecoder() throws -> any Decoder { try nested(DocumentCodingKey(stringValue: "super")) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try nested(key) }
}

private struct DocumentUnkeyedDecoding: UnkeyedDecodingContainer {
  let decoder: DocumentDecoder
  let values: [DocumentValue]
  var currentIndex = 0

  init(decoder: DocumentDecoder, values: [DocumentValue]) {
    self.decoder = decoder
    self.values = values
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { values.count }
  var isAtEnd: Bool { currentIndex >= values.count }

  private func current() throws -> DocumentDecoder {
    let key = DocumentCodingKey(intValue: currentIndex)
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        Any.self, DecodingError.Context(codingPath: codingPath + [key], debugDescription: ""))
    }
    return decoder.nested(values[currentIndex], key)
  }

  mutating func decodeNil() throws -> Bool {
    guard try current().value.isNull else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Output: Decodable>(_ type: Output.Type) throws -> Output {
    let output = try current().decode(type)
    currentIndex += 1
    return output
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
    let container = try current().container(keyedBy: type)
    currentIndex += 1
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try current().unkeyedContainer()
    currentIndex += 1
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let nested = try current()
    currentIndex += 1
    return nested
  }
}

private struct DocumentSingleDecoding: SingleValueDecodingContainer {
  let decoder: DocumentDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  private func integer<Output: FixedWidthInteger>(_ type: Output.Type) throws -> Output {
    guard let integer = decoder.value.integer, let output = Output(exactly: integer) else {
      throw decoder.mismatch(type)
    }
    return output
  }

  func decodeNil() -> Bool { decoder.value.isNull }
  func decode(_ type: Bool.Type) throws -> Bool { try decoder.decode(type) }
  func decode(_ type: String.Type) throws -> String { try decoder.decode(type) }
  func decode(_ type: Double.Type) throws -> Double { try decoder.decode(type) }
  func decode(_ type: Int.Type) throws -> Int { try integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }

  func decode(_ type: Float.Type) throws -> Float {
    guard let real = decoder.value.real, let number = Float("\(real)"), number.isFinite else {
      throw decoder.mismatch(type)
    }
    return number
  }

  func decode<Output: Decodable>(_ type: Output.Type) throws -> Output { try decoder.decode(type) }
}
