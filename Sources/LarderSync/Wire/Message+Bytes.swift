internal import Foundation
internal import SwiftProtobuf

extension Message {
  /// The message as bytes.
  func encoded() throws -> Data { try serializedBytes() }

  /// Reads a message.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - ignoresUnknownFields: Whether fields that this version doesn't know are left aside. Otherwise they are refused.
  static func decoded(_ bytes: Data, ignoresUnknownFields: Bool = false) throws(BatchError.Problem) -> Self {
    guard let message = try? Self(serializedBytes: bytes) else { throw .init("the message isn't protobuf") }
    guard ignoresUnknownFields || message.unknownFields.data.isEmpty else {
      throw .init("there are fields that the version doesn't know")
    }
    return message
  }
}
