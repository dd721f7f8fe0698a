public import Foundation

extension PackageSnapshot {
  /// Atomically writes the package as a standard zip file.
  ///
  /// ```swift
  /// try package.snapshot().writeZip(to: url)
  /// let copy = try folder.add { try $0.setParts(ofZip: url) }
  /// ```
  ///
  /// Each part is an entry; files that aren't parts are left out. The same names and contents produce the same bytes,
  /// with the same version of zlib. Parts that deflate doesn't make smaller are stored uncompressed. A new file is no
  /// more accessible than its folder, the package and its parts; a replaced file doesn't become more accessible.
  ///
  /// - Parameters:
  ///   - url: The URL of the file. A symbolic link there is replaced, not followed.
  ///   - limits: The limits of the file. What is written within them can be read within them.
  /// - Throws: ``ArchiveError`` `.limitExceeded`, `.damaged` if a part differs from what was written, `.invalidName` if
  ///   the URL isn't a file URL, `.notFound` if the folder doesn't exist, and errors of the file system. After an error
  ///   the existing file is unchanged, unless only syncing the folder failed, which the error says.
  /// - Complexity: O(*n*), where *n* is the number of bytes of all parts, with at most two chunks of 128 KiB in memory;
  ///   calls `fsync` for the file and the folder. A crash may leave a hidden file beside it, which the next call for
  ///   the same folder deletes.
  public func writeZip(to url: URL, limits: ZipLimits = .default) throws {
    try writeZip(to: url, limits: limits, largeLimit: ZipWriter.largeLimit)
  }

  package func writeZip(to url: URL, limits: ZipLimits = .default, largeLimit: UInt64) throws {
    let names = partNames().sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    guard names.count <= limits.entries else {
      throw limits.exceeded("The package has more than \(limits.entries) parts", "entries")
    }
    var total = 0
    var mode = try fileSystem.mode(of: opened.file)
    for name in names {
      let reader = try reader(for: name)
      mode &= try fileSystem.mode(of: reader.input.file) | 0o111
      guard reader.size <= limits.partSize else {
        throw limits.exceeded("The part has more than \(limits.partSize) bytes", "partSize", at: name)
      }
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
