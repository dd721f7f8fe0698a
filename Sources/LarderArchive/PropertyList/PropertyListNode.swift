/// A property list as a tree, with the UIDs that keyed archives have.
indirect enum PropertyListNode {
  case null
  case bool(Bool)
  case integer(Int64)
  case unsigned(UInt64)
  case real(Double)
  case date(Double)
  case data([UInt8])
  case string(String)
  case uid(Int)
  case array([PropertyListNode])
  case dictionary([String: PropertyListNode])

  var dictionary: [String: PropertyListNode]? {
    if case .dictionary(let entries) = self { entries } else { nil }
  }

  var array: [PropertyListNode]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The number of the object that this UID refers to, in binary or XML form; negative if it isn't a valid number.
  var reference: Int? {
    switch self {
    case .uid(let number): return number
    case .dictionary(let entries):
      guard entries.count == 1, let uid = entries["CF$UID"] else { return nil }
      if case .integer(let number) = uid { return Int(exactly: number) ?? -1 }
      return -1
    default: return nil
    }
  }

  /// Reads a binary property list that a ``PropertyListValidator`` has passed; O(values).
  ///
  /// - Parameter number: The number of an object; nil for that of the whole list.
  init(_ list: BinaryPropertyList, number: Int? = nil) throws {
    var shared: [Int: PropertyListNode] = [:]
    self = try Self.node(number ?? list.top, of: list, shared: &shared, StackBounds.current)
  }

  private static func node(
    _ number: Int, of list: BinaryPropertyList, shared: inout [Int: PropertyListNode], _ stack: StackBounds
  ) throws -> PropertyListNode {
    if let known = shared[number] { return known }
    try stack.check()
    let object = try list.object(number)
    let node: PropertyListNode =
      switch object {
      case .null: .null
      case .bool(let value): .bool(value)
      case .integer(let value): .integer(value)
      case .unsigned(let value): .unsigned(value)
      case .real(let value): .real(value)
      case .date(let value): .date(value)
      case .data(let range): .data(Array(list.bytes[range]))
      case .ascii, .utf16: .string(try list.text(object))
      case .uid(let value): .uid(Int(value))
      case .array(let elements):
        .array(
          try (0..<elements.count).map {
            try self.node(list.reference($0, in: elements), of: list, shared: &shared, stack)
          })
      case .dictionary(let keys, let values): .dictionary(try entries(keys, values, of: list, shared: &shared, stack))
      }
    shared[number] = node
    return node
  }

  /// A tree has Swift's dictionaries.
  static var sameKeys: ArchiveError {
    ArchiveError(
      .unsupported,
      "A dictionary has two keys that are canonically equal, of which a tree can hold one. Rename one, or decode the archive without a tree."
    )
  }

  private static func entries(
    _ keys: BinaryPropertyList.References, _ values: BinaryPropertyList.References, of list: BinaryPropertyList,
    shared: inout [Int: PropertyListNode], _ stack: StackBounds
  ) throws -> [String: PropertyListNode] {
    var entries: [String: PropertyListNode] = [:]
    for index in 0..<keys.count {
      let key = try node(list.reference(index, in: keys), of: list, shared: &shared, stack).string ?? ""
      let value = try node(list.reference(index, in: values), of: list, shared: &shared, stack)
      guard entries.updateValue(value, forKey: key) == nil else { throw PropertyListNode.sameKeys }
    }
    return entries
  }
}
