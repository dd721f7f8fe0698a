internal import Foundation

/// The names of a zip file's entries: none leads elsewhere, and no two are equal on any file system.
struct ZipNames {
  /// The kind of each path, in lowercase: a file or a folder. Canonically equal texts are one key.
  private var kinds: [String: Kind] = [:]

  private enum Kind {
    case file
    /// A folder, and whether it has its own entry.
    case folder(isNamed: Bool)
  }

  /// Returns the path of a name; a trailing slash means a folder.
  ///
  /// - Throws: ``ArchiveError`` `.unsupported` for a name that isn't UTF-8, and `.invalidName` for a path that leads
  ///   elsewhere, or isn't valid for a part.
  static func name(_ raw: [UInt8], at place: String) throws -> (path: String, isFolder: Bool) {
    let isFolder = raw.last == UInt8(ascii: "/")
    guard let path = String(validating: isFolder ? raw.dropLast() : raw[...], as: UTF8.self) else {
      throw ArchiveError(
        .unsupported, keyPath: place,
        "The name of the entry is not UTF-8. Make the zip file again with a program that writes that.")
    }
    do { try check(path) } catch let error as ArchiveError {
      throw ArchiveError(.invalidName, keyPath: place, error.message)
    }
    return (path, isFolder)
  }

  private static func check(_ path: String) throws {
    guard isMetadata(path) else { return try PartName.checkPart(path) }
    // Never written, so a leading point does no harm.
    let components = path.split(separator: "/", omittingEmptySubsequences: false)
    try PartName.checkPart(
      components.map { $0.hasPrefix(".") && $0 != "." && $0 != ".." ? "_" + $0 : $0 }.joined(separator: "/"))
  }

  /// Returns whether an entry is Finder's metadata, and not part of a package.
  static func isMetadata(_ path: String) -> Bool {
    let components = path.split(separator: "/", omittingEmptySubsequences: false)
    return components.first == "__MACOSX" || components.last == ".DS_Store"
  }

  /// Throws ``ArchiveError`` `.invalidName` for a second entry with the same name, and for a file that contains files.
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
      "The zip file has this name twice, perhaps in another case or normal form. Rename one of the two, and make the zip file again."
    )
  }
}
