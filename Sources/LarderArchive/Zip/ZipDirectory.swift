/// The position of a zip file's central directory, and its number of entries (4.3.14 to 4.3.16).
struct ZipDirectory {
  private(set) var count: UInt64
  private(set) var offset: UInt64
  private(set) var size: UInt64

  /// The number of bytes needed from the end of a file: the end record with the longest comment, and the records of
  /// large files before it.
  static func tailSize(of fileSize: Int) -> Int {
    min(fileSize, ZipFormat.endSize + Int(UInt16.max) + ZipFormat.zip64LocatorSize + ZipFormat.zip64EndSize)
  }

  /// Finds the directory, and checks that it ends where its end record begins.
  ///
  /// - Parameters:
  ///   - tail: The last bytes of the file.
  ///   - fileSize: The size of the file.
  /// - Throws: ``ArchiveError`` `.notAnArchive`, `.damaged`, or `.unsupported` for a zip file in several parts.
  init(tail: UnsafeRawBufferPointer, fileSize: Int) throws {
    let end = try Self.findEnd(in: tail)
    let disk = tail.littleEndian(UInt16.self, at: end + 4)
    let directoryDisk = tail.littleEndian(UInt16.self, at: end + 6)
    let countHere = tail.littleEndian(UInt16.self, at: end + 8)
    let count16 = tail.littleEndian(UInt16.self, at: end + 10)
    let size32 = tail.littleEndian(UInt32.self, at: end + 12)
    let offset32 = tail.littleEndian(UInt32.self, at: end + 16)
    guard disk == directoryDisk, disk == 0 || disk == ZipFormat.large16, countHere == count16 else { throw Self.split }
    (count, size, offset) = (UInt64(count16), UInt64(size32), UInt64(offset32))
    var directoryEnd = UInt64(fileSize - tail.count + end)
    if let large = try Self.large(in: tail, before: end, fileSize: fileSize) {
      guard count16 == ZipFormat.large16 || UInt64(count16) == large.count,
        size32 == ZipFormat.large32 || UInt64(size32) == large.size,
        offset32 == ZipFormat.large32 || UInt64(offset32) == large.offset
      else { throw Self.damaged("has two ends that do not agree") }
      (count, size, offset) = large
      directoryEnd -= UInt64(ZipFormat.zip64LocatorSize + ZipFormat.zip64EndSize)
    } else if disk != 0 {
      throw Self.split
    }
    let (sum, overflow) = offset.addingReportingOverflow(size)
    guard !overflow, sum == directoryEnd else { throw Self.damaged("does not have its directory where its end says") }
  }

  /// Returns the end record: the last one, whose comment must end with the file. Other programs take the last one in
  /// any case, so a comment may not look like one.
  private static func findEnd(in tail: UnsafeRawBufferPointer) throws -> Int {
    let last = tail.count - ZipFormat.endSize
    for place in stride(from: last, through: max(0, last - Int(UInt16.max)), by: -1) {
      guard tail[place] == 0x50, tail.littleEndian(UInt32.self, at: place) == ZipFormat.end else { continue }
      guard place + ZipFormat.endSize + Int(tail.littleEndian(UInt16.self, at: place + 20)) == tail.count else {
        throw damaged("has an end that is not where the file ends")
      }
      return place
    }
    throw ArchiveError(.notAnArchive, "The bytes are not a zip file, or its end is missing. Use one that is complete.")
  }

  /// Returns the numbers of the end record for large files, if there is one.
  private static func large(
    in tail: UnsafeRawBufferPointer, before end: Int, fileSize: Int
  ) throws -> (count: UInt64, size: UInt64, offset: UInt64)? {
    let locator = end - ZipFormat.zip64LocatorSize
    guard locator >= 0, tail.littleEndian(UInt32.self, at: locator) == ZipFormat.zip64Locator else { return nil }
    let record = locator - ZipFormat.zip64EndSize
    guard record >= 0, tail.littleEndian(UInt32.self, at: record) == ZipFormat.zip64End,
      tail.littleEndian(UInt64.self, at: locator + 8) == UInt64(fileSize - tail.count + record),
      // The size doesn't include the first twelve bytes; a longer record has unknown content.
      tail.littleEndian(UInt64.self, at: record + 4) == UInt64(ZipFormat.zip64EndSize - 12)
    else { throw damaged("has an end for large files that does not fit") }
    guard tail.littleEndian(UInt32.self, at: locator + 4) == 0, tail.littleEndian(UInt32.self, at: locator + 16) <= 1,
      tail.littleEndian(UInt32.self, at: record + 16) == 0, tail.littleEndian(UInt32.self, at: record + 20) == 0,
      tail.littleEndian(UInt64.self, at: record + 24) == tail.littleEndian(UInt64.self, at: record + 32)
    else { throw split }
    return (
      tail.littleEndian(UInt64.self, at: record + 32), tail.littleEndian(UInt64.self, at: record + 40),
      tail.littleEndian(UInt64.self, at: record + 48)
    )
  }

  static func damaged(_ problem: String) -> ArchiveError {
    ArchiveError(.damaged, "The zip file \(problem). Restore it from a copy.")
  }

  private static var split: ArchiveError {
    ArchiveError(.unsupported, "The zip file is one of several parts. Join them into one file first.")
  }
}
