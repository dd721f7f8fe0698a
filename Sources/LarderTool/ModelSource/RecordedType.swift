import Larder

/// A type that a file of Larder's records, if a source that declares nothing else can write it.
///
/// A file can record anything, so nothing of its text reaches the source: the type is composed anew of known names.
struct RecordedType {
  /// The type, without the question mark of an optional.
  let text: String

  /// Reads a type.
  ///
  /// - Parameters:
  ///   - recorded: The type as the file has it: `Array<Color>?`.
  ///   - type: What the values are. A type of the program may be called like one of Foundation's.
  /// - Returns: nil for a type that isn't known, or isn't stored as the values are.
  init?(_ recorded: String, storing type: PropertyType) {
    var reader = Reader(recorded)
    guard let found = reader.type(), reader.isAtEnd else { return nil }
    let text = found.last == "?" ? String(found.dropLast()) : found
    guard (Self.names[text] ?? .json) == type else { return nil }
    self.text = text
  }

  /// The types that the library stores, and what their values are.
  fileprivate static let names: [String: PropertyType] = [
    "Attachment": .json, "Bool": .bool, "Data": .data, "Date": .date, "Decimal": .decimal, "Document": .json,
    "DocumentValue": .json, "Double": .double, "Float": .float, "Int": .integer, "Int8": .integer, "Int16": .integer,
    "Int32": .integer, "Int64": .integer, "String": .text, "UInt": .integer, "UInt8": .integer, "UInt16": .integer,
    "UInt32": .integer, "UInt64": .integer, "URL": .text, "UUID": .uuid,
  ]
}

extension RecordedType {
  /// Reads the text of a type from left to right.
  private struct Reader {
    private var rest: Substring
    /// How many more types may be within one another.
    private var depth = 16

    init(_ text: String) {
      rest = Substring(text)
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func type() -> String? {
      guard depth > 0 else { return nil }
      depth -= 1
      defer { depth += 1 }
      guard var found = named() else { return nil }
      while take("?") { found = found.last == "?" ? found : "\(found)?" }
      return found
    }

    private mutating func named() -> String? {
      let name = rest.prefix { $0.isLetter || $0.isNumber }
      rest = rest.dropFirst(name.count)
      switch name {
      case "Array": return arguments(1).map { "[\($0[0])]" }
      case "Set": return arguments(1).map { "Set<\($0[0])>" }
      case "Dictionary": return arguments(2).map { "[\($0[0]): \($0[1])]" }
      case "Optional": return arguments(1).map { $0[0].last == "?" ? $0[0] : "\($0[0])?" }
      default: return RecordedType.names[String(name)].map { _ in String(name) }
      }
    }

    /// Reads types between angle brackets.
    private mutating func arguments(_ count: Int) -> [String]? {
      guard take("<") else { return nil }
      var types: [String] = []
      for position in 0..<count {
        guard position == 0 || take(", "), let type = type() else { return nil }
        types.append(type)
      }
      return take(">") ? types : nil
    }

    private mutating func take(_ text: String) -> Bool {
      guard rest.hasPrefix(text) else { return false }
      rest = rest.dropFirst(text.count)
      return true
    }
  }
}
