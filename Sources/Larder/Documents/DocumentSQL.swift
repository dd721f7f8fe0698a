/// How SQL names the properties of a document, which is JSON text in a column called `json`.
enum DocumentSQL {
  /// The SQL of a property's value: JSON's texts, numbers and truth values as SQL's own, arrays and objects as their JSON.
  ///
  /// - Parameters:
  ///   - row: The name of the row, where a plain `json` would be another's.
  ///   - holdsNull: Whether it is compared with text that holds a NUL, at which SQLite's own functions would end it.
  static func value(_ property: String, of row: String? = nil, holdsNull: Bool = false) -> String {
    let prefix = row.map { "\($0)." } ?? ""
    if property == "key" { return "\(prefix)key" }
    guard !holdsNull, let path = path(property) else { return "larder_property(\(prefix)json, \(literal(property)))" }
    return "json_extract(\(prefix)json, \(path))"
  }

  /// The SQL of the kind of a property's value: "array", "text", "integer" and so on, or NULL.
  static func type(_ property: String) -> String {
    if property == "key" { return "'text'" }
    guard let path = path(property) else { return "larder_property_type(json, \(literal(property)))" }
    return "json_type(json, \(path))"
  }

  /// SQLite's path of a property, as a constant: an index is used only where the query has the very same expression.
  ///
  /// A path's names are compared with the characters of the JSON, escapes and all, and end at a quotation mark, or, without quotation marks, at
  /// a point or bracket. A name with both has no path in the older versions: nil. Source: <https://www.sqlite.org/json1.html#path_arguments>.
  private static func path(_ property: String) -> String? {
    let name = DocumentWriter.escaped(property)
    guard property.utf8.contains(UInt8(ascii: "\"")) else { return literal("$.\"\(name)\"") }
    return property.utf8.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "[") } ? nil : literal("$.\(name)")
  }

  private static func literal(_ text: String) -> String {
    // A constant of SQL text ends at a NUL.
    Dialect.sqlite.literal(Value.text(text))
  }

  /// The condition of a document that has not expired.
  static let isLive = "(expires IS NULL OR expires > larder_now())"

  /// What finds properties whose names no path of SQLite's can say.
  static let functions = [
    ScalarFunction("larder_property", 2) { values in
      guard let value = try property(values) else { return .null }
      switch value {
      case .null: return .null
      case .bool(let bool): return .integer(bool ? 1 : 0)
      case .integer(let integer): return .integer(integer)
      case .real(let real): return .real(real)
      case .text(let text): return .text(text)
      case .array(let values): return .text(try DocumentWriter.json(of: values))
      case .object(let document): return .text(try DocumentWriter.json(of: document))
      }
    },
    ScalarFunction("larder_property_type", 2) { values in
      switch try property(values) {
      case nil: .null
      case .null: .text("null")
      case .bool(let bool): .text(bool ? "true" : "false")
      case .integer: .text("integer")
      case .real: .text("real")
      case .text: .text("text")
      case .array: .text("array")
      case .object: .text("object")
      }
    },
  ]

  private static func property(_ values: [Value]) throws -> DocumentValue? {
    guard let json = values[0].text, let name = values[1].text else { return nil }
    return try DocumentReader.document(json)[name]
  }
}
