internal import CLarderZlib

/// The checksum of zip files (4.4.7).
struct CRC32 {
  private(set) var value: UInt32 = 0

  /// Adds bytes to the checksum; O(count).
  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
      value = UInt32(
        truncatingIfNeeded: crc32(uLong(value), part.bindMemory(to: UInt8.self).baseAddress, uInt(part.count)))
      rest = rest.dropFirst(part.count)
    }
  }
}
