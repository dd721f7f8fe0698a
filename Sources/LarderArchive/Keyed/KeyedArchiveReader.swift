internal import Foundation

/// Resolves the references of a keyed archive and checks the class of each object, without building anything.
///
/// The format: a dictionary with `$archiver`, `$version`, `$top` and `$objects`; objects are dictionaries whose
/// `$class` refers to a dictionary with `$classname`. Source: the property lists that Foundation's NSKeyedArchiver
/// writes, in swift-corelibs-foundation `NSKeyedArchiver.swift`.
struct KeyedArchiveReader {
  /// A value, and its expanded cost.
  private struct Resolved {
    var value: KeyedValue
    var count = 1
    var size = 0
    var height = 0
  }

  private let objects: [PropertyListNode]
  private let top: [String: PropertyListNode]
  private let allowed: [String: KeyedClass]
  private let limits: Archive.Limits
  private var known: [Int: Resolved] = [:]
  private var open: Set<Int> = []
  let context: KeyedContext
  private let stack = StackBounds.current

  init(
    _ root: PropertyListNode, allowing allowed: [String: KeyedClass], limits: Archive.Limits,
    userInfo: [CodingUserInfoKey: any Sendable]
  ) throws {
    guard let root = root.dictionary, let objects = root["$objects"]?.array, let top = root["$top"]?.dictionary,
      root["$archiver"]?.string != nil
    else {
      throw ArchiveError(.notAnArchive, "The property list is no keyed archive. Read what NSKeyedArchiver made.")
    }
    self.objects = objects
    self.top = top
    self.allowed = allowed
    self.limits = limits
    context = KeyedContext(limits, userInfo: userInfo)
  }

  mutating func root(_ key: String) throws -> KeyedValue {
    guard let node = top[key] else {
      throw ArchiveError(
        .notFound, keyPath: key,
        "The archive has no root of this name. It has: \(top.keys.sorted().joined(separator: ", ")).")
    }
    return try resolve(node, depth: 0).value
  }

  /// Recurses at most to the limit of depth.
  private mutating func resolve(_ node: PropertyListNode, depth: Int) throws -> Resolved {
    guard depth <= limits.depth else { throw ArchiveError.tooDeep(limits) }
    try stack.check()
    if let number = node.reference { return try resolve(object: number, depth: depth) }
    switch node {
    case .array(let elements): return try list(elements, depth: depth)
    case .dictionary(let entries): return try object(entries, depth: depth)
    case .string(let text): return Resolved(value: .plain(.string(text)), size: text.utf8.count)
    case .data(let bytes): return Resolved(value: .plain(.data(Data(bytes))), size: bytes.count)
    default: return Resolved(value: .plain(try ArchiveValue(node)))
    }
  }

  private mutating func resolve(object number: Int, depth: Int) throws -> Resolved {
    // The first object represents nil.
    if number == 0 { return Resolved(value: .plain(.null)) }
    if let resolved = known[number] {
      guard depth + resolved.height <= limits.depth else {
        throw ArchiveError.tooDeep(limits)
      }
      return resolved
    }
    guard objects.indices.contains(number) else { throw Self.damaged("refers to an object that is not there") }
    guard open.insert(number).inserted else {
      throw ArchiveError(
        .cycle,
        "The objects of the archive refer to each other in a circle, which values cannot. Write the archive without the reference back."
      )
    }
    defer { open.remove(number) }
    // The archiver never writes an object that is only a reference, so such an object counts as a level.
    let isReference = objects[number].reference != nil
    var resolved = try resolve(objects[number], depth: isReference ? depth + 1 : depth)
    if isReference { resolved.height += 1 }
    known[number] = resolved
    return resolved
  }

  private mutating func add(_ node: PropertyListNode, to sum: inout Resolved, depth: Int) throws -> KeyedValue {
    let part = try resolve(node, depth: depth + 1)
    sum.count += part.count
    sum.size += part.size
    sum.height = max(sum.height, part.height + 1)
    guard sum.count <= min(limits.count, Int.max / 4) else {
      throw Self.exceeded("has more than \(limits.count) values", "count")
    }
    guard sum.size <= min(limits.expandedSize, Int.max / 4) else {
      throw Self.exceeded("unfolds to more than \(limits.expandedSize) bytes of texts and data", "expandedSize")
    }
    return part.value
  }

  private mutating func list(_ nodes: [PropertyListNode], depth: Int) throws -> Resolved {
    var sum = Resolved(value: .list([]))
    var elements: [KeyedValue] = []
    for node in nodes { elements.append(try add(node, to: &sum, depth: depth)) }
    sum.value = .list(elements)
    return sum
  }

  private mutating func object(_ entries: [String: PropertyListNode], depth: Int) throws -> Resolved {
    let name = try className(of: entries)
    // The caller's mapping has precedence, so that a class can be read in another way than below.
    if let keyedClass = allowed[name] { return try userObject(name, keyedClass, entries, depth: depth) }
    if let foundation = try foundationObject(name, entries, depth: depth) { return foundation }
    throw ArchiveError(
      .notAllowed, type: name,
      "The archive holds an object of this class, which is not on the allow-list. Add it to allowing: if that is meant to be."
    )
  }

  private func className(of entries: [String: PropertyListNode]) throws -> String {
    guard let number = entries["$class"]?.reference, objects.indices.contains(number),
      let name = objects[number].dictionary?["$classname"]?.string
    else {
      throw Self.damaged("has an object without a class")
    }
    return name
  }

  private mutating func userObject(
    _ name: String, _ keyedClass: KeyedClass, _ entries: [String: PropertyListNode], depth: Int
  ) throws -> Resolved {
    var fields: [String: KeyedValue] = [:]
    var sum = Resolved(value: .plain(.null))
    for (key, node) in entries where key != "$class" {
      // A key that begins with a dollar sign is written with an additional one.
      fields[key.hasPrefix("$") ? String(key.dropFirst()) : key] = try add(node, to: &sum, depth: depth)
    }
    sum.value = .object(KeyedArchiveObject(className: name, fields: fields, keyedClass: keyedClass, context: context))
    return sum
  }

  private mutating func foundationObject(
    _ name: String, _ entries: [String: PropertyListNode], depth: Int
  ) throws -> Resolved? {
    switch name {
    case "NSNull": return Resolved(value: .plain(.null))
    case "NSString", "NSMutableString": return try text(entries)
    case "NSData", "NSMutableData":
      guard case .data(let bytes) = try follow(entries["NS.data"] ?? entries["NS.bytes"]) else {
        throw Self.damaged("has data without bytes")
      }
      return Resolved(value: .plain(.data(Data(bytes))), size: bytes.count)
    case "NSDate":
      guard let seconds = try number(entries["NS.time"])?.real else {
        throw Self.damaged("has a date without a time")
      }
      return Resolved(value: .plain(.date(Date(timeIntervalSinceReferenceDate: seconds))))
    case "NSUUID":
      guard case .data(let bytes) = try follow(entries["NS.uuidbytes"]), bytes.count == 16 else {
        throw Self.damaged("has a UUID that has not 16 bytes")
      }
      return Resolved(
        value: .plain(.string(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)).uuidString })))
    case "NSURL": return try url(entries, depth: depth)
    case "NSDecimalNumber": return Resolved(value: .decimal(try decimal(entries)), size: 20)
    case "NSTimeZone", "__NSTimeZone":
      guard case .string(let name) = try follow(entries["NS.name"]) else {
        throw Self.damaged("has a time zone without a name")
      }
      return Resolved(value: .plain(.string(name)), size: name.utf8.count)
    case "NSCountedSet": return try counted(entries, depth: depth)
    case "NSArray", "NSMutableArray", "NSSet", "NSMutableSet", "NSOrderedSet", "NSMutableOrderedSet":
      return try list(try elements(entries, "NS.objects", "NS.object."), depth: depth)
    case "NSDictionary", "NSMutableDictionary": return try pairs(entries, depth: depth)
    default: return nil
    }
  }

  /// Elements are in one array, or under numbered keys.
  private func elements(
    _ entries: [String: PropertyListNode], _ key: String, _ prefix: String
  ) throws -> [PropertyListNode] {
    if let node = entries[key] {
      guard let elements = node.array else { throw Self.damaged("has a collection without elements") }
      return elements
    }
    var elements: [PropertyListNode] = []
    while let element = entries["\(prefix)\(elements.count)"] { elements.append(element) }
    return elements
  }

  private mutating func pairs(_ entries: [String: PropertyListNode], depth: Int) throws -> Resolved {
    let keys = try elements(entries, "NS.keys", "NS.key.")
    let values = try elements(entries, "NS.objects", "NS.object.")
    guard keys.count == values.count else {
      throw Self.damaged("has a dictionary with more keys than values, or fewer")
    }
    var sum = Resolved(value: .pairs([]))
    var pairs: [KeyedValue.Pair] = []
    for (key, value) in zip(keys, values) {
      pairs.append(
        KeyedValue.Pair(key: try add(key, to: &sum, depth: depth), value: try add(value, to: &sum, depth: depth)))
    }
    sum.value = .pairs(pairs)
    return sum
  }

  /// The count of each element is read as a number; elements aren't repeated.
  private mutating func counted(_ entries: [String: PropertyListNode], depth: Int) throws -> Resolved {
    var elements = try elements(entries, "NS.objects", "NS.object.")
    while elements.isEmpty || entries["NS.objects"] == nil, let element = entries["NS.object\(elements.count)"] {
      elements.append(element)
    }
    var sum = Resolved(value: .counted([]))
    var pairs: [KeyedValue.Pair] = []
    for (index, element) in elements.enumerated() {
      let key = try add(element, to: &sum, depth: depth)
      guard let count = try number(entries["NS.count\(index)"] ?? entries["NS.count.\(index)"] ?? .integer(1)) else {
        throw Self.damaged("has a counted set with a count that is no number")
      }
      pairs.append(KeyedValue.Pair(key: key, value: .plain(count)))
    }
    sum.value = .counted(pairs)
    return sum
  }

  /// The mantissa is sixteen bytes in the byte order of the machine that wrote them: eight 16-bit numbers, the lowest
  /// first.
  private func decimal(_ entries: [String: PropertyListNode]) throws -> Decimal {
    func integer(_ key: String) throws -> Int {
      switch try follow(entries[key]) {
      case .integer(let number): Int(exactly: number) ?? -1
      case .bool(let flag): flag ? 1 : 0
      case .null: 0
      default: throw Self.damaged("has a decimal number of an unknown form")
      }
    }
    let (length, exponent) = (try integer("NS.length"), try integer("NS.exponent"))
    guard case .data(let mantissa) = try follow(entries["NS.mantissa"]), mantissa.count == 16, (0...8).contains(length),
      (-128...127).contains(exponent)
    else { throw Self.damaged("has a decimal number of an unknown form") }
    let (isNegative, isBigEndian) = (try integer("NS.negative") != 0, try integer("NS.mantissa.bo") == 2)
    if length == 0 { return isNegative ? .nan : 0 }
    var significand: Decimal = 0
    for index in (0..<length).reversed() {
      let (first, second) = (Int(mantissa[2 * index]), Int(mantissa[2 * index + 1]))
      significand = significand * 65536 + Decimal(isBigEndian ? first << 8 | second : second << 8 | first)
    }
    return Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: significand)
  }

  private func text(_ entries: [String: PropertyListNode]) throws -> Resolved {
    switch try follow(entries["NS.string"] ?? entries["NS.bytes"]) {
    case .string(let text): return Resolved(value: .plain(.string(text)), size: text.utf8.count)
    case .data(let bytes):
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw Self.damaged("has text that is not UTF-8")
      }
      return Resolved(value: .plain(.string(text)), size: bytes.count)
    default: throw Self.damaged("has text without characters")
    }
  }

  private mutating func url(_ entries: [String: PropertyListNode], depth: Int) throws -> Resolved {
    var sum = Resolved(value: .plain(.null))
    guard let relative = entries["NS.relative"],
      case .plain(.string(let text)) = try add(relative, to: &sum, depth: depth)
    else {
      throw Self.damaged("has a URL without text")
    }
    var base: URL?
    if let node = entries["NS.base"], case .url(let url) = try add(node, to: &sum, depth: depth) { base = url }
    if text.isEmpty {
      sum.value = base.map { .url($0) } ?? .emptyURL
      return sum
    }
    guard let url = URL(string: text, relativeTo: base) else { throw Self.damaged("has a URL that is none") }
    sum.value = .url(url)
    return sum
  }

  /// Returns the node that a reference refers to; one level, because references to references are never written.
  private func follow(_ node: PropertyListNode?) throws -> PropertyListNode {
    guard let node else { return .null }
    guard let number = node.reference else { return node }
    guard objects.indices.contains(number) else { throw Self.damaged("refers to an object that is not there") }
    return objects[number]
  }

  /// Returns a number, or nil for any other value: a container isn't built where nothing counts it.
  private func number(_ node: PropertyListNode?) throws -> ArchiveValue? {
    let node = try follow(node)
    return switch node {
    case .integer, .unsigned, .real, .bool: try ArchiveValue(node)
    default: nil
    }
  }

  private static func damaged(_ problem: String) -> ArchiveError {
    ArchiveError(.damaged, "The keyed archive \(problem). Restore it from a copy.")
  }

  private static func exceeded(_ problem: String, _ limit: String) -> ArchiveError {
    ArchiveError(.limitExceeded, "The keyed archive \(problem). Raise Archive.Limits.\(limit) if that is meant to be.")
  }
}
