public import Foundation

/// Reads a part piece by piece, from the version of the document that its snapshot is.
///
/// ```swift
/// let reader = try snapshot.reader(for: "movie")
/// while let piece = try reader.read() { player.append(piece) }
/// ```
///
/// The last piece is returned only if the whole part has the checksum that it was written with.
public final class DocumentPartReader {
  /// The number of bytes of the part.
  public let size: Int
  private let name: String
  private let checksum: UInt64
  let input: FileSystem.OpenFile
  private let fileSystem: FileSystem
  /// Keeps the files of the version on the disk.
  private let snapshot: DocumentSnapshot
  private var offset = 0
  private var found = CRC64()
  private var hasEnded = false

  init(_ name: String, _ part: DocumentManifest.Part, _ input: consuming FileSystem.OpenFile, of snapshot: DocumentSnapshot, _ fileSystem: FileSystem)
  {
    size = part.size
    checksum = part.checksum
    self.name = name
    self.input = input
    self.snapshot = snapshot
    self.fileSystem = fileSystem
  }

  /// Returns the next bytes.
  ///
  /// - Parameter count: The most bytes to return, at least 1.
  /// - Returns: As many bytes as asked for, or those up to the end; nil at the end.
  /// - Throws: ``ArchiveError`` `.damaged` where the part is not what was written, and `.inputOutput`.
  public func read(upTo count: Int = 128 << 10) throws -> Data? {
    var data = Data(count: max(1, min(count, size - offset)))
    let read = try data.withUnsafeMutableBytes { try self.read(into: $0) }
    return read == 0 ? nil : data.prefix(read)
  }

  /// Fills a buffer with the next bytes.
  ///
  /// - Returns: The number of bytes, which is less than the buffer has room for only at the end; 0 at the end.
  /// - Throws: ``ArchiveError`` `.damaged` where the part is not what was written, and `.inputOutput`.
  public func read(into bytes: UnsafeMutableRawBufferPointer) throws -> Int {
    if hasEnded { return 0 }
    let wanted = UnsafeMutableRawBufferPointer(rebasing: bytes.prefix(size - offset))
    let count = try fileSystem.read(input.file, into: wanted, at: offset, name)
    found.update(UnsafeRawBufferPointer(wanted))
    offset += count
    if offset == size {
      guard found.value == checksum else { throw damaged }
      hasEnded = true
    } else if count < wanted.count {
      throw damaged
    }
    return count
  }

  private var damaged: ArchiveError {
    ArchiveError(.damaged, keyPath: name, "The part is not what was written. Restore it from a copy.")
  }
}
