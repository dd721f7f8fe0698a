public import Foundation

/// Writes the data of a part, chunk by chunk.
public final class PackagePartWriter {
  private let output: FileSystem.OpenFile
  private let fileName: String
  private let spool: PartSpool
  private let fileSystem: FileSystem
  private var size = 0
  private var checksum = CRC64()
  private var isOpen = true

  init(_ output: consuming FileSystem.OpenFile, name: String, in spool: PartSpool, _ fileSystem: FileSystem) {
    self.output = output
    fileName = name
    self.spool = spool
    self.fileSystem = fileSystem
  }

  /// Appends bytes to the part.
  ///
  /// - Parameter bytes: The bytes.
  /// - Throws: ``ArchiveError`` with errors of the file system, and `.unsupported` after the closure that received the
  ///   writer has returned.
  public func write(_ bytes: some DataProtocol) throws {
    for region in bytes.regions { try region.withUnsafeBytes { try write($0) } }
  }

  /// Appends bytes to the part.
  ///
  /// - Parameter bytes: The bytes.
  /// - Throws: ``ArchiveError`` with errors of the file system, and `.unsupported` after the closure that received the
  ///   writer has returned.
  public func write(_ bytes: UnsafeRawBufferPointer) throws {
    guard isOpen else {
      throw ArchiveError(.unsupported, "The part is complete. Write within the closure that gets the writer.")
    }
    try fileSystem.write(bytes, to: output.file, at: size, fileName)
    checksum.update(bytes)
    size += bytes.count
  }

  func cancel() {
    isOpen = false
    spool.remove(fileName)
  }

  /// Returns the part, which isn't synced before it is added to a package.
  func finish() -> StagedPart {
    isOpen = false
    return StagedPart(PackageManifest.Part(size: size, checksum: checksum.value), fileName: fileName, in: spool)
  }
}
