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
    // A user who can't list the folder leaves the cleanup to others.
    do { try removeAbandoned(in: place.folder) } catch let error as ArchiveError where error.code == .noPermission {}
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
    // A cleanup may delete the file before it is locked; then another one is created.
    for _ in 0..<100 {
      let path = place.folderPrefix + Self.abandonedPrefix + UUID().uuidString
      let output = try createFile(path, access: access(forFile: place.path, in: place.folder))
      let isLocked = flock(output.file, LOCK_EX | LOCK_NB) == 0
      // Where the file system doesn't know flock, a cleanup can't lock the file either, and leaves it alone.
      if isLocked ? isSame(output.file, path) : errno != EWOULDBLOCK { return Temporary(output: output, path: path) }
    }
    throw ArchiveError(
      .inputOutput, "The hidden files of \(place.name) are deleted all the time. Try again when nobody else writes there.")
  }

  private static let abandonedPrefix = ".larder-file-"

  /// Deletes the hidden files that a crash has left in a folder.
  private func removeAbandoned(in folder: String) throws {
    for name in try names(in: folder, beginningWith: Self.abandonedPrefix) {
      let path = folder + "/" + name
      let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      guard file >= 0 else { continue }
      defer { close(file) }
      var status = stat()
      guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      if flock(file, LOCK_EX | LOCK_NB) == 0 { try remove(path) }
    }
  }
}
