internal import Foundation

/// Collects the objects of a binary property list and writes them; equal numbers and texts, byte for byte, are written
/// once.
final class PropertyListWriter {
  private enum Object {
    /// A range in `scalars`: an object as stored in the file.
    case scalar(Range<Int>)
    case container(Int)
    /// The result of a super encoder is the object of another number.
    case alias(Int)
  }

  private struct Container {
    let isDictionary: Bool
    var keys: [Int] = []
    var values: [Int] = []
    /// The containers begun for each key, so that a second one for the key continues the first.
    var nested: [Int: Int]?
  }

  /// The limits with which the list will be read.
  let limits: Archive.Limits
  let stack = StackBounds.current
  let kinds = VersionedKinds()
  /// Whether a member is ``Archivable``.
  var hasArchivableMembers = false
  /// The first limit that was exceeded. From then on nothing is kept, so that an encoding that can't be stopped costs
  /// no memory.
  private(set) var failure: ArchiveError?
  /// Whether there is a failure: looked at before and after each value, which a look at the error itself would cost
  /// more.
  private var hasFailed = false
  /// The depth of the deepest container since this was last set.
  var deepest = 0
  /// What a ``PropertyListValidator`` will count.
  private var count = 1
  private var expandedSize = 0
  private var objects: [Object] = [.container(0)]
  /// The first is the array that contains the value of the list.
  private var containers = [Container(isDictionary: false)]
  private var scalars: [UInt8] = []
  /// Numbers of scalars by the hash of their bytes, plus one; zero if there is none.
  private var table = [Int](repeating: 0, count: 1 << 10)
  private var tableCount = 0

  /// Longer texts and data aren't deduplicated.
  private static let longestShared = 256

  init(limits: Archive.Limits) {
    self.limits = limits
  }

  // MARK: Limits

  func fail(_ error: @autoclosure () -> ArchiveError) {
    guard !hasFailed else { return }
    failure = error()
    hasFailed = true
  }

  /// Throws the error of the first limit that was exceeded.
  @inline(__always)
  func check() throws {
    if hasFailed, let failure { throw failure }
  }

  private func countValues(_ number: Int) {
    count += number
    if count > limits.count { fail(.tooMany(limits)) }
  }

  /// Counts the bytes of a text, or of data, before they are kept, and returns whether they may be.
  private func countBytes(_ number: Int) -> Bool {
    if hasFailed { return false }
    let (sum, overflow) = expandedSize.addingReportingOverflow(number)
    expandedSize = sum
    if overflow || sum > limits.expandedSize { fail(.tooLarge(limits)) }
    // Shared objects aren't kept again, so this isn't more than the file will have.
    if scalars.count + min(number, Self.longestShared) > limits.size { fail(.tooLong(scalars.count + number, limits)) }
    return !hasFailed
  }

  /// An object that no container refers to in the end is in the list too.
  private func addObject(_ object: Object) -> Int {
    objects.append(object)
    if objects.count > limits.count { fail(.tooMany(limits)) }
    return objects.count - 1
  }

  // MARK: Containers

  /// The number of the array that contains the value.
  static let top = 0

  /// Adds a container at a depth.
  func addContainer(isDictionary: Bool, depth: Int) -> Int {
    if depth >= limits.depth { fail(.tooDeep(limits)) }
    guard !hasFailed else { return Self.top }
    deepest = max(deepest, depth)
    containers.append(Container(isDictionary: isDictionary))
    return addObject(.container(containers.count - 1))
  }

  func isContainer(_ number: Int, isDictionary: Bool) -> Bool {
    guard case .container(let place) = objects[number] else { return false }
    return containers[place].isDictionary == isDictionary
  }

  /// Returns whether the keys of a dictionary are these.
  func hasKeys(_ number: Int, _ names: [String]) -> Bool {
    guard case .container(let place) = objects[number], containers[place].isDictionary,
      containers[place].keys.count >= names.count
    else { return false }
    let keys = Set(containers[place].keys)
    return keys.count == names.count && names.allSatisfy { name in keys.contains { isASCII($0, name) } }
  }

  /// Returns whether an object is a short text of ASCII characters.
  private func isASCII(_ number: Int, _ text: String) -> Bool {
    guard case .scalar(let range) = objects[number], range.count == text.utf8.count + 1 else { return false }
    return scalars[range.lowerBound] == 0x50 | UInt8(text.utf8.count)
      && scalars[range].dropFirst().elementsEqual(text.utf8)
  }

  func count(of number: Int) -> Int {
    guard case .container(let place) = objects[number] else { return 0 }
    return containers[place].values.count
  }

  /// Adds an element to a container, with a key for a dictionary.
  func append(_ value: Int, under key: Int? = nil, to number: Int) {
    countValues(key == nil ? 1 : 2)
    guard !hasFailed, case .container(let place) = objects[number] else { return }
    if let key {
      containers[place].keys.append(key)
      if containers[place].nested != nil { containers[place].nested?[key] = nil }
    }
    containers[place].values.append(value)
  }

  /// Returns the container for a key of a dictionary: the existing one if it is of the same kind, or a new one.
  func container(isDictionary: Bool, under key: Int, in number: Int, depth: Int) -> Int {
    guard !hasFailed, case .container(let place) = objects[number] else { return Self.top }
    if let known = containers[place].nested?[key], isContainer(known, isDictionary: isDictionary) { return known }
    let container = addContainer(isDictionary: isDictionary, depth: depth)
    append(container, under: key, to: number)
    if !hasFailed { containers[place].nested = (containers[place].nested ?? [:]).merging([key: container]) { $1 } }
    return container
  }

  /// Returns a number whose object is set later; null until then.
  func reserve() -> Int {
    let null = addNull()
    guard !hasFailed else { return null }
    return addObject(.alias(null))
  }

  func resolve(_ number: Int, as other: Int) {
    guard !hasFailed else { return }
    objects[number] = .alias(other)
  }

  // MARK: Scalars

  func addNull() -> Int { add { $0.append(0x00) } }

  func add(_ flag: Bool) -> Int { add { $0.append(flag ? 0x09 : 0x08) } }

  func add(_ number: some FixedWidthInteger) -> Int {
    add { bytes in
      if let number = UInt8(exactly: number) {
        bytes.append(0x10)
        bytes.append(number)
      } else if let number = UInt16(exactly: number) {
        bytes.append(0x11)
        bytes.append(bigEndian: number)
      } else if let number = UInt32(exactly: number) {
        bytes.append(0x12)
        bytes.append(bigEndian: number)
      } else if let number = Int64(exactly: number) {
        bytes.append(0x13)
        bytes.append(bigEndian: number)
      } else {
        bytes.append(0x14)
        bytes.append(bigEndian: UInt64(0))
        bytes.append(bigEndian: UInt64(truncatingIfNeeded: number))
      }
    }
  }

  func add(_ number: Double) -> Int {
    add { bytes in
      bytes.append(0x23)
      bytes.append(bigEndian: number.bitPattern)
    }
  }

  func add(_ number: Float) -> Int {
    add { bytes in
      bytes.append(0x22)
      bytes.append(bigEndian: number.bitPattern)
    }
  }

  func add(_ date: Date) -> Int {
    add { bytes in
      bytes.append(0x33)
      bytes.append(bigEndian: date.timeIntervalSinceReferenceDate.bitPattern)
    }
  }

  func add(_ data: Data) -> Int {
    guard countBytes(data.count) else { return Self.top }
    return add { bytes in
      Self.appendMarker(0x40, data.count, to: &bytes)
      bytes.append(contentsOf: data)
    }
  }

  /// - Parameter isKey: Whether the text is a key. Equal keys, however long, must have the same number.
  func add(_ text: String, isKey: Bool = false) -> Int {
    var text = text
    let isASCII = text.withUTF8 { UnsafeRawBufferPointer($0).isASCII }
    let length = isASCII ? text.utf8.count : text.utf16.count
    guard countBytes(isASCII ? length : 2 * length) else { return Self.top }
    return add(isShared: isKey) { bytes in
      if isASCII {
        Self.appendMarker(0x50, length, to: &bytes)
        text.withUTF8 { bytes.append(contentsOf: $0) }
      } else {
        Self.appendMarker(0x60, length, to: &bytes)
        for unit in text.utf16 { bytes.append(bigEndian: unit) }
      }
    }
  }

  private static func appendMarker(_ kind: UInt8, _ count: Int, to bytes: inout [UInt8]) {
    if count < 15 {
      bytes.append(kind | UInt8(count))
      return
    }
    bytes.append(kind | 0x0f)
    if let count = UInt8(exactly: count) {
      bytes.append(0x10)
      bytes.append(count)
    } else if let count = UInt16(exactly: count) {
      bytes.append(0x11)
      bytes.append(bigEndian: count)
    } else if let count = UInt32(exactly: count) {
      bytes.append(0x12)
      bytes.append(bigEndian: count)
    } else {
      bytes.append(0x13)
      bytes.append(bigEndian: UInt64(count))
    }
  }

  /// Returns the number of the scalar that a closure writes; that of an equal one if it exists.
  private func add(isShared: Bool = false, _ write: (inout [UInt8]) -> Void) -> Int {
    guard !hasFailed else { return Self.top }
    let start = scalars.count
    write(&scalars)
    let range = start..<scalars.count
    guard isShared || range.count <= Self.longestShared else { return append(range) }
    if 2 * tableCount >= table.count { growTable() }
    var place = hash(range) & (table.count - 1)
    while table[place] != 0 {
      if case .scalar(let other) = objects[table[place] - 1], areEqual(other, range) {
        scalars.removeSubrange(range)
        return table[place] - 1
      }
      place = (place + 1) & (table.count - 1)
    }
    let number = append(range)
    table[place] = number + 1
    tableCount += 1
    return number
  }

  private func append(_ range: Range<Int>) -> Int { addObject(.scalar(range)) }

  private func areEqual(_ first: Range<Int>, _ second: Range<Int>) -> Bool {
    first.count == second.count
      && scalars.withUnsafeBytes { bytes in
        bytes[first].elementsEqual(bytes[second])
      }
  }

  /// Seeded in each process, so that attackers can't choose texts with equal hashes.
  private func hash(_ range: Range<Int>) -> Int {
    var hasher = Hasher()
    scalars.withUnsafeBytes { hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0[range])) }
    return hasher.finalize()
  }

  private func growTable() {
    let old = table
    table = [Int](repeating: 0, count: 2 * old.count)
    for entry in old where entry != 0 {
      guard case .scalar(let range) = objects[entry - 1] else { continue }
      var place = hash(range) & (table.count - 1)
      while table[place] != 0 { place = (place + 1) & (table.count - 1) }
      table[place] = entry
    }
  }

  // MARK: Writing

  /// The property list; O(objects + bytes).
  ///
  /// Throws the error of the first limit that was exceeded.
  func finish() throws -> Data {
    try check()
    let referenceWidth = Self.width(of: objects.count)
    var bytes = Array("bplist00".utf8)
    bytes.reserveCapacity(scalars.count + 16 * objects.count)
    var offsets: [Int] = []
    offsets.reserveCapacity(objects.count)
    // The position of a key in the dictionary being written, because the last value counts for a key encoded twice.
    var holders = [(dictionary: Int, place: Int)](repeating: (-1, 0), count: objects.count)
    for (number, object) in objects.enumerated() {
      offsets.append(bytes.count)
      switch object {
      case .scalar(let range): bytes.append(contentsOf: scalars[range])
      case .alias: bytes.append(0x00)
      case .container(let place):
        let container = containers[place]
        var values = container.values
        var keys: [Int] = []
        if container.isDictionary {
          values = []
          for (key, value) in zip(container.keys, container.values) {
            if holders[key].dictionary == number {
              values[holders[key].place] = value
            } else {
              holders[key] = (number, keys.count)
              keys.append(key)
              values.append(value)
            }
          }
        }
        Self.appendMarker(container.isDictionary ? 0xd0 : 0xa0, values.count, to: &bytes)
        for key in keys { Self.append(key, referenceWidth, to: &bytes) }
        for value in values { Self.append(target(value), referenceWidth, to: &bytes) }
      }
    }
    let tableStart = bytes.count
    let offsetWidth = Self.width(of: tableStart)
    for offset in offsets { Self.append(offset, offsetWidth, to: &bytes) }
    bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetWidth), UInt8(referenceWidth)]
    for number in [objects.count, Self.top, tableStart] { bytes.append(bigEndian: UInt64(number)) }
    return Data(bytes)
  }

  private func target(_ number: Int) -> Int {
    var number = number
    while case .alias(let other) = objects[number] { number = other }
    return number
  }

  private static func width(of largest: Int) -> Int { max(1, (Int.bitWidth - largest.leadingZeroBitCount + 7) / 8) }

  private static func append(_ number: Int, _ width: Int, to bytes: inout [UInt8]) {
    var shift = 8 * (width - 1)
    while shift >= 0 {
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
      shift -= 8
    }
  }
}
