internal import Foundation

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Atomic replacement of files that are written in chunks.
extension FileSystem {
  /// Atomically replaces a file with what a closure writes: afterwards the new one is on the disk, or the old one is
  /// unchanged.
  ///
  /// A hidden file beside it is written. A crash may leave it, and the next call for a file in the same folder deletes
  /// it.
  func replaceFile(
    at url: URL, noMoreOpenThan mode: mode_t = 0o777, _ write: (_ file: Int32, _ name: String) throws -> Void
  ) throws {
    let place = try FilePlace(url, self)
    removeAbandoned(in: place.folderPrefix)
    let temporary = try createTemporary(for: place)
    do {
      try write(temporary.output.file, place.name)
      try access(forFile: place.path, in: place.folder).apply(to: temporary.output.file, temporary.path, self)
      let found = try self.mode(of: temporary.output.file)
      try check(fchmod(temporary.output.file, found & mode), "written", temporary.path)
      try sync(temporary.output.file, temporary.path)
      try rename(temporary.path, to: place.path)
    } catch {
      try? remove(temporary.path)
      throw error
    }
    try syncFolder(place.folder, after: "The file is in its place")
  }

  private struct Temporary: ~Copyable {
    let output: OpenFile
    let path: String
  }

  /// A file beside another, locked while this process writes it, so that a cleanup skips it.
  private func createTemporary(for place: FilePlace) throws -> Temporary {
    let access = access(forFile: place.path, in: place.folder)
    // A cleanup may delete the file before it is locked; then another one is created.
    for number in 0..<2 * Self.hiddenFiles {
      let isUsual = number < Self.hiddenFiles
      let path = Self.hiddenPath(isUsual ? "\(number)" : UUID().uuidString, in: place.folderPrefix)
      if exists(path) { continue }
      let output: OpenFile
      do { output = try createFile(path, access: access) } catch {
        if exists(path) { continue }
        throw error
      }
      let isLocked = flock(output.file, LOCK_EX | LOCK_NB) == 0
      // Where the file system doesn't know flock, a cleanup can't lock the file either, and leaves it alone.
      if isLocked ? isSame(output.file, path) : errno != EWOULDBLOCK { return Temporary(output: output, path: path) }
    }
    throw ArchiveError(
      .inputOutput, "The hidden file of \(place.name) is deleted again and again. Try again later.")
  }

  /// The number of names for hidden files in a folder: as many writers at once leave nothing after a crash. A folder may
  /// have a hundred thousand files, so a cleanup tries these names rather than reading all.
  private static let hiddenFiles = 64

  private static func hiddenPath(_ name: String, in folderPrefix: String) -> String {
    folderPrefix + ".larder-file-" + name
  }

  /// Deletes the hidden files that a crash has left in a folder.
  private func removeAbandoned(in folderPrefix: String) {
    for number in 0..<Self.hiddenFiles {
      let path = Self.hiddenPath("\(number)", in: folderPrefix)
      let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      guard file >= 0 else { continue }
      defer { close(file) }
      var status = stat()
      guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      // Its writer may have renamed it before it was locked here. Whoever has the lock deletes or renames it.
      if flock(file, LOCK_EX | LOCK_NB) == 0, isSame(file, path) { try? remove(path) }
    }
  }
}
