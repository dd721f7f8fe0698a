/// Validates a binary property list before anything is built from it, and rejects damage and costs beyond the limits.
///
/// Shared objects are visited once but counted for each reference, so that a small file can't expand to a large value.
/// Cycles, keys that aren't texts, duplicate keys and invalid texts are rejected. Nothing of the list is copied, and
/// the validation reads no more bytes of text than the limits allow, even if texts overlap in the file. O(objects +
/// bytes of text).
struct PropertyListValidator {
  /// The expanded cost of an object.
  private struct Cost {
    var height: Int32
    var count: Int
    var size: Int
  }

  private let list: BinaryPropertyList
  private let limits: Archive.Limits
  private let allowsKeyedArchives: Bool
  private let stack = StackBounds.current
  private var costs: [Cost]
  /// The bytes of all texts and data visited, each once: never more than the expanded size.
  private var visitedSize = 0
  /// For each object that is used as a key, a number that equal texts share, plus one.
  private var keyNumbers: [Int32] = []
  private var keyTexts: [KeyText: Int32] = [:]
  private var lastHolders: [Int] = []

  private static let unknown = Cost(height: -1, count: 0, size: 0)
  private static let open = Cost(height: -2, count: 0, size: 0)

  /// A text as stored in the file, so that keys can be compared without being built.
  private struct KeyText: Hashable {
    let bytes: UnsafeRawBufferPointer
    let isWide: Bool
    /// The same for both forms of a text. A key may be long, and a dictionary that grows asks for it again.
    private let hash: Int

    init(_ bytes: UnsafeRawBufferPointer, isWide: Bool) {
      self.bytes = bytes
      self.isWide = isWide
      var hasher = Hasher()
      let count = Self.count(bytes, isWide)
      // Four units at once: calling the hasher for each would take most of the time of a validation.
      var packed: UInt64 = 0
      for index in 0..<count {
        packed = packed << 16 | UInt64(Self.unit(index, bytes, isWide))
        if index & 3 == 3 { hasher.combine(packed) }
      }
      hasher.combine(packed)
      hasher.combine(count)
      hash = hasher.finalize()
    }

    private static func count(_ bytes: UnsafeRawBufferPointer, _ isWide: Bool) -> Int {
      isWide ? bytes.count / 2 : bytes.count
    }

    private static func unit(_ index: Int, _ bytes: UnsafeRawBufferPointer, _ isWide: Bool) -> UInt16 {
      isWide ? bytes.bigEndian(UInt16.self, at: 2 * index) : UInt16(bytes[index])
    }

    static func == (first: KeyText, second: KeyText) -> Bool {
      if first.isWide == second.isWide { return first.bytes.elementsEqual(second.bytes) }
      let count = count(first.bytes, first.isWide)
      return count == Self.count(second.bytes, second.isWide)
        && (0..<count).allSatisfy {
          unit($0, first.bytes, first.isWide) == unit($0, second.bytes, second.isWide)
        }
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
  }

  /// - Parameter allowsKeyedArchives: Whether UIDs, which a property list of Codable values never has, may appear.
  static func validate(_ list: BinaryPropertyList, limits: Archive.Limits, allowsKeyedArchives: Bool = false) throws {
    // Each object takes at least one byte in the table of offsets, so the table of costs is bounded by the size of the
    // file.
    guard list.objectCount <= min(limits.count, Int(Int32.max) - 1) else { throw ArchiveError.tooMany(limits) }
    var validator = PropertyListValidator(list, limits: limits, allowsKeyedArchives: allowsKeyedArchives)
    _ = try validator.cost(of: list.top, depth: 0)
  }

  private init(_ list: BinaryPropertyList, limits: Archive.Limits, allowsKeyedArchives: Bool) {
    self.list = list
    self.limits = limits
    self.allowsKeyedArchives = allowsKeyedArchives
    costs = Array(repeating: Self.unknown, count: list.objectCount)
  }

  /// Recurses at most to the limit of depth.
  private mutating func cost(of number: Int, depth: Int) throws -> Cost {
    let known = costs[number]
    if known.height >= 0 {
      guard depth + Int(known.height) <= limits.depth else { throw ArchiveError.tooDeep(limits) }
      return known
    }
    guard known.height == -1 else { throw BinaryPropertyList.damaged("has a container that holds itself") }
    let object = try list.object(number)
    var cost = Cost(height: 0, count: 1, size: 0)
    switch object {
    case .null, .bool, .integer, .unsigned, .real, .date: break
    case .uid:
      guard allowsKeyedArchives else {
        throw BinaryPropertyList.damaged("has an object that no Codable value is written as")
      }
    case .data(let range): cost.size = try visit(range)
    case .ascii(let range):
      cost.size = try visit(range)
      guard UnsafeRawBufferPointer(rebasing: list.bytes[range]).isASCII else {
        throw BinaryPropertyList.damaged("has text that is not ASCII where ASCII is said")
      }
    case .utf16(let range):
      cost.size = try visit(range)
      guard Self.isWellFormed(list.bytes, range) else {
        throw BinaryPropertyList.damaged("has text that is not UTF-16")
      }
    case .array(let elements):
      costs[number] = Self.open
      try add(elements, to: &cost, depth: depth)
    case .dictionary(let keys, let values):
      costs[number] = Self.open
      // The cost of the keys is known before they are compared.
      try add(keys, to: &cost, depth: depth)
      try checkKeys(keys, of: number)
      try add(values, to: &cost, depth: depth)
    }
    costs[number] = cost
    return cost
  }

  /// Counts the bytes of a text, or of data, before they are read.
  private mutating func visit(_ range: Range<Int>) throws -> Int {
    visitedSize += range.count
    guard visitedSize <= min(limits.expandedSize, Int.max / 4) else { throw ArchiveError.tooLarge(limits) }
    return range.count
  }

  private mutating func add(_ elements: BinaryPropertyList.References, to cost: inout Cost, depth: Int) throws {
    guard depth < limits.depth else { throw ArchiveError.tooDeep(limits) }
    try stack.check()
    cost.height = max(cost.height, 1)
    for index in 0..<elements.count {
      let part = try self.cost(of: try list.reference(index, in: elements), depth: depth + 1)
      cost.height = max(cost.height, part.height + 1)
      // No sum overflows: both sides were within the limits before, and limits above a quarter of Int.max are clamped
      // to that.
      cost.count += part.count
      cost.size += part.size
      guard cost.count <= min(limits.count, Int.max / 4) else { throw ArchiveError.tooMany(limits) }
      guard cost.size <= min(limits.expandedSize, Int.max / 4) else { throw ArchiveError.tooLarge(limits) }
    }
  }

  /// Rejects keys that aren't texts, and keys that occur twice, byte for byte.
  private mutating func checkKeys(_ keys: BinaryPropertyList.References, of dictionary: Int) throws {
    for index in 0..<keys.count {
      let key = Int(try keyNumber(try list.reference(index, in: keys)))
      guard lastHolders[key] != dictionary else {
        throw BinaryPropertyList.damaged("has a dictionary with a key that is there twice")
      }
      lastHolders[key] = dictionary
    }
  }

  private mutating func keyNumber(_ number: Int) throws -> Int32 {
    if keyNumbers.isEmpty { keyNumbers = Array(repeating: 0, count: list.objectCount) }
    if keyNumbers[number] > 0 { return keyNumbers[number] - 1 }
    let text: KeyText
    switch try list.object(number) {
    case .ascii(let range): text = KeyText(UnsafeRawBufferPointer(rebasing: list.bytes[range]), isWide: false)
    case .utf16(let range): text = KeyText(UnsafeRawBufferPointer(rebasing: list.bytes[range]), isWide: true)
    default: throw BinaryPropertyList.damaged("has a key that is not text")
    }
    // There are fewer keys than objects, whose number fits.
    let next = Int32(truncatingIfNeeded: keyTexts.count)
    let key = keyTexts[text] ?? next
    if key == next {
      keyTexts[text] = key
      lastHolders.append(-1)
    }
    keyNumbers[number] = key + 1
    return key
  }

  /// Returns whether surrogates are paired. Source: The Unicode Standard 15.0, section 3.9, D91.
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
}
