/// Walks a binary property list before anybody builds something of it, and refuses what is damaged or costs more than the limits.
///
/// What is shared is walked once but counted for each place that holds it, so a small file cannot unfold into a large value. Circles, keys
/// that are not text, keys that a dictionary has twice and text that is not well formed are refused. O(objects + bytes of text).
struct PropertyListValidator {
  /// What an object unfolds to.
  private struct Cost {
    var height: Int32
    var count: Int
    var size: Int
  }

  private let list: BinaryPropertyList
  private let limits: Archive.Limits
  private let allowsKeyedArchives: Bool
  private var costs: [Cost]
  /// For text that is a key somewhere: a number that equal texts share.
  private var keyNumbers: [Int: Int] = [:]
  private var keyTexts: [String: Int] = [:]
  private var lastHolders: [Int] = []

  private static let unknown = Cost(height: -1, count: 0, size: 0)
  private static let open = Cost(height: -2, count: 0, size: 0)

  /// - Parameter allowsKeyedArchives: Whether UIDs, which a property list of Codable values never has, may appear.
  static func validate(_ list: BinaryPropertyList, limits: Archive.Limits, allowsKeyedArchives: Bool = false) throws {
    // Each object takes at least a byte and an offset, so the table of costs is bounded by the size of the file.
    guard list.objectCount <= limits.count else { throw tooMany(limits) }
    var validator = PropertyListValidator(list, limits: limits, allowsKeyedArchives: allowsKeyedArchives)
    _ = try validator.cost(of: list.top, depth: 0)
  }

  private init(_ list: BinaryPropertyList, limits: Archive.Limits, allowsKeyedArchives: Bool) {
    self.list = list
    self.limits = limits
    self.allowsKeyedArchives = allowsKeyedArchives
    costs = Array(repeating: Self.unknown, count: list.objectCount)
  }

  /// Recurses as deep as the limit of depth at most.
  private mutating func cost(of number: Int, depth: Int) throws -> Cost {
    let known = costs[number]
    if known.height >= 0 {
      guard depth + Int(known.height) <= limits.depth else { throw Self.tooDeep(limits) }
      return known
    }
    guard known.height == -1 else { throw BinaryPropertyList.damaged("has a container that holds itself") }
    let object = try list.object(number)
    var cost = Cost(height: 0, count: 1, size: 0)
    switch object {
    case .null, .bool, .integer, .unsigned, .real, .date: break
    case .uid:
      guard allowsKeyedArchives else { throw BinaryPropertyList.damaged("has an object that no Codable value is written as") }
    case .data(let range): cost.size = range.count
    case .ascii(let range):
      guard UnsafeRawBufferPointer(rebasing: list.bytes[range]).isASCII else {
        throw BinaryPropertyList.damaged("has text that is not ASCII where ASCII is said")
      }
      cost.size = range.count
    case .utf16(let range):
      guard Self.isWellFormed(list.bytes, range) else { throw BinaryPropertyList.damaged("has text that is not UTF-16") }
      cost.size = range.count
    case .array(let elements):
      costs[number] = Self.open
      try add(elements, to: &cost, depth: depth)
    case .dictionary(let keys, let values):
      costs[number] = Self.open
      try checkKeys(keys, of: number)
      try add(keys, to: &cost, depth: depth)
      try add(values, to: &cost, depth: depth)
    }
    costs[number] = cost
    return cost
  }

  private mutating func add(_ elements: BinaryPropertyList.References, to cost: inout Cost, depth: Int) throws {
    guard depth < limits.depth else { throw Self.tooDeep(limits) }
    cost.height = max(cost.height, 1)
    for index in 0..<elements.count {
      let part = try self.cost(of: try list.reference(index, in: elements), depth: depth + 1)
      cost.height = max(cost.height, part.height + 1)
      // No sum overflows: both sides were within the limits before, and limits above a quarter of Int.max are taken as that.
      cost.count += part.count
      cost.size += part.size
      guard cost.count <= min(limits.count, Int.max / 4) else { throw Self.tooMany(limits) }
      guard cost.size <= min(limits.expandedSize, Int.max / 4) else {
        throw ArchiveError(
          .limitExceeded,
          "The archive unfolds to more than \(limits.expandedSize) bytes of texts and data. Raise Archive.Limits.expandedSize if that is meant to be."
        )
      }
    }
  }

  /// Refuses keys that are no text, and a key that is there twice.
  private mutating func checkKeys(_ keys: BinaryPropertyList.References, of dictionary: Int) throws {
    for index in 0..<keys.count {
      let key = try keyNumber(try list.reference(index, in: keys))
      guard lastHolders[key] != dictionary else { throw BinaryPropertyList.damaged("has a dictionary with a key that is there twice") }
      lastHolders[key] = dictionary
    }
  }

  private mutating func keyNumber(_ number: Int) throws -> Int {
    if let known = keyNumbers[number] { return known }
    let text = try list.text(try list.object(number))
    let key = keyTexts[text] ?? keyTexts.count
    if key == keyTexts.count {
      keyTexts[text] = key
      lastHolders.append(-1)
    }
    keyNumbers[number] = key
    return key
  }

  /// Whether surrogates come in pairs. Source: The Unicode Standard 15.0, section 3.9, D91.
  private static func isWellFormed(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
    var awaitsLow = false
    for offset in stride(from: range.lowerBound, to: range.upperBound, by: 2) {
      let isHigh = bytes[offset] & 0xfc == 0xd8
      let isLow = bytes[offset] & 0xfc == 0xdc
      if isLow != awaitsLow { return false }
      awaitsLow = isHigh
    }
    return !awaitsLow
  }

  private static func tooMany(_ limits: Archive.Limits) -> ArchiveError {
    ArchiveError(.limitExceeded, "The archive has more than \(limits.count) values. Raise Archive.Limits.count if that is meant to be.")
  }

  private static func tooDeep(_ limits: Archive.Limits) -> ArchiveError {
    ArchiveError(.limitExceeded, "The archive is more than \(limits.depth) containers deep. Raise Archive.Limits.depth if that is meant to be.")
  }
}
