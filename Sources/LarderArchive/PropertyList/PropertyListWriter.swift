internal import Foundation

/// Collects the objects of a binary property list and writes them; equal numbers and texts, byte for byte, are written once.
final class PropertyListWriter {
  private enum Object {
    /// A place in `scalars`: an object as it stands in the file.
    case scalar(Range<Int>)
    case container(Int)
    /// What a super encoder has made is the object of another number.
    case alias(Int)
  }

  private struct Container {
    let isDictionary: Bool
    var keys: [Int] = []
    var values: [Int] = []
  }

  private var objects: [Object] = []
  private var containers: [Container] = []
  private var scalars: [UInt8] = []
  /// Numbers of scalars by the hash of their bytes, plus one; zero where there is none.
  private var table = [Int](repeating: 0, count: 1 << 10)
  private var tableCount = 0

  /// Longer texts and data are not compared with others.
  private static let longestShared = 256

  // MARK: Containers

  func addContainer(isDictionary: Bool) -> Int {
    containers.append(Container(isDictionary: isDictionary))
    objects.append(.container(containers.count - 1))
    return objects.count - 1
  }

  func isContainer(_ number: Int, isDictionary: Bool) -> Bool {
    guard case .container(let place) = objects[number] else { return false }
    return containers[place].isDictionary == isDictionary
  }

  func count(of number: Int) -> Int {
    guard case .container(let place) = objects[number] else { return 0 }
    return containers[place].values.count
  }

  /// Adds an element to a container, under a key where that is a dictionary.
  func append(_ value: Int, under key: Int? = nil, to number: Int) {
    guard case .container(let place) = objects[number] else { return }
    if let key { containers[place].keys.append(key) }
    containers[place].values.append(value)
  }

  /// A number whose object is said later; null until then.
  func reserve() -> Int {
    let null = addNull()
    objects.append(.alias(null))
    return objects.count - 1
  }

  func resolve(_ number: Int, as other: Int) { objects[number] = .alias(other) }

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
    add { bytes in
      Self.appendMarker(0x40, data.count, to: &bytes)
      bytes.append(contentsOf: data)
    }
  }

  func add(_ text: String) -> Int {
    var text = text
    return add { bytes in
      let isASCII = text.withUTF8 { utf8 in
        guard UnsafeRawBufferPointer(utf8).isASCII else { return false }
        Self.appendMarker(0x50, utf8.count, to: &bytes)
        bytes.append(contentsOf: utf8)
        return true
      }
      if isASCII { return }
      Self.appendMarker(0x60, text.utf16.count, to: &bytes)
      for unit in text.utf16 { bytes.append(bigEndian: unit) }
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

  /// The number of the scalar that a closure writes; that of an equal one where there is one.
  private func add(_ write: (inout [UInt8]) -> Void) -> Int {
    let start = scalars.count
    write(&scalars)
    let range = start..<scalars.count
    guard range.count <= Self.longestShared else { return append(range) }
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

  private func append(_ range: Range<Int>) -> Int {
    objects.append(.scalar(range))
    return objects.count - 1
  }

  private func areEqual(_ first: Range<Int>, _ second: Range<Int>) -> Bool {
    first.count == second.count
      && scalars.withUnsafeBytes { bytes in
        bytes[first].elementsEqual(bytes[second])
      }
  }

  /// Seeded anew in each process, so that nobody can choose texts whose hashes are all the same.
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

  /// The property list whose top is the object of a number; O(objects + bytes).
  func finish(top: Int) -> Data {
    let referenceWidth = Self.width(of: objects.count)
    var bytes = Array("bplist00".utf8)
    bytes.reserveCapacity(scalars.count + 16 * objects.count)
    var offsets: [Int] = []
    offsets.reserveCapacity(objects.count)
    // Where a key stands in the dictionary that is being written, so that of a key encoded twice the last value counts.
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
    for number in [objects.count, target(top), tableStart] { bytes.append(bigEndian: UInt64(number)) }
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
