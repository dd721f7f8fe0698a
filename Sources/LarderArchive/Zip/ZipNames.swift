internal import Foundation

/// The names of the entries of a zip file: none leads elsewhere, and no two are one on any file system.
struct ZipNames {
  /// What is at each path that was named, in lower case: a file, or a folder; texts that are canonically equal are one key.
  private var kinds: [String: Kind] = [:]

  private enum Kind {
    case file
    /// A folder, and whether it has an entry of its own.
    case folder(isNamed: Bool)
  }

  /// The path that a name is; a slash at the end says that it is a folder.
  ///
  /// - Throws: ``ArchiveError`` `.unsupported` for a name that isn't UTF-8, and `.invalidName` for a path that leads elsewhere, or is no name of a
  ///   part.
  static func name(_ raw: [UInt8], at place: String) throws -> (path: String, isFolder: Bool) {
    let isFolder = raw.last == UInt8(ascii: "/")
    guard let path = String(validating: isFolder ? raw.dropLast() : raw[...], as: UTF8.self) else {
      throw ArchiveError(.unsupported, keyPath: place, "The name of the entry is not UTF-8. Make the zip file again with a program that writes that.")
    }
    do { try check(path) } catch let error as ArchiveError {
      throw ArchiveError(.invalidName, keyPath: place, error.message)
    }
    return (path, isFolder)
  }

  private static func check(_ path: String) throws {
    guard isMetadata(path) else { return try PartName.checkPart(path) }
    // Never written; so a point at the begin of a name does no harm.
    let components = path.split(separator: "/", omittingEmptySubsequences: false)
    try PartName.checkPart(components.map { $0.hasPrefix(".") && $0 != "." && $0 != ".." ? "_" + $0 : $0 }.joined(separator: "/"))
  }

  /// Whether an entry is what Finder adds to zip files, and no part of a document.
  static func isMetadata(_ path: String) -> Bool {
    let components = path.split(separator: "/", omittingEmptySubsequences: false)
    return components.first == "__MACOSX" || components.last == ".DS_Store"
  }

  /// Throws ``ArchiveError`` `.invalidName` for a second entry of one name, and for a file that has files in it.
  mutating func add(_ entry: ZipEntry) throws {
    let path = entry.name.lowercased()
    for slash in path.utf8.indices where path.utf8[slash] == UInt8(ascii: "/") {
      let folder = String(path[..<slash])
      switch kinds[folder] {
      case .file: throw taken(entry)
      case .folder: break
      case nil: kinds[folder] = .folder(isNamed: false)
      }
    }
    switch kinds[path] {
    case nil: kinds[path] = entry.isFolder ? .folder(isNamed: true) : .file
    case .folder(isNamed: false) where entry.isFolder: kinds[path] = .folder(isNamed: true)
    default: throw taken(entry)
    }
  }

  private func taken(_ entry: ZipEntry) -> ArchiveError {
    ArchiveError(
      .invalidName, keyPath: entry.place,
      "The zip file has this name twice, perhaps in another case or normal form. Rename one of the two, and make the zip file again.")
  }
}
