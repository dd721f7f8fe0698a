public import Foundation

/// Takes the bytes of a part, piece by piece.
public final class DocumentPartWriter {
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

  /// Writes more bytes to the part.
  ///
  /// - Throws: ``ArchiveError`` of the file system, and `.unsupported` after the closure that got the writer has ended.
  public func write(_ bytes: some DataProtocol) throws {
    for region in bytes.regions { try region.withUnsafeBytes { try write($0) } }
  }

  /// Writes more bytes to the part.
  ///
  /// - Throws: ``ArchiveError`` of the file system, and `.unsupported` after the closure that got the writer has ended.
  public func write(_ bytes: UnsafeRawBufferPointer) throws {
    guard isOpen else { throw ArchiveError(.unsupported, "The part is complete. Write within the closure that gets the writer.") }
    try fileSystem.write(bytes, to: output.file, at: size, fileName)
    checksum.update(bytes)
    size += bytes.count
  }

  func cancel() {
    isOpen = false
    spool.remove(fileName)
  }

  /// The part, which is not synced before it is put into a document.
  func finish() -> StagedPart {
    isOpen = false
    return StagedPart(DocumentManifest.Part(size: size, checksum: checksum.value), fileName: fileName, in: spool)
  }
}
