public import Foundation

extension DocumentParts {
  /// Sets the parts that are in a zip file, of this or of another program.
  ///
  /// ```swift
  /// let document = try folder.add { try $0.setParts(ofZip: url) }
  /// try document.replaceAll { try $0.setParts(ofZip: url) }
  /// ```
  ///
  /// Before anything is written, the structure of the file is checked as a whole: names, kinds, sizes and places of all entries, and whether each
  /// entry's own header says what the directory says. Sizes and checksums of the contents are checked while they go to hidden files, and nothing of a
  /// file with an error becomes part of the document. Empty folders, `.DS_Store` and what Finder keeps in `__MACOSX` are left out.
  ///
  /// - Parameters:
  ///   - url: The file; a link to one is followed.
  ///   - zipFolder: The folder in the zip file whose content is taken, for instance the one that Finder makes of a folder that is compressed; nil for
  ///     all.
  ///   - limits: What the file may cost.
  /// - Throws: ``ArchiveError`` with the entry's name or number: `.notAnArchive`; `.damaged` for what is cut, overlaps, contradicts itself or has
  ///   another checksum; `.unsupported` for links, encryption and methods other than deflate; `.invalidName` for names that are no names of parts,
  ///   and for two that differ in case or normal form alone; `.limitExceeded`; `.notFound` where nothing is in `zipFolder`; errors of the file
  ///   system.
  /// - Complexity: O(bytes), with the directory and no more than two pieces of 128 KiB in memory.
  public mutating func setParts(ofZip url: URL, in zipFolder: String? = nil, limits: ZipLimits = .default) throws {
    if let zipFolder { try PartName.checkPart(zipFolder) }
    let reader = try ZipReader(url, limits: limits, fileSystem: folder.fileSystem)
    let prefix = zipFolder.map { $0 + "/" } ?? ""
    // A name of bytes, as texts that are canonically equal have prefixes that are not.
    let entries = reader.entries.filter { !$0.isFolder && !ZipNames.isMetadata($0.name) && $0.name.utf8.starts(with: prefix.utf8) }
    guard zipFolder == nil || !entries.isEmpty else {
      throw ArchiveError(.notFound, keyPath: zipFolder, "The zip file has nothing in this folder. Ask for another one, or for all.")
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
