public import Foundation

extension DocumentSnapshot {
  /// Writes the document as one zip file, which every program for zip files opens: afterwards the whole file is on the disk, or what was there is as
  /// it was.
  ///
  /// ```swift
  /// try document.snapshot().writeZip(to: url)
  /// let copy = try folder.add { try $0.setParts(ofZip: url) }
  /// ```
  ///
  /// Each part is an entry; files that are no parts stay out. The same names and contents give the same bytes, with the same version of zlib. Parts
  /// that deflate does not make smaller are stored. A new file is no more open than its folder, the document and its parts; one that is replaced does
  /// not become more open.
  ///
  /// - Parameters:
  ///   - url: The file; a link in its place is replaced, not followed.
  ///   - limits: What is written within them is read within them.
  /// - Throws: ``ArchiveError`` `.limitExceeded`, `.damaged` for a part that is not what was written, `.invalidName` for a URL that is none of a
  ///   file, `.notFound` for a folder that is not there, and errors of the file system. Only where syncing the folder fails at the very end is the
  ///   new file there; the error says so.
  /// - Complexity: O(bytes of all parts), with no more than two pieces of 128 KiB in memory; `fsync` of the file and the folder. A crash may leave a
  ///   hidden file beside it, which the next call for the same folder deletes.
  public func writeZip(to url: URL, limits: ZipLimits = .default) throws {
    try writeZip(to: url, limits: limits, largeLimit: ZipWriter.largeLimit)
  }

  package func writeZip(to url: URL, limits: ZipLimits = .default, largeLimit: UInt64) throws {
    let names = partNames().sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    guard names.count <= limits.entries else { throw limits.exceeded("The document has more than \(limits.entries) parts", "entries") }
    var total = 0
    var mode = try fileSystem.mode(of: opened.file)
    for name in names {
      let reader = try reader(for: name)
      mode &= try fileSystem.mode(of: reader.input.file) | 0o111
      guard reader.size <= limits.partSize else { throw limits.exceeded("The part has more than \(limits.partSize) bytes", "partSize", at: name) }
      guard reader.size <= limits.totalSize - total else {
        throw limits.exceeded("The parts have more than \(limits.totalSize) bytes", "totalSize", at: name)
      }
      total += reader.size
    }
    try fileSystem.replaceFile(at: url, noMoreOpenThan: mode) { file, fileName in
      var writer = ZipWriter(to: file, fileName, fileSystem, limits: limits, largeLimit: largeLimit)
      for name in names {
        try writer.add(name, size: UInt64(try reader(for: name).size)) { try reader(for: name) }
      }
      try writer.finish()
    }
  }
}
