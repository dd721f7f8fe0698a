/// SQL for the properties of a document, which is JSON text in a column named `json`.
enum DocumentSQL {
  /// Returns the SQL of the value at a path: texts, numbers and Boolean values as SQL values, arrays and objects as
  /// JSON.
  ///
  /// - Parameters:
  ///   - row: The name of the row, if `json` alone would be ambiguous.
  ///   - holdsNull: Whether the text may contain a NUL, at which SQLite's own functions would stop.
  static func value(_ path: DocumentPath, of row: String? = nil, holdsNull: Bool = false) -> String {
    let prefix = row.map { "\($0)." } ?? ""
    if path.isKey { return "\(prefix)key" }
    if !holdsNull, let text = sqlitePath(path) { return "json_extract(\(prefix)json, \(text))" }
    guard path.steps.count > 1 else { return "larder_property(\(prefix)json, \(literal(path.property)))" }
    return "larder_value_at(\(prefix)json, \(literal(steps(of: path))))"
  }

  /// Returns the SQL of the kind of the value at a path: "array", "text", "integer" and so on, or NULL.
  static func type(_ path: DocumentPath) -> String {
    if path.isKey { return "'text'" }
    if let text = sqlitePath(path) { return "json_type(json, \(text))" }
    guard path.steps.count > 1 else { return "larder_property_type(json, \(literal(path.property)))" }
    return "larder_type_at(json, \(literal(steps(of: path))))"
  }

  /// Returns SQLite's path as a constant, because an index is only used for an identical expression.
  ///
  /// SQLite compares a path's names with the raw characters of the JSON, including escapes. A name ends at a quotation
  /// mark or, without quotation marks, at a point or bracket. Older versions have no path for a name with both: nil.
  /// Source: <https://www.sqlite.org/json1.html#path_arguments>.
  private static func sqlitePath(_ path: DocumentPath) -> String? {
    var text = "$"
    for step in path.steps {
      switch step {
      case .position(let position): text += position < 0 ? "[#\(position)]" : "[\(position)]"
      case .name(let property):
        let name = DocumentWriter.escaped(property)
        if !property.utf8.contains(UInt8(ascii: "\"")) {
          text += ".\"\(name)\""
        } else if property.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "[") }) {
          return nil
        } else {
          text += ".\(name)"
        }
      }
    }
    return literal(text)
  }

  /// Returns the steps as JSON, for the functions that traverse them.
  private static func steps(of path: DocumentPath) -> String {
    let steps = path.steps.map { step in
      switch step {
      case .name(let name): "\"\(DocumentWriter.escaped(name))\""
      case .position(let position): String(position)
      }
    }
    return "[\(steps.joined(separator: ","))]"
  }

  private static func literal(_ text: String) -> String {
    // A text constant in SQL ends at a NUL.
    Quoting.literal(Value.text(text))
  }

  /// The condition that a document has not expired.
  static let isLive = "(expires IS NULL OR expires > larder_now())"

  /// Functions that find values whose names SQLite's paths can't express, and that make comparisons that SQL's
  /// operators can't.
  static let functions =
    [
      ScalarFunction("larder_property", 2) { try sqlValue(try property($0)) },
      ScalarFunction("larder_property_type", 2) { type(of: try property($0)) },
      ScalarFunction("larder_value_at", 2) { try sqlValue(try value(at: $0)) },
      ScalarFunction("larder_type_at", 2) { type(of: try value(at: $0)) },
    ] + DocumentComparison.functions

  private static func property(_ values: [Value]) throws -> DocumentValue? {
    guard let json = values[0].text, let name = values[1].text else { return nil }
    return try DocumentReader.storedDocument(json)[name]
  }

  private static func value(at values: [Value]) throws -> DocumentValue? {
    guard let json = values[0].text, let steps = values[1].text else { return nil }
    var value: DocumentValue? = .object(try DocumentReader.storedDocument(json))
    for step in try DocumentReader.stored(steps).array ?? [] {
      switch step {
      case .text(let name): value = value?[name]
      case .integer(let position):
        guard let array = value?.array else { return nil }
        value = DocumentValue.array(array)[Int(position < 0 ? position + Int64(array.count) : position)]
      default: return nil
      }
    }
    return value
  }

  /// The value as SQLite extracts it from JSON.
  private static func sqlValue(_ value: DocumentValue?) throws -> Value {
    switch value {
    case nil, .null: .null
    case .bool(let bool): .integer(bool ? 1 : 0)
    case .integer(let integer): .integer(integer)
    case .real(let real): .real(real)
    case .text(let text): .text(text)
    case .array(let values): .text(try DocumentWriter.json(of: values))
    case .object(let document): .text(try DocumentWriter.json(of: document))
    }
  }

  private static func type(of value: DocumentValue?) -> Value {
    switch value {
    case nil: .null
    case .null: .text("null")
    case .bool(let bool): .text(bool ? "true" : "false")
    case .integer: .text("integer")
    case .real: .text("real")
    case .text: .text("text")
    case .array: .text("array")
    case .object: .text("object")
    }
  }
}
