internal import Foundation

extension ZipDirectory {
  /// Returns the entries of a central directory (4.3.12), checked individually and against each other.
  ///
  /// - Throws: ``ArchiveError`` `.damaged`, `.unsupported`, `.invalidName` or `.limitExceeded`, with the place.
  /// - Complexity: O(bytes of the directory).
  static func entries(in bytes: UnsafeRawBufferPointer, count: Int, limits: ZipLimits) throws -> [ZipEntry] {
    var entries: [ZipEntry] = []
    var offset = 0
    var total: UInt64 = 0
    var names = ZipNames()
    for number in 0..<count {
      let (entry, end) = try entry(in: bytes, at: offset, number)
      offset = end
      guard entry.size <= UInt64(max(0, limits.partSize)) else {
        throw limits.exceeded("The entry has more than \(limits.partSize) bytes", "partSize", at: entry.place)
      }
      guard limits.allows(entry.size, from: entry.compressedSize) else {
        throw limits.exceeded("The entry unfolds to more than \(limits.ratio) times its size", "ratio", at: entry.place)
      }
      // Each is at most Int.max, and the sum is checked at each step.
      total += entry.size
      guard total <= UInt64(max(0, limits.totalSize)) else {
        throw limits.exceeded("The entries have more than \(limits.totalSize) bytes", "totalSize", at: entry.place)
      }
      try names.add(entry)
      entries.append(entry)
    }
    guard offset == bytes.count else { throw damaged("has more in its directory than its end says") }
    return entries
  }

  private static func entry(
    in bytes: UnsafeRawBufferPointer, at start: Int, _ number: Int
  ) throws -> (ZipEntry, end: Int) {
    let place = "entry \(number)"
    func damaged(_ problem: String) -> ArchiveError {
      ArchiveError(
        .damaged, keyPath: place, "The directory of the zip file \(problem). Restore the zip file from a copy.")
    }
    guard start + ZipFormat.directoryEntrySize <= bytes.count,
      bytes.littleEndian(UInt32.self, at: start) == ZipFormat.directoryEntry
    else {
      throw damaged("ends before this entry")
    }
    let nameStart = start + ZipFormat.directoryEntrySize
    let extraStart = nameStart + Int(bytes.littleEndian(UInt16.self, at: start + 28))
    let commentStart = extraStart + Int(bytes.littleEndian(UInt16.self, at: start + 30))
    let end = commentStart + Int(bytes.littleEndian(UInt16.self, at: start + 32))
    guard end <= bytes.count else { throw damaged("ends in this entry") }
    guard var extra = ZipExtra(UnsafeRawBufferPointer(rebasing: bytes[extraStart..<commentStart])),
      let size = extra.resolve(bytes.littleEndian(UInt32.self, at: start + 24)),
      let compressedSize = extra.resolve(bytes.littleEndian(UInt32.self, at: start + 20)),
      let offset = extra.resolve(bytes.littleEndian(UInt32.self, at: start + 42))
    else { throw damaged("has an entry whose extra fields do not fit") }
    let rawName = [UInt8](bytes[nameStart..<extraStart])
    let name = try ZipNames.name(rawName, at: place)
    var entry = ZipEntry(
      name: name.path, isFolder: name.isFolder, rawName: rawName, flags: bytes.littleEndian(UInt16.self, at: start + 8),
      method: bytes.littleEndian(UInt16.self, at: start + 10),
      checksum: bytes.littleEndian(UInt32.self, at: start + 16),
      compressedSize: compressedSize, size: size, offset: offset, place: place)
    entry.place = entry.name
    guard extra.agrees(with: rawName) else { throw entry.damaged("has two names") }
    guard bytes.littleEndian(UInt16.self, at: start + 34) == 0 else {
      throw entry.unsupported("is in another part of a zip file of several parts")
    }
    try check(entry, attributes: bytes.littleEndian(UInt32.self, at: start + 38), version: bytes[start + 6])
    return (entry, end)
  }

  private static func check(_ entry: ZipEntry, attributes: UInt32, version: UInt8) throws {
    guard entry.flags & ZipFormat.Flag.isEncrypted == 0 else { throw entry.unsupported("is encrypted") }
    guard entry.flags & ~ZipFormat.Flag.known == 0, version <= 45 else {
      throw entry.unsupported("needs a feature of zip files that is not known here")
    }
    guard entry.method == ZipFormat.stored || entry.method == ZipFormat.deflated else {
      throw entry.unsupported("is compressed with method \(entry.method), and not with deflate")
    }
    // The upper half has the Unix mode, whatever system the file states.
    let kind = attributes >> 16 & 0o170_000
    guard kind == 0 || kind == 0o100_000 && !entry.isFolder || kind == 0o040_000 && entry.isFolder else {
      throw entry.unsupported("is a link or a device, or a folder by one mark and a file by the other")
    }
    // The folder bit of MS-DOS.
    guard attributes & 0x10 == 0 || entry.isFolder else {
      throw entry.unsupported("is a folder by one mark and a file by the other")
    }
    guard entry.method != ZipFormat.stored || entry.size == entry.compressedSize else {
      throw entry.damaged("has two sizes")
    }
    guard !entry.isFolder || entry.size == 0 && entry.checksum == 0 else {
      throw entry.damaged("is a folder with content")
    }
  }
}
