/// An entry of a zip file, from its central directory and confirmed by its local header.
package struct ZipEntry: Sendable {
  /// The name without the trailing slash of a folder.
  package var name: String
  package var isFolder: Bool
  var rawName: [UInt8]
  var flags: UInt16
  var method: UInt16
  var checksum: UInt32
  var compressedSize: UInt64
  package var size: UInt64
  /// The offset of the local header.
  var offset: UInt64
  /// The offset of the content.
  var contentOffset: UInt64 = 0
  /// The name of the entry in errors.
  var place: String

  var contentEnd: UInt64 { contentOffset + compressedSize }
  var hasDescriptor: Bool { flags & ZipFormat.Flag.hasDescriptor != 0 }

  func damaged(_ problem: String) -> ArchiveError {
    ArchiveError(.damaged, keyPath: place, "The entry \(problem). Restore the zip file from a copy.")
  }

  func unsupported(_ problem: String) -> ArchiveError {
    ArchiveError(.unsupported, keyPath: place, "The entry \(problem). Make the zip file again without that.")
  }
}
