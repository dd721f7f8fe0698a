internal import Foundation

/// The binary property list inside an archive: an array of one element, so that a number or a text can be archived too.
enum PropertyListPayload {
  /// Throws what the value's `encode(to:)` throws, and ``ArchiveError`` `.invalidValue` for an `EncodingError` and
  /// `.limitExceeded`.
  static func encode<Value: Encodable>(_ value: Value, context: ArchiveContext) throws -> Data {
    let writer = PropertyListWriter(limits: context.limits)
    let encoder = PropertyListValueEncoder(writer, userInfo: context.encodingInfo)
    do {
      writer.append(try encoder.add(value, PlainKey(0)), to: PropertyListWriter.top)
      if writer.hasArchivableMembers { context.noteArchivableMembers() }
      return try writer.finish()
    } catch let error as EncodingError {
      throw ArchiveError(error, type: ArchiveTag.name(of: type(of: value)))
    } catch let error as ArchiveError where error.type == nil {
      throw ArchiveError(error.code, type: ArchiveTag.name(of: type(of: value)), keyPath: error.keyPath, error.message)
    }
  }

  /// Decodes the value of a payload that a ``PropertyListValidator`` has accepted.
  static func decode<T: Decodable>(_ type: T.Type, from payload: Data, context: ArchiveContext) throws -> T {
    try payload.withUnsafeBytes { bytes in
      let list = try BinaryPropertyList(bytes)
      guard case .array(let elements) = try list.object(list.top), elements.count == 1 else {
        throw BinaryPropertyList.damaged("does not hold one value")
      }
      let source = PropertyListValueDecoder.Source(list, context: context)
      defer { source.close() }
      let decoder = PropertyListValueDecoder(source: source, number: list.top, path: nil, hasVersions: true)
      do {
        return try decoder.value(type, try list.reference(0, in: elements), PlainKey(0))
      } catch let error as DecodingError {
        throw ArchiveError(error, type: ArchiveTag.name(of: type))
      }
    }
  }

  /// Returns the only element of a payload.
  static func root(of node: PropertyListNode) throws -> PropertyListNode {
    guard let elements = node.array, elements.count == 1, let root = elements.first else {
      throw BinaryPropertyList.damaged("does not hold one value")
    }
    return root
  }
}
