/// The structure of a container with a composed name: `[[String: Note]?]` is an array of optional dictionaries of
/// notes.
///
/// The names are those of ``ArchiveTag``.
indirect enum ComposedShape {
  case value
  case list(ComposedShape)
  case dictionary(ComposedShape)
  case optional(ComposedShape)

  /// Returns the shape of a tag, the tag of its contents, and a closure that composes a tag with this shape.
  static func split(
    _ tag: String, isKnown: (String) -> Bool
  ) -> (shape: ComposedShape, inner: String, around: (String) -> String) {
    if isKnown(tag) { return (.value, tag, { $0 }) }
    if tag.hasSuffix("?") {
      let (shape, inner, around) = split(String(tag.dropLast()), isKnown: isKnown)
      return (.optional(shape), inner, { around($0) + "?" })
    }
    guard tag.hasPrefix("["), tag.hasSuffix("]") else { return (.value, tag, { $0 }) }
    let content = tag.dropFirst().dropLast()
    guard let separator = separator(in: content) else {
      let (shape, inner, around) = split(String(content), isKnown: isKnown)
      return (.list(shape), inner, { "[" + around($0) + "]" })
    }
    let key = String(content[..<separator])
    let (shape, inner, around) = split(String(content[content.index(separator, offsetBy: 2)...]), isKnown: isKnown)
    return (.dictionary(shape), inner, { "[\(key): " + around($0) + "]" })
  }

  /// Returns the position of the colon between the key and the value of a dictionary.
  private static func separator(in content: Substring) -> Substring.Index? {
    var depth = 0
    for index in content.indices {
      switch content[index] {
      case "[", "<", "(": depth += 1
      case "]", ">", ")": depth -= 1
      case ":" where depth == 0 && content[index...].hasPrefix(": "): return index
      default: break
      }
    }
    return nil
  }

  /// Changes each value in the container.
  func forEach(in value: inout ArchiveValue, _ change: (inout ArchiveValue) throws -> Void) throws {
    switch (self, value) {
    case (.value, _): try change(&value)
    case (.optional, .null): break
    case (.optional(let inner), _): try inner.forEach(in: &value, change)
    case (.list(let inner), .array(var elements)):
      for index in elements.indices { try inner.forEach(in: &elements[index], change) }
      value = .array(elements)
    case (.dictionary(let inner), .dictionary(var entries)):
      for key in entries.keys.sorted() {
        guard var entry = entries[key] else { continue }
        try inner.forEach(in: &entry, change)
        entries[key] = entry
      }
      value = .dictionary(entries)
    case (.dictionary(let inner), .array(var elements)):
      // A dictionary whose keys are neither texts nor integers is an array of alternating keys and values.
      for index in elements.indices where !index.isMultiple(of: 2) { try inner.forEach(in: &elements[index], change) }
      value = .array(elements)
    default: break
    }
  }
}
