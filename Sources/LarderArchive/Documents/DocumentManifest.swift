internal import Foundation

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

  /// A part, under the name that its file has: the same text may be written in two normal forms.
  func part(named name: String) -> (name: String, part: Part)? {
    parts.index(forKey: name).map { (parts[$0].key, parts[$0].value) }
  }

  /// Throws ``ArchiveError`` `.damaged` where a part has a name that is none.
  func check() throws {
    for name in parts.keys {
      do { try PartName.check(name) } catch {
        throw ArchiveError(.damaged, "The list of the document's parts has a name that is none. Restore the document from a copy.")
      }
    }
  }

  /// Reads the list of an open document.
  ///
  /// Throws ``ArchiveError`` `.damaged` where it cannot be read, but `.newerVersion` and `.noPermission` as they are.
  init(in opened: Int32, of folder: DocumentFolder) throws {
    do {
      let data = try folder.fileSystem.read(Self.fileName, in: opened, limit: folder.limits.size)
      self = try Archive.decode(DocumentManifest.self, from: data, limits: folder.limits)
      try check()
    } catch let error as ArchiveError where error.code != .newerVersion && error.code != .noPermission {
      throw ArchiveError(
        .damaged, "The list of the document's parts cannot be read (\(error.code)). Ask inspect() what can, and restore the rest from a copy.")
    }
  }

  init(parts: [String: Part] = [:]) { self.parts = parts }

  /// The bytes of a part of an open document, as the list says they were written.
  ///
  /// Throws ``ArchiveError`` `.notFound`, `.damaged` and `.limitExceeded`.
  func data(of name: String, in opened: Int32, of folder: DocumentFolder) throws -> Data {
    guard let (name, part) = part(named: name) else {
      throw ArchiveError(.notFound, keyPath: name, "The document has no part of this name. Ask partNames() for those that it has.")
    }
    let data: Data
    do {
      data = try folder.fileSystem.read(name, in: opened, limit: folder.limits.size)
    } catch let error as ArchiveError where error.code == .notFound || error.code == .inputOutput {
      throw ArchiveError(.damaged, keyPath: name, "The file of this part cannot be read (\(error.code)). Restore it from a copy.")
    }
    guard data.count == part.size, CRC64.checksum(data) == part.checksum else {
      throw ArchiveError(.damaged, keyPath: name, "The part is not what was written. Restore it from a copy.")
    }
    return data
  }
}
