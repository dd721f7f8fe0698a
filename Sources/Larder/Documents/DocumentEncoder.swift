import Foundation

/// Encodes any `Encodable` as a document value. Dates become ISO 8601 text, data becomes base64, UUIDs and decimals
/// become text.
final class DocumentEncoder: Encoder {
  /// The value that was encoded at one place, or the container that is being filled.
  final class Box {
    enum Content {
      case value(DocumentValue)
      case array([Box])
      case object([(name: String, box: Box)])
    }

    var value: Content = .object([])

    func finished() -> DocumentValue {
      switch value {
      case .value(let value): value
      case .array(let boxes): .array(boxes.map { $0.finished() })
      case .object(let members): .object(Document(members.map { ($0.name, $0.box.finished()) }))
      }
    }
  }

  let result: Box
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]
  /// The document's own properties that are nil. They belong to the type even if no value was ever stored.
  var unset: [String] = []
  /// The depth of values being encoded.
  fileprivate let depth: Int

  /// The largest depth: twice that of a document, for types that wrap another. Objects that refer to one another in a
  /// cycle would never end.
  private static let depthLimit = 2 * DocumentWriter.depthLimit

  init(_ result: Box = Box(), at codingPath: [any CodingKey] = [], depth: Int = 0) {
    self.result = result
    self.codingPath = codingPath
    self.depth = depth
  }

  func encode(_ value: some Encodable) throws -> DocumentValue {
    try Self.fill(result, value, codingPath, depth: depth, self)
    return result.finished()
  }

  /// Encodes the value into the box.
  static func fill(
    _ box: Box, _ value: some Encodable, _ path: [any CodingKey], depth: Int, _ encoder: DocumentEncoder? = nil
  ) throws {
    switch value {
    case let date as Date: box.value = .value(try stored(date, path))
    case let data as Data: box.value = .value(.text(data.base64EncodedString()))
    case let uuid as UUID: box.value = .value(uuid.documentValue)
    case let url as URL: box.value = .value(.text(url.absoluteString))
    case let decimal as Decimal: box.value = .value(try stored(decimal, path))
    default:
      guard depth <= depthLimit else { throw tooDeep(path) }
      try value.encode(to: encoder ?? DocumentEncoder(box, at: path, depth: depth))
    }
  }

  private static func tooDeep(_ path: [any CodingKey]) -> StoreError {
    let name = path.first?.stringValue
    return StoreError(
      .invalidValue, property: name,
      "\(name.map { "The property \($0)" } ?? "The value") nests more values than a document can, or they hold one another in a circle. Keep them as documents of their own, with a DocumentReference to each."
    )
  }

  fileprivate static func stored(
    _ value: some DocumentValueConvertible, _ path: [any CodingKey]
  ) throws -> DocumentValue {
    do {
      return try value.documentValue
    } catch let error as StoreError {
      let place = path.map(\.stringValue).joined(separator: ".")
      throw StoreError(
        error.code, property: path.first?.stringValue, "The property \(place) cannot be stored. \(error.message)")
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(DocumentKeyedEncoding<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .array = result.value {} else { result.value = .array([]) }
    return DocumentUnkeyedEncoding(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    DocumentSingleEncoding(encoder: self)
  }

  fileprivate func add(_ name: String, _ box: Box) {
    guard case .object(var members) = result.value else { return }
    // The members are moved out of the box meanwhile, so that they aren't copied.
    result.value = .value(.null)
    members.append((name, box))
    result.value = .object(members)
  }

  /// Returns what was already encoded under the name, if a container is requested again.
  fileprivate func member(_ name: String) -> Box? {
    if case .object(let members) = result.value { members.last { $0.name == name }?.box } else { nil }
  }
}

private struct DocumentKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: DocumentEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  private func box(_ key: some CodingKey) -> DocumentEncoder.Box {
    let box = DocumentEncoder.Box()
    encoder.add(key.stringValue, box)
    return box
  }

  private func nested(_ key: some CodingKey) -> DocumentEncoder {
    DocumentEncoder(encoder.member(key.stringValue) ?? box(key), at: codingPath + [key], depth: encoder.depth + 1)
  }

  func encodeNil(forKey key: Key) { box(key).value = .value(.null) }

  func encode<Input: Encodable>(_ value: Input, forKey key: Key) throws {
    try DocumentEncoder.fill(box(key), value, codingPath + [key], depth: encoder.depth + 1)
  }

  private func encode<Input: Encodable>(optional value: Input?, _ key: Key) throws {
    if let value { return try encode(value, forKey: key) }
    encoder.unset.append(key.stringValue)
  }

  func encodeIfPresent<Input: Encodable>(_ value: Input?, forKey key: Key) throws { try encode(optional: value, key) }
  func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encode(optional: value, key) }
  func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encode(optional: value, key) }
  func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encode(optional: value, key) }
  func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encode(optional: value, key) }
  func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encode(optional: value, key) }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encode(optional: value, key) }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested>
  {
    nested(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { nested(key).unkeyedContainer() }
  func superEncoder() -> any Encoder { nested(DocumentCodingKey(stringValue: "super")) }
  func superEncoder(forKey key: Key) -> any Encoder { nested(key) }
}

private struct DocumentUnkeyedEncoding: UnkeyedEncodingContainer {
  let encoder: DocumentEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  var count: Int {
    if case .array(let boxes) = encoder.result.value { boxes.count } else { 0 }
  }

  private func box() -> DocumentEncoder.Box {
    let box = DocumentEncoder.Box()
    guard case .array(var boxes) = encoder.result.value else { return box }
    // The elements are moved out of the box meanwhile, so that they aren't copied.
    encoder.result.value = .value(.null)
    boxes.append(box)
    encoder.result.value = .array(boxes)
    return box
  }

  private func nested() -> DocumentEncoder {
    let path = codingPath + [DocumentCodingKey(intValue: count)]
    return DocumentEncoder(box(), at: path, depth: encoder.depth + 1)
  }

  func encodeNil() { box().value = .value(.null) }

  func encode<Input: Encodable>(_ value: Input) throws {
    let path = codingPath + [DocumentCodingKey(intValue: count)]
    try DocumentEncoder.fill(box(), value, path, depth: encoder.depth + 1)
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    nested().container(keyedBy: type)
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }
  func superEncoder() -> any Encoder { nested() }
}

private struct DocumentSingleEncoding: SingleValueEncodingContainer {
  let encoder: DocumentEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  private func set(_ value: DocumentValue) { encoder.result.value = .value(value) }

  func encodeNil() { set(.null) }
  func encode(_ value: Bool) { set(.bool(value)) }
  func encode(_ value: String) { set(.text(value)) }
  func encode(_ value: Double) { set(.real(value)) }
  // The shortest digits of the narrower type, which read back as the same number.
  func encode(_ value: Float) { set(.real(Double("\(value)") ?? Double(value))) }
  func encode(_ value: Int) { set(.integer(Int64(value))) }
  func encode(_ value: Int8) { set(.integer(Int64(value))) }
  func encode(_ value: Int16) { set(.integer(Int64(value))) }
  func encode(_ value: Int32) { set(.integer(Int64(value))) }
  func encode(_ value: Int64) { set(.integer(value)) }
  func encode(_ value: UInt) throws { try encode(UInt64(value)) }
  func encode(_ value: UInt8) { set(.integer(Int64(value))) }
  func encode(_ value: UInt16) { set(.integer(Int64(value))) }
  func encode(_ value: UInt32) { set(.integer(Int64(value))) }

  func encode(_ value: UInt64) throws {
    set(try DocumentEncoder.stored(value, codingPath))
  }

  func encode<Input: Encodable>(_ value: Input) throws {
    try DocumentEncoder.fill(encoder.result, value, codingPath, depth: encoder.depth + 1)
  }
}
