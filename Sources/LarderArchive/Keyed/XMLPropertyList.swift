internal import Foundation

/// Reads XML property lists, without entities of their own and no deeper than the limits.
///
/// Source of the form: Apple's `PropertyList-1.0.dtd`.
struct XMLPropertyList {
  private let bytes: UnsafeRawBufferPointer
  private let limits: Archive.Limits
  private var offset = 0
  private var count = 0

  static func parse(_ bytes: UnsafeRawBufferPointer, limits: Archive.Limits) throws -> PropertyListNode {
    var parser = XMLPropertyList(bytes: bytes, limits: limits)
    guard let plist = try parser.tag(), plist.name == "plist", !plist.isEmpty, let first = try parser.tag() else { throw notOne }
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
      && bytes[offset..<offset + text.utf8CodeUnitCount].elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
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

  /// The next tag; white space, comments, the declaration and the document type are passed over.
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
    try skip(past: ">")
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

  private mutating func value(_ tag: Tag, depth: Int) throws -> PropertyListNode {
    guard !tag.isEnd else { throw Self.damaged("ends a value that has not begun") }
    guard depth <= limits.depth else {
      throw ArchiveError(
        .limitExceeded, "The archive is more than \(limits.depth) containers deep. Raise Archive.Limits.depth if that is meant to be.")
    }
    count += 1
    guard count <= limits.count else {
      throw ArchiveError(.limitExceeded, "The archive has more than \(limits.count) values. Raise Archive.Limits.count if that is meant to be.")
    }
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
    case "date": if let date = try? Date(trimmed, strategy: .iso8601) { return .date(date.timeIntervalSinceReferenceDate) }
    case "data": if let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) { return .data(Array(data)) }
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
      guard entries.updateValue(try value(next, depth: depth + 1), forKey: key) == nil else {
        throw Self.damaged("has a dictionary with a key that is there twice")
      }
    }
    throw Self.damaged("is cut short")
  }

  private func unbalanced() throws -> PropertyListNode {
    throw Self.damaged("ends a value that has not begun")
  }

  /// The text up to the end of an element, with the five entities and the numeric ones of XML replaced.
  private mutating func text(of tag: Tag) throws -> String {
    if tag.isEmpty { return "" }
    let start = offset
    while offset < bytes.count, bytes[offset] != UInt8(ascii: "<") { offset += 1 }
    guard let raw = String(validating: bytes[start..<offset], as: UTF8.self) else { throw Self.damaged("has text that is not UTF-8") }
    guard offset < bytes.count else { throw Self.damaged("is cut short") }
    let end = try elementTag()
    guard end.isEnd, end.name == tag.name else { throw Self.damaged("has an element inside of text") }
    return raw.utf8.contains(UInt8(ascii: "&")) ? try Self.replacingEntities(raw) : raw
  }

  private static func replacingEntities(_ text: String) throws -> String {
    var result = ""
    var rest = text[...]
    while let start = rest.firstIndex(of: "&") {
      result += rest[..<start]
      guard let end = rest[start...].prefix(12).firstIndex(of: ";") else { throw damaged("has an entity that does not end") }
      result += try character(String(rest[rest.index(after: start)..<end]))
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  private static func character(_ entity: String) throws -> String {
    if let known = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"][entity] { return known }
    let number = entity.hasPrefix("#x") ? UInt32(entity.dropFirst(2), radix: 16) : entity.hasPrefix("#") ? UInt32(entity.dropFirst()) : nil
    guard let scalar = number.flatMap(Unicode.Scalar.init) else { throw damaged("has an entity that XML does not know") }
    return String(Character(scalar))
  }
}
