/// The list of a document's parts, archived in the hidden file `.manifest` of its folder.
struct DocumentManifest: Archivable, Sendable {
  static let archiveTag = "LarderArchive.DocumentManifest"
  static let fileName = ".manifest"

  struct Part: Codable, Sendable {
    var size: Int
    /// CRC-64/XZ of the file's bytes.
    var checksum: UInt64
  }

  var parts: [String: Part] = [:]

  /// Throws ``ArchiveError`` `.damaged` where a part has a name that is none.
  func check() throws {
    for name in parts.keys {
      do { try PartName.check(name) } catch {
        throw ArchiveError(.damaged, "The list of the document's parts has a name that is none. Restore the document from a copy.")
      }
    }
  }
}
