import Foundation
import Larder

/// JSON as the tool writes it.
enum JSONText {
  /// Returns the value as JSON in one line. Characters that drive a terminal are escaped, which changes no value.
  static func line(_ value: DocumentValue) throws -> String {
    let text = try value.json()
    guard text.utf8.contains(where: { $0 >= 0x7F }) else { return text }
    var escaped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar.value < 0x7F || DisplayText.isSafe(scalar) {
        escaped.append(scalar)
      } else {
        for unit in UTF16.encode(scalar) ?? .init() {
          let digits = String(unit, radix: 16)
          escaped.append(contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".unicodeScalars)
        }
      }
    }
    return String(escaped)
  }

  /// Returns the object of a row.
  static func object(_ columns: [ColumnCoding], _ values: [Value]) -> DocumentValue {
    .object(Document(zip(columns, values).map { ($0.name, $0.json($1)) }))
  }
}

extension DocumentValue {
  /// An integer, or null.
  init(_ number: Int?) { self = number.map { .integer(Int64($0)) } ?? .null }
  /// A text, or null.
  init(_ text: String?) { self = text.map { .text($0) } ?? .null }
  /// The values with their names, without those that are nil.
  static func record(_ values: KeyValuePairs<String, DocumentValue?>) -> DocumentValue {
    .object(Document(values.compactMap { name, value in value.map { (name, $0) } }))
  }
}

extension JSONText {
  /// Returns the value as JSON over several lines.
  static func indented(_ value: DocumentValue, _ depth: Int = 0) throws -> String {
    let (space, end) = (String(repeating: "  ", count: depth + 1), String(repeating: "  ", count: depth))
    switch value {
    case .array(let elements) where !elements.isEmpty:
      let lines = try elements.map { space + (try indented($0, depth + 1)) }
      return "[\n\(lines.joined(separator: ",\n"))\n\(end)]"
    case .object(let entries) where !entries.isEmpty:
      let lines = try entries.map { entry in
        "\(space)\(try line(.text(entry.name))): \(try indented(entry.value, depth + 1))"
      }
      return "{\n\(lines.joined(separator: ",\n"))\n\(end)}"
    default: return try line(value)
    }
  }
}
