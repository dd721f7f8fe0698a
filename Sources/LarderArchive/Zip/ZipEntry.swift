/// An entry of a zip file, as its central directory says and its local header confirms.
package struct ZipEntry: Sendable {
  /// The name without the slash that ends the name of a folder.
  package var name: String
  package var isFolder: Bool
  var rawName: [UInt8]
  var flags: UInt16
  var method: UInt16
  var checksum: UInt32
  var compressedSize: UInt64
  package var size: UInt64
  /// Where the local header begins.
  var offset: UInt64
  /// Where the content begins.
  var contentOffset: UInt64 = 0
  /// What errors call the entry.
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
