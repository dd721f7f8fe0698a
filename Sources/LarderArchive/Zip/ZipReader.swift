package import Foundation

/// A zip file whose whole structure is checked before any content is read, so that every program finds the same entries
/// in it.
package final class ZipReader {
  /// The entries in the order of their contents.
  package let entries: [ZipEntry]
  private let input: FileSystem.OpenFile
  private let fileSystem: FileSystem
  private let name: String

  /// Opens a zip file.
  ///
  /// - Throws: ``ArchiveError`` `.notAnArchive`, `.damaged`, `.unsupported`, `.invalidName` or `.limitExceeded`, with
  ///   the place; errors of the file system.
  /// - Complexity: O(entries): reads the directory and the local headers.
  package init(_ url: URL, limits: ZipLimits, fileSystem: FileSystem = .standard) throws {
    let path = try FileSystem.path(of: url)
    name = FileSystem.name(path)
    self.fileSystem = fileSystem
    let input = try fileSystem.openFile(path, followsLinks: true)
    entries = try Self.entries(of: input, fileSystem, name, limits)
    self.input = input
  }

  private static func entries(
    of input: borrowing FileSystem.OpenFile, _ fileSystem: FileSystem, _ name: String, _ limits: ZipLimits
  ) throws -> [ZipEntry] {
    let tailSize = ZipDirectory.tailSize(of: input.size)
    let tail = try fileSystem.bytes(of: input.file, at: input.size - tailSize, count: tailSize, name)
    guard tail.count == tailSize else { throw changed }
    let directory = try tail.withUnsafeBytes { try ZipDirectory(tail: $0, fileSize: input.size) }
    guard directory.count <= UInt64(max(0, limits.entries)) else {
      throw limits.exceeded("The zip file has more than \(limits.entries) entries", "entries")
    }
    guard directory.size / UInt64(ZipFormat.directoryEntrySize) >= directory.count else {
      throw ZipDirectory.damaged("has a directory that is too short")
    }
    // Many times what an entry of a package needs; comments and extra fields may be up to 128 KiB each.
    guard directory.size / 8192 <= directory.count else {
      throw limits.exceeded(
        "The zip file has a directory of \(directory.size) bytes for \(directory.count) entries", "entries")
    }
    // Both are parts of the file, whose size is an Int.
    let bytes = try fileSystem.bytes(of: input.file, at: Int(directory.offset), count: Int(directory.size), name)
    guard bytes.count == Int(directory.size) else { throw changed }
    var entries = try bytes.withUnsafeBytes {
      try ZipDirectory.entries(in: $0, count: Int(directory.count), limits: limits)
    }
    entries.sort { $0.offset < $1.offset }
    var end: UInt64 = 0
    for index in entries.indices {
      let limit = index + 1 < entries.count ? entries[index + 1].offset : directory.offset
      try check(&entries[index], from: end, to: limit, input, fileSystem, name)
      end = limit
    }
    guard end == directory.offset else { throw ZipDirectory.damaged("has bytes that belong to no entry") }
    return entries
  }

  /// Compares an entry with its local header (4.3.7), which must fill the space from the end of the previous entry to
  /// the beginning of the next.
  private static func check(
    _ entry: inout ZipEntry, from start: UInt64, to end: UInt64, _ input: borrowing FileSystem.OpenFile,
    _ fileSystem: FileSystem, _ name: String
  ) throws {
    guard entry.offset == start, end <= UInt64(input.size), end >= start,
      end - start >= UInt64(ZipFormat.localHeaderSize)
    else {
      throw entry.damaged("overlaps another one, or does not begin where the one before ends")
    }
    let fixed = try fileSystem.bytes(of: input.file, at: Int(start), count: ZipFormat.localHeaderSize, name)
    guard fixed.count == ZipFormat.localHeaderSize else { throw changed }
    let (nameSize, extraSize) = try fixed.withUnsafeBytes { header in
      guard header.littleEndian(UInt32.self, at: 0) == ZipFormat.localHeader else {
        throw entry.damaged("has no header of its own")
      }
      guard header.littleEndian(UInt16.self, at: 6) == entry.flags,
        header.littleEndian(UInt16.self, at: 8) == entry.method
      else {
        throw entry.damaged("has a header that is not what the directory says")
      }
      return (Int(header.littleEndian(UInt16.self, at: 26)), Int(header.littleEndian(UInt16.self, at: 28)))
    }
    entry.contentOffset = start + UInt64(ZipFormat.localHeaderSize + nameSize + extraSize)
    let (contentEnd, overflow) = entry.contentOffset.addingReportingOverflow(entry.compressedSize)
    guard !overflow, contentEnd <= end else { throw entry.damaged("overlaps another one, or the directory") }
    let rest = try fileSystem.bytes(
      of: input.file, at: Int(start) + ZipFormat.localHeaderSize, count: nameSize + extraSize, name)
    guard rest.count == nameSize + extraSize else { throw changed }
    guard rest[..<nameSize].elementsEqual(entry.rawName) else {
      throw entry.damaged("has another name in its header than in the directory")
    }
    guard var extra = rest[nameSize...].withUnsafeBytes({ ZipExtra($0) }), extra.agrees(with: entry.rawName) else {
      throw entry.damaged("has a header whose extra fields do not fit")
    }
    let isLarge = extra.large != nil
    let numbers = fixed.withUnsafeBytes { header in
      (
        checksum: header.littleEndian(UInt32.self, at: 14),
        size: extra.resolve(header.littleEndian(UInt32.self, at: 22)),
        compressedSize: extra.resolve(header.littleEndian(UInt32.self, at: 18))
      )
    }
    let isSame = numbers == (entry.checksum, entry.size, entry.compressedSize)
    // Programs that write without seeking leave zeros, and write the numbers after the content.
    guard
      isSame
        || entry.hasDescriptor && [0, entry.checksum].contains(numbers.checksum)
          && [0, entry.size].contains(numbers.size) && [0, entry.compressedSize].contains(numbers.compressedSize)
    else { throw entry.damaged("has a header that is not what the directory says") }
    try checkDescriptor(entry, at: contentEnd, size: end - contentEnd, isLarge: isLarge, input, fileSystem, name)
  }

  /// Compares the data descriptor after the content (4.3.9): none, or checksum and sizes, with or without a signature,
  /// in four or eight bytes each.
  private static func checkDescriptor(
    _ entry: ZipEntry, at offset: UInt64, size: UInt64, isLarge: Bool, _ input: borrowing FileSystem.OpenFile,
    _ fileSystem: FileSystem,
    _ name: String
  ) throws {
    let error = entry.damaged("does not end where the next one begins")
    guard entry.hasDescriptor else {
      guard size == 0 else { throw error }
      return
    }
    guard (12...24).contains(size) else { throw error }
    let bytes = try fileSystem.bytes(of: input.file, at: Int(offset), count: Int(size), name)
    var short: [UInt8] = []
    var long: [UInt8] = []
    short.append(littleEndian: entry.checksum)
    long.append(littleEndian: entry.checksum)
    for number in [entry.compressedSize, entry.size] {
      short.append(littleEndian: UInt32(truncatingIfNeeded: number))
      long.append(littleEndian: number)
    }
    var signature: [UInt8] = []
    signature.append(littleEndian: ZipFormat.descriptor)
    let isShort =
      (bytes == short || bytes == signature + short) && entry.size <= UInt64(UInt32.max)
      && entry.compressedSize <= UInt64(UInt32.max)
    guard isShort || bytes == long || bytes == signature + long else { throw error }
  }

  private static var changed: ArchiveError {
    ArchiveError(.damaged, "The zip file changed while it was read. Try again when nobody writes it.")
  }

  /// Decompresses the content of an entry.
  ///
  /// - Parameter body: Receives the bytes in chunks, before the checksum of all is compared.
  /// - Throws: ``ArchiveError`` `.damaged` if the content has another size or checksum than the entry states; what
  ///   `body` throws.
  /// - Complexity: O(bytes), with at most two chunks of 128 KiB in memory.
  package func read(_ entry: ZipEntry, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    var offset = entry.contentOffset
    var size: UInt64 = 0
    var checksum = CRC32()
    func next() throws -> [UInt8] {
      let count = Int(min(UInt64(FileSystem.pieceSize), entry.contentEnd - offset))
      let bytes = try fileSystem.bytes(of: input.file, at: Int(offset), count: count, name)
      guard bytes.count == count else { throw Self.changed }
      offset += UInt64(count)
      return bytes
    }
    func take(_ bytes: UnsafeRawBufferPointer) throws {
      size += UInt64(bytes.count)
      guard size <= entry.size else { throw entry.damaged("unfolds to more bytes than it says") }
      checksum.update(bytes)
      try body(bytes)
    }
    if entry.method == ZipFormat.stored {
      while case let bytes = try next(), !bytes.isEmpty { try bytes.withUnsafeBytes(take) }
    } else {
      let inflater = try Inflater()
      do { try inflater.inflate(next, take) } catch is Inflater.Damage {
        throw entry.damaged("is compressed with errors")
      }
      guard offset == entry.contentEnd else { throw entry.damaged("has bytes behind its content") }
    }
    guard size == entry.size, checksum.value == entry.checksum else {
      throw entry.damaged("does not have the size and checksum that it names")
    }
  }
}
