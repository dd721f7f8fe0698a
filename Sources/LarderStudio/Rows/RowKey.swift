import Foundation
import HTTPTypes
import Larder

/// The key of a row as the page keeps it: a JSON array of texts, each with a letter for the kind of its value.
///
/// Every value comes back as it was: `1`, `1.0` and `"1"` are three keys in a file without column types.
struct RowKey: Hashable, Sendable, Codable {
  let values: [Value]

  init(_ values: [Value]) {
    self.values = values
  }

  /// Creates the key of a row; nil if nothing identifies the row. SQLite lets many rows have no value in their key.
  init?(of row: Row, in table: TableDescription) {
    let values = table.key.map { row[$0.name] ?? .null }
    guard !values.isEmpty, !values.contains(.null) else { return nil }
    self.values = values
  }

  /// Creates the key that an address or a request names.
  ///
  /// - Throws: `Refusal` if the text is no key.
  init(text: String) throws {
    guard let parts = try? JSONDecoder().decode([String].self, from: Data(text.utf8)) else { throw Self.invalid }
    values = try Self.values(parts)
  }

  init(from decoder: any Decoder) throws {
    values = try Self.values([String](from: decoder))
  }

  func encode(to encoder: any Encoder) throws {
    try values.map(Self.text).encode(to: encoder)
  }

  private static var invalid: Refusal { Refusal(.badRequest, "The key of the row cannot be read.") }

  private static func values(_ parts: [String]) throws -> [Value] {
    let values = try parts.map(value)
    guard !values.contains(.null) else {
      throw Refusal(
        .unprocessableContent, "Rows without a value in their key can't be told apart. Change them with SQL.")
    }
    return values
  }

  private static func text(_ value: Value) -> String {
    switch value {
    case .null: "n"
    case .integer(let integer): "i\(integer)"
    case .real(let real): "r\(real)"
    case .text(let text): "t\(text)"
    case .blob(let data): "b\(data.base64EncodedString())"
    }
  }

  private static func value(_ text: String) throws -> Value {
    // The letter may be one character with the combining mark that the text behind it begins with.
    let rest = String(text.unicodeScalars.dropFirst())
    switch text.unicodeScalars.first {
    case "n" where rest.isEmpty: return .null
    case "i": if let integer = Int64(rest) { return .integer(integer) }
    case "r": if let real = Double(rest), !real.isNaN { return .real(real) }
    case "t": return .text(rest)
    case "b": if let data = Data(base64Encoded: rest) { return .blob(data) }
    default: break
    }
    throw invalid
  }
}
