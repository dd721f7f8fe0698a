public import Foundation

extension PackageParts {
  /// Sets the parts in a zip file, written by any program.
  ///
  /// ```swift
  /// let package = try folder.add { try $0.setParts(ofZip: url) }
  /// try package.replaceAll { try $0.setParts(ofZip: url) }
  /// ```
  ///
  /// Before anything is written, the structure of the whole file is checked: the names, kinds, sizes and positions of
  /// all entries, and whether each entry's own header agrees with the directory. The sizes and checksums of the
  /// contents are checked while they are written to hidden files. If there is an error, nothing of the file becomes
  /// part of the package. Empty folders, `.DS_Store` and Finder's `__MACOSX` are left out.
  ///
  /// - Parameters:
  ///   - url: The URL of the file. A symbolic link is followed.
  ///   - zipFolder: The folder in the zip file to take, such as the one that Finder creates when it compresses a
  ///     folder; nil for all entries.
  ///   - limits: The limits of the file.
  /// - Throws: ``ArchiveError`` with the entry's name or number: `.notAnArchive`; `.damaged` if the file is truncated,
  ///   entries overlap or contradict each other, or a checksum differs; `.unsupported` for links, encryption and
  ///   methods other than deflate; `.invalidName` for names that aren't valid for parts, and for two that only differ
  ///   in case or normalization form; `.limitExceeded`; `.notFound` if `zipFolder` is empty; and errors of the file
  ///   system.
  /// - Complexity: O(*n*), where *n* is the number of bytes, with the directory and at most two chunks of 128 KiB in
  ///   memory.
  public mutating func setParts(ofZip url: URL, in zipFolder: String? = nil, limits: ZipLimits = .default) throws {
    if let zipFolder { try PartName.checkPart(zipFolder) }
    let reader = try ZipReader(url, limits: limits, fileSystem: folder.fileSystem)
    let prefix = zipFolder.map { $0 + "/" } ?? ""
    // Compares bytes, because canonically equal texts can have different prefixes.
    let entries = reader.entries.filter {
      !$0.isFolder && !ZipNames.isMetadata($0.name) && $0.name.utf8.starts(with: prefix.utf8)
    }
    guard zipFolder == nil || !entries.isEmpty else {
      throw ArchiveError(
        .notFound, keyPath: zipFolder, "The zip file has nothing in this folder. Ask for another one, or for all.")
    }
    var staged: [(String, StagedPart)] = []
    let spool = try makeSpool()
    for entry in entries {
      let part = try spool.write { writer in try reader.read(entry) { try writer.write($0) } }
      staged.append((String(Substring(entry.name.utf8.dropFirst(prefix.utf8.count))), part))
    }
    for (name, part) in staged { set(.staged(part), for: name) }
  }
}
