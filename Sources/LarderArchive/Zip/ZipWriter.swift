/// Writes a zip file whose bytes only depend on names and contents: without times and users, and without gaps between
/// entries.
struct ZipWriter {
  /// The size and offset from which numbers are in the extra field for large files.
  static let largeLimit = UInt64(UInt32.max)
  /// The number of entries from which it is in the end record for large files.
  static let largeCount = UInt64(UInt16.max)

  private let file: Int32
  private let name: String
  private let fileSystem: FileSystem
  private let limits: ZipLimits
  /// Like ``largeLimit``; tests use a smaller one.
  private let largeLimit: UInt64
  private var offset: UInt64 = 0
  private var directory: [UInt8] = []
  private var count: UInt64 = 0

  init(
    to file: Int32, _ name: String, _ fileSystem: FileSystem, limits: ZipLimits,
    largeLimit: UInt64 = ZipWriter.largeLimit
  ) {
    self.file = file
    self.name = name
    self.fileSystem = fileSystem
    self.limits = limits
    self.largeLimit = largeLimit
  }

  /// An entry being written.
  private struct Entry {
    let name: [UInt8]
    let offset: UInt64
    let size: UInt64
    let isLarge: Bool
    var method = ZipFormat.stored
    var compressedSize: UInt64 = 0
    var checksum: UInt32 = 0

    var flags: UInt16 { name.allSatisfy { $0 < 0x80 } ? 0 : ZipFormat.Flag.isUTF8 }
  }

  /// Adds a part.
  ///
  /// - Parameters:
  ///   - partName: The path of the entry.
  ///   - size: The number of bytes.
  ///   - open: Opens the part; called again if compression doesn't make it smaller.
  mutating func add(_ partName: String, size: UInt64, _ open: () throws -> PackagePartReader) throws {
    var entry = Entry(name: Array(partName.utf8), offset: offset, size: size, isLarge: size >= largeLimit)
    try write(localHeader(of: entry))
    let start = offset
    if size > 0 {
      entry.method = ZipFormat.deflated
      try copy(&entry, try open())
      // It isn't compressed either if a reader with these limits would consider it a bomb.
      if offset - start >= size || !limits.allows(size, from: offset - start) {
        entry.method = ZipFormat.stored
        offset = start
        try copy(&entry, try open())
      }
    }
    entry.compressedSize = offset - start
    try localHeader(of: entry).withUnsafeBytes { try fileSystem.write($0, to: file, at: Int(entry.offset), name) }
    appendToDirectory(entry)
    count += 1
  }

  private mutating func copy(_ entry: inout Entry, _ reader: PackagePartReader) throws {
    var checksum = CRC32()
    func next(_ buffer: UnsafeMutableRawBufferPointer) throws -> Int {
      let count = try reader.read(into: buffer)
      checksum.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      return count
    }
    if entry.method == ZipFormat.deflated {
      try Deflater().deflate(next) { try write($0) }
    } else {
      try withUnsafeTemporaryAllocation(byteCount: FileSystem.pieceSize, alignment: 16) { buffer in
        while case let count = try next(buffer), count > 0 {
          try write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
      }
    }
    entry.checksum = checksum.value
  }

  /// Writes the directory and its end record, and truncates the file after it.
  mutating func finish() throws {
    let start = offset
    try write(directory)
    let size = offset - start
    if count >= Self.largeCount || start >= largeLimit || size >= largeLimit {
      let record = offset
      var bytes: [UInt8] = []
      bytes.append(littleEndian: ZipFormat.zip64End)
      bytes.append(littleEndian: UInt64(ZipFormat.zip64EndSize - 12))
      bytes.append(littleEndian: Self.madeBy)
      bytes.append(littleEndian: UInt16(45))
      bytes.append(littleEndian: UInt64(0))
      for number in [count, count, size, start] { bytes.append(littleEndian: number) }
      bytes.append(littleEndian: ZipFormat.zip64Locator)
      bytes.append(littleEndian: UInt32(0))
      bytes.append(littleEndian: record)
      bytes.append(littleEndian: UInt32(1))
      try write(bytes)
    }
    var end: [UInt8] = []
    end.append(littleEndian: ZipFormat.end)
    end.append(littleEndian: UInt32(0))
    for _ in 0..<2 { end.append(littleEndian: UInt16(min(count, Self.largeCount))) }
    end.append(littleEndian: short(size))
    end.append(littleEndian: short(start))
    end.append(littleEndian: UInt16(0))
    try write(end)
    try fileSystem.truncate(file, to: Int(offset), name)
  }

  /// Version 4.5 on Unix, so that the mode is used.
  private static let madeBy: UInt16 = 3 << 8 | 45
  /// January 1, 1980, the earliest possible day (4.4.6).
  private static let date: UInt16 = 1 << 5 | 1

  private func short(_ number: UInt64) -> UInt32 {
    number >= largeLimit ? ZipFormat.large32 : UInt32(truncatingIfNeeded: number)
  }

  private func localHeader(of entry: Entry) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: ZipFormat.localHeader)
    appendCommon(entry, to: &bytes, isLarge: entry.isLarge)
    bytes.append(littleEndian: entry.isLarge ? ZipFormat.large32 : UInt32(truncatingIfNeeded: entry.compressedSize))
    bytes.append(littleEndian: entry.isLarge ? ZipFormat.large32 : UInt32(truncatingIfNeeded: entry.size))
    bytes.append(littleEndian: UInt16(entry.name.count))
    bytes.append(littleEndian: UInt16(entry.isLarge ? 20 : 0))
    bytes += entry.name
    if entry.isLarge { appendLarge([entry.size, entry.compressedSize], to: &bytes) }
    return bytes
  }

  /// The fields that the local header and the directory have in common, up to the checksum.
  private func appendCommon(_ entry: Entry, to bytes: inout [UInt8], isLarge: Bool) {
    bytes.append(littleEndian: UInt16(isLarge ? 45 : 20))
    bytes.append(littleEndian: entry.flags)
    bytes.append(littleEndian: entry.method)
    bytes.append(littleEndian: UInt16(0))
    bytes.append(littleEndian: Self.date)
    bytes.append(littleEndian: entry.checksum)
  }

  private func appendLarge(_ numbers: [UInt64], to bytes: inout [UInt8]) {
    bytes.append(littleEndian: ZipFormat.largeTag)
    bytes.append(littleEndian: UInt16(8 * numbers.count))
    for number in numbers { bytes.append(littleEndian: number) }
  }

  private mutating func appendToDirectory(_ entry: Entry) {
    let isFar = entry.offset >= largeLimit
    let large = (entry.isLarge ? [entry.size, entry.compressedSize] : []) + (isFar ? [entry.offset] : [])
    directory.append(littleEndian: ZipFormat.directoryEntry)
    directory.append(littleEndian: Self.madeBy)
    appendCommon(entry, to: &directory, isLarge: !large.isEmpty)
    directory.append(littleEndian: entry.isLarge ? ZipFormat.large32 : UInt32(truncatingIfNeeded: entry.compressedSize))
    directory.append(littleEndian: entry.isLarge ? ZipFormat.large32 : UInt32(truncatingIfNeeded: entry.size))
    directory.append(littleEndian: UInt16(entry.name.count))
    directory.append(littleEndian: UInt16(large.isEmpty ? 0 : 4 + 8 * large.count))
    // No comment, the first part, no attributes of the content.
    for _ in 0..<3 { directory.append(littleEndian: UInt16(0)) }
    // A regular file that only its user can access.
    directory.append(littleEndian: UInt32(0o100_600) << 16)
    directory.append(littleEndian: isFar ? ZipFormat.large32 : UInt32(truncatingIfNeeded: entry.offset))
    directory += entry.name
    if !large.isEmpty { appendLarge(large, to: &directory) }
  }

  private mutating func write(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try write($0) } }

  private mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
    try fileSystem.write(bytes, to: file, at: Int(offset), name)
    offset += UInt64(bytes.count)
  }
}
