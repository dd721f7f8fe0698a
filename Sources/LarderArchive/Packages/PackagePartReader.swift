public import Foundation

/// Reads a part chunk by chunk, from the package version of its snapshot.
///
/// ```swift
/// let reader = try snapshot.reader(for: "movie")
/// while let piece = try reader.read() { player.append(piece) }
/// ```
///
/// The last chunk is only returned if the checksum of the whole part is correct.
public final class PackagePartReader {
  /// The size of the part in bytes.
  public let size: Int
  private let name: String
  private let checksum: UInt64
  let input: FileSystem.OpenFile
  private let fileSystem: FileSystem
  /// Keeps the files of the version on disk.
  private let snapshot: PackageSnapshot
  private var offset = 0
  private var found = CRC64()
  private var hasEnded = false

  init(
    _ name: String, _ part: PackageManifest.Part, _ input: consuming FileSystem.OpenFile,
    of snapshot: PackageSnapshot, _ fileSystem: FileSystem
  ) {
    size = part.size
    checksum = part.checksum
    self.name = name
    self.input = input
    self.snapshot = snapshot
    self.fileSystem = fileSystem
  }

  /// Returns the next bytes.
  ///
  /// - Parameter count: The largest number of bytes to return, at least 1.
  /// - Returns: The requested number of bytes, or fewer at the end; nil after the end.
  /// - Throws: ``ArchiveError`` `.damaged` if the part differs from what was written, and `.inputOutput`.
  public func read(upTo count: Int = 128 << 10) throws -> Data? {
    var data = Data(count: max(1, min(count, size - offset)))
    let read = try data.withUnsafeMutableBytes { try self.read(into: $0) }
    return read == 0 ? nil : data.prefix(read)
  }

  /// Fills a buffer with the next bytes.
  ///
  /// - Parameter bytes: The buffer.
  /// - Returns: The number of bytes, which is only smaller than the buffer at the end; 0 after the end.
  /// - Throws: ``ArchiveError`` `.damaged` if the part differs from what was written, and `.inputOutput`.
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
