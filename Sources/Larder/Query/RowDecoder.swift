import Foundation

/// Decodes a `Decodable` from a row, with the column names as keys. Types that aren't stored directly are decoded from
/// JSON.
struct RowDecoder: Decoder {
  let row: Row
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Container<Key>(row: row, codingPath: []))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "a row is not an array"))
  }

  /// A single value is decoded from the first column.
  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    guard let first = row.first else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "the row has no columns"))
    }
    return SingleValue(value: first.value, codingPath: [])
  }

  private struct Container<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let row: Row
    let codingPath: [any CodingKey]
    var allKeys: [Key] { row.names.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { row[key.stringValue] != nil }

    private func value(_ key: Key) throws -> SingleValue {
      guard let value = row[key.stringValue] else {
        throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "no such column"))
      }
      return SingleValue(value: value, codingPath: codingPath + [key])
    }

    func decodeNil(forKey key: Key) throws -> Bool { try value(key).decodeNil() }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try value(key).decode(type) }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
      throw DecodingError.dataCorrupted(
        .init(codingPath: codingPath + [key], debugDescription: "a column holds one value"))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      throw DecodingError.dataCorrupted(
        .init(codingPath: codingPath + [key], debugDescription: "a column holds one value"))
    }

    func superDecoder() throws -> any Decoder { RowDecoder(row: row) }
    func superDecoder(forKey key: Key) throws -> any Decoder { RowDecoder(row: row) }
  }

  private struct SingleValue: SingleValueDecodingContainer {
    let value: Value
    let codingPath: [any CodingKey]

    func decodeNil() -> Bool { value.isNull }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
      do {
        if let stored = type as? any StoredValue.Type, let result = try stored.init(storedValue: value) as? T {
          return result
        }
        if let raw = try (type as? any RawRepresentable.Type).flatMap({ try Self.raw($0, value) }) as? T { return raw }
        return try Self.json(type, self)
      } catch is ValueFailure {
        throw DecodingError.typeMismatch(
          type, .init(codingPath: codingPath, debugDescription: "a value of kind \(value.kindName)"))
      }
    }

    /// Decodes a type of several values from the column's JSON, and a type of a single value from the column itself.
    private static func json<Output: Decodable>(_ type: Output.Type, _ value: SingleValue) throws -> Output {
      do {
        return try JSONCoding.decode(value.value)
      } catch let failure as ValueFailure {
        guard let result = try? Output(from: ColumnDecoder(value: value)) else { throw failure }
        return result
      }
    }

    private static func raw<Output: RawRepresentable>(_ type: Output.Type, _ value: Value) throws -> Output? {
      guard let stored = Output.RawValue.self as? any StoredValue.Type else { return nil }
      guard let rawValue = try stored.init(storedValue: value) as? Output.RawValue,
        let result = Output(rawValue: rawValue)
      else {
        throw ValueFailure.unknownRawValue(type)
      }
      return result
    }
  }

  /// Decodes the value of one column.
  private struct ColumnDecoder: Decoder {
    let value: SingleValue
    var codingPath: [any CodingKey] { value.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
      throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: "a column holds one value"))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
      throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: "a column holds one value"))
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { value }
  }
}
