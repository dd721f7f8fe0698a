internal import Foundation

/// Parses XML property lists, without custom entities and within the limits of depth.
///
/// Source of the format: Apple's `PropertyList-1.0.dtd`.
struct XMLPropertyList {
  private let bytes: UnsafeRawBufferPointer
  private let limits: Archive.Limits
  private var offset = 0
  private var count = 0
  private var expandedSize = 0
  private let stack = StackBounds.current

  static func parse(_ bytes: UnsafeRawBufferPointer, limits: Archive.Limits) throws -> PropertyListNode {
    var parser = XMLPropertyList(bytes: bytes, limits: limits)
    // The byte order mark, with which some programs begin a file.
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { parser.offset = 3 }
    guard let plist = try parser.tag(), plist.name == "plist", !plist.isEmpty, let first = try parser.tag() else {
      throw notOne
    }
    return try parser.value(first, depth: 0)
  }

  private init(bytes: UnsafeRawBufferPointer, limits: Archive.Limits) {
    self.bytes = bytes
    self.limits = limits
  }

  private struct Tag {
    var name: String
    var isEmpty = false
    var isEnd = false
  }

  private static var notOne: ArchiveError {
    ArchiveError(.notAnArchive, "The bytes are no property list. Read what NSKeyedArchiver made.")
  }

  private static func damaged(_ problem: String) -> ArchiveError {
    ArchiveError(.damaged, "The property list \(problem). Restore the archive from a copy.")
  }

  private func starts(with text: StaticString) -> Bool {
    offset + text.utf8CodeUnitCount <= bytes.count
      && bytes[offset..<offset + text.utf8CodeUnitCount].elementsEqual(
        UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private mutating func skip(past end: StaticString) throws {
    while offset < bytes.count {
      if starts(with: end) {
        offset += end.utf8CodeUnitCount
        return
      }
      offset += 1
    }
    throw Self.damaged("is cut short")
  }

  /// Returns the next tag, and skips whitespace, comments, the declaration and the document type.
  private mutating func tag() throws -> Tag? {
    while offset < bytes.count {
      if [0x20, 0x09, 0x0a, 0x0d].contains(bytes[offset]) {
        offset += 1
      } else if starts(with: "<!--") {
        try skip(past: "-->")
      } else if starts(with: "<?") {
        try skip(past: "?>")
      } else if starts(with: "<!DOCTYPE") {
        try documentType()
      } else if bytes[offset] == UInt8(ascii: "<") {
        return try elementTag()
      } else {
        throw count == 0 ? Self.notOne : Self.damaged("has text between its values")
      }
    }
    return nil
  }

  private mutating func documentType() throws {
    let start = offset
    try skip(past: ">")
    guard !bytes[start..<offset].contains(UInt8(ascii: "[")) else { throw Self.damaged("declares entities of its own") }
  }

  private mutating func elementTag() throws -> Tag {
    let start = offset + 1
    try skipTag()
    var content = bytes[start..<offset - 1]
    var tag = Tag(name: "")
    if content.first == UInt8(ascii: "/") {
      tag.isEnd = true
      content = content.dropFirst()
    }
    if content.last == UInt8(ascii: "/") {
      tag.isEmpty = true
      content = content.dropLast()
    }
    tag.name = String(decoding: content.prefix { $0 > 0x20 }, as: UTF8.self)
    return tag
  }

  /// Skips to the end of a tag; an attribute may contain any character but its quote.
  private mutating func skipTag() throws {
    var quote: UInt8?
    while offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: ">") {
        return
      }
    }
    throw Self.damaged("is cut short")
  }

  private mutating func value(_ tag: Tag, depth: Int) throws -> PropertyListNode {
    guard !tag.isEnd else { throw Self.damaged("ends a value that has not begun") }
    guard depth <= limits.depth else { throw ArchiveError.tooDeep(limits) }
    try stack.check()
    count += 1
    guard count <= limits.count else { throw ArchiveError.tooMany(limits) }
    switch tag.name {
    case "dict": return tag.isEmpty ? .dictionary([:]) : try dictionary(depth: depth)
    case "array": return tag.isEmpty ? .array([]) : try array(depth: depth)
    case "true", "false":
      if !tag.isEmpty { _ = try text(of: tag) }
      return .bool(tag.name == "true")
    default: return try scalar(tag.name, try text(of: tag))
    }
  }

  private func scalar(_ name: String, _ text: String) throws -> PropertyListNode {
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    switch name {
    case "string": return .string(text)
    case "integer":
      if let number = Int64(trimmed) { return .integer(number) }
      if let number = UInt64(trimmed) { return .unsigned(number) }
    case "real": if let number = Double(trimmed) { return .real(number) }
    case "date":
      if let date = try? Date(trimmed, strategy: .iso8601) { return .date(date.timeIntervalSinceReferenceDate) }
    case "data":
      if let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) { return .data(Array(data)) }
    default: break
    }
    throw Self.damaged("has a value of an unknown kind or form")
  }

  private mutating func array(depth: Int) throws -> PropertyListNode {
    var elements: [PropertyListNode] = []
    while let tag = try tag() {
      if tag.isEnd { return tag.name == "array" ? .array(elements) : try unbalanced() }
      elements.append(try value(tag, depth: depth + 1))
    }
    throw Self.damaged("is cut short")
  }

  private mutating func dictionary(depth: Int) throws -> PropertyListNode {
    var entries: [String: PropertyListNode] = [:]
    while let tag = try tag() {
      if tag.isEnd { return tag.name == "dict" ? .dictionary(entries) : try unbalanced() }
      guard tag.name == "key" else { throw Self.damaged("has a value without a key") }
      let key = try text(of: tag)
      guard let next = try self.tag() else { break }
      let value = try value(next, depth: depth + 1)
      if let place = entries.index(forKey: key) {
        throw entries[place].key.isExactly(key)
          ? Self.damaged("has a dictionary with a key that is there twice") : PropertyListNode.sameKeys
      }
      entries[key] = value
    }
    throw Self.damaged("is cut short")
  }

  private func unbalanced() throws -> PropertyListNode {
    throw Self.damaged("ends a value that has not begun")
  }

  /// Returns the text up to the end of an element: XML's five entities and numeric entities are replaced, CDATA is
  /// kept, and comments are removed.
  private mutating func text(of tag: Tag) throws -> String {
    if tag.isEmpty { return "" }
    var result: [UInt8] = []
    while offset < bytes.count {
      let start = offset
      if bytes[offset] == UInt8(ascii: "&") {
        try appendEntity(to: &result)
      } else if bytes[offset] != UInt8(ascii: "<") {
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "<"), bytes[offset] != UInt8(ascii: "&") {
          offset += 1
        }
        try count(offset - start)
        result += bytes[start..<offset]
      } else if starts(with: "<![CDATA[") {
        try skip(past: "]]>")
        try count(offset - start - 12)
        result += bytes[start + 9..<offset - 3]
      } else if starts(with: "<!--") {
        try skip(past: "-->")
      } else if starts(with: "<?") {
        try skip(past: "?>")
      } else {
        let end = try elementTag()
        guard end.isEnd, end.name == tag.name else { throw Self.damaged("has an element inside of text") }
        guard let text = String(validating: result, as: UTF8.self) else {
          throw Self.damaged("has text that is not UTF-8")
        }
        return text
      }
    }
    throw Self.damaged("is cut short")
  }

  /// Counts bytes of text before they are kept.
  private mutating func count(_ size: Int) throws {
    expandedSize += size
    guard expandedSize <= limits.expandedSize else { throw ArchiveError.tooLarge(limits) }
  }

  private static let entities: [(name: [UInt8], character: Unicode.Scalar)] = [
    ("lt", "<"), ("gt", ">"), ("amp", "&"), ("quot", "\""), ("apos", "'"),
  ].map { (Array($0.0.utf8), $0.1) }

  /// Byte by byte, because a combining mark after the semicolon would form one character with it.
  private mutating func appendEntity(to result: inout [UInt8]) throws {
    let start = offset + 1
    guard let end = bytes[start..<min(bytes.count, start + 12)].firstIndex(of: UInt8(ascii: ";")) else {
      throw Self.damaged("has an entity that does not end")
    }
    let name = bytes[start..<end]
    offset = end + 1
    let scalar = Self.entities.first { name.elementsEqual($0.name) }?.character ?? Self.scalar(of: name)
    guard let scalar else { throw Self.damaged("has an entity that XML does not know") }
    try count(UTF8.width(scalar))
    result += Array(String(Character(scalar)).utf8)
  }

  /// Returns the character of a numeric entity. Source: XML 1.0, production 66.
  private static func scalar(of name: Slice<UnsafeRawBufferPointer>) -> Unicode.Scalar? {
    guard name.first == UInt8(ascii: "#") else { return nil }
    let isHexadecimal = name.dropFirst().first == UInt8(ascii: "x")
    let digits = name.dropFirst(isHexadecimal ? 2 : 1)
    guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
    return UInt32(String(decoding: digits, as: UTF8.self), radix: isHexadecimal ? 16 : 10).flatMap(Unicode.Scalar.init)
  }
}
