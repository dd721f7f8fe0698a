import Foundation
import Larder

/// A value as the page shows it.
enum Cell: Encodable, Hashable, Sendable {
  case null
  case text(String)
  /// The beginning of a text, and the number of bytes of all of it.
  case cut(String, size: Int)
  /// The number of bytes, and the first of them in Base64.
  case bytes(Data, size: Int)

  /// The number of characters of a value in a list of rows.
  static let listed = 160
  /// The number of characters of a value that can be edited.
  static let edited = 1_000_000

  /// - Parameters:
  ///   - value: The stored value.
  ///   - property: Its property; nil for a column of SQL.
  ///   - limit: The number of characters or bytes that are shown.
  init(_ value: Value, of property: TableDescription.Property?, limit: Int) {
    switch value {
    case .null: self = .null
    case .blob(let data) where property?.type != .uuid || data.count != 16:
      // A slice would keep all of the bytes.
      self = .bytes(Data(data.prefix(limit)), size: data.count)
    case .text(let text): self = Self.text(text, limit: limit)
    default: self = Self.text(property?.text(of: value) ?? value.plainText, limit: limit)
    }
  }

  private static func text(_ text: String, limit: Int) -> Cell {
    // Counting bytes takes no time; counting characters does.
    guard text.utf8.count > limit else { return .text(text) }
    let start = text.prefix(limit)
    return start.endIndex == text.endIndex ? .text(text) : .cut(String(start), size: text.utf8.count)
  }

  private enum CodingKeys: String, CodingKey { case text, size, bytes }

  func encode(to encoder: any Encoder) throws {
    switch self {
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .text(let text):
      var container = encoder.singleValueContainer()
      try container.encode(text)
    case .cut(let text, let size):
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(text, forKey: .text)
      try container.encode(size, forKey: .size)
    case .bytes(let data, let size):
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(data.base64EncodedString(), forKey: .bytes)
      try container.encode(size, forKey: .size)
    }
  }
}

extension Value {
  /// The value without a property that says what it means.
  var plainText: String {
    switch self {
    case .null: "nil"
    case .integer(let integer): String(integer)
    case .real(let real): String(real)
    case .text(let text): text
    case .blob(let data): data.base64EncodedString()
    }
  }
}
