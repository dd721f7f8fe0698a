internal import Foundation

/// The binary property list inside an archive: an array of one element, so that a number or a text can be archived too.
enum PropertyListPayload {
  /// How Foundation's property list encoder writes `nil`.
  static let null = "$null"

  /// Throws what the value's `encode(to:)` throws, and ``ArchiveError`` `.invalidValue` for an `EncodingError`.
  static func encode(_ value: some Encodable, context: ArchiveContext? = nil) throws -> Data {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    if let context { encoder.userInfo[.archiveContext] = context }
    do {
      return try encoder.encode(CollectionOfOne(value).map { $0 })
    } catch let error as EncodingError {
      throw ArchiveError(error, type: ArchiveTag.name(of: type(of: value)))
    }
  }

  /// The value of a payload that a ``PropertyListValidator`` has passed.
  static func decode<T: Decodable>(_ type: T.Type, from payload: Data, context: ArchiveContext?) throws -> T {
    let decoder = PropertyListDecoder()
    if let context { decoder.userInfo[.archiveContext] = context }
    do {
      return try decoder.decode(SingleElement<T>.self, from: payload).value
    } catch let error as DecodingError {
      throw ArchiveError(error, type: ArchiveTag.name(of: type))
    }
  }

  /// The one element of a payload.
  static func root(of node: PropertyListNode) throws -> PropertyListNode {
    guard let elements = node.array, elements.count == 1, let root = elements.first else {
      throw BinaryPropertyList.damaged("does not hold one value")
    }
    return root
  }
}

private struct SingleElement<Value: Decodable>: Decodable {
  let value: Value

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    value = try container.decode(Value.self)
    guard container.isAtEnd else { throw BinaryPropertyList.damaged("does not hold one value") }
  }
}
