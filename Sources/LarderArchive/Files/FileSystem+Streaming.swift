internal import Foundation

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Files that are read and written in chunks.
extension FileSystem {
  /// The number of bytes in memory while a file is streamed.
  static let pieceSize = 128 << 10

  /// An open file, closed when the value is released.
  struct OpenFile: ~Copyable {
    let file: Int32
    /// The size when it was opened.
    let size: Int

    deinit { close(file) }
  }

  /// Opens a regular file for reading; pipes, devices and, unless they are followed, symbolic links are rejected.
  func openFile(_ path: String, in folder: Int32 = AT_FDCWD, followsLinks: Bool = false) throws -> OpenFile {
    try note("read", path)
    // A pipe would block the call without O_NONBLOCK.
    let file = try check(
      openat(folder, path, O_RDONLY | (followsLinks ? 0 : O_NOFOLLOW) | O_NONBLOCK | O_CLOEXEC), "opened", path)
    var status = stat()
    do {
      try check(fstat(file, &status), "read", path)
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw ArchiveError(
          .inputOutput, "\(Self.name(path)) is a folder, a pipe or a device, and no file with content. Check the path.")
      }
    } catch {
      close(file)
      throw error
    }
    return OpenFile(file: file, size: Int(status.st_size))
  }

  /// Fills a buffer with the bytes at an offset.
  ///
  /// - Returns: The number of bytes, which is less than asked for only at the end of the file.
  func read(_ file: Int32, into bytes: UnsafeMutableRawBufferPointer, at offset: Int, _ path: String) throws -> Int {
    var count = 0
    while count < bytes.count {
      let result = pread(file, bytes.baseAddress?.advanced(by: count), bytes.count - count, off_t(offset + count))
      if result < 0 && errno == EINTR { continue }
      if try check(result, "read", path) == 0 { break }
      count += result
    }
    return count
  }

  /// The bytes at an offset; fewer than asked for only at the end of the file.
  func bytes(of file: Int32, at offset: Int, count: Int, _ path: String) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = try read(file, into: UnsafeMutableRawBufferPointer(buffer), at: offset, path)
    }
  }

  /// Creates a file that must not exist, to be written in chunks.
  func createFile(_ path: String, in folder: Int32 = AT_FDCWD, access: Access) throws -> OpenFile {
    try note("create", path)
    let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    return OpenFile(file: try check(openat(folder, path, flags, access.modeToCreate), "created", path), size: 0)
  }

  /// Writes all bytes at an offset.
  func write(_ bytes: UnsafeRawBufferPointer, to file: Int32, at offset: Int, _ path: String) throws {
    var done = 0
    while done < bytes.count {
      try note("write", path)
      let part = UnsafeRawBufferPointer(rebasing: bytes[done..<min(done + chunk, bytes.count)])
      let written = pwrite(file, part.baseAddress, part.count, off_t(offset + done))
      if written < 0 && errno == EINTR { continue }
      done += try check(written, "written", path)
    }
  }

  /// Truncates a file.
  func truncate(_ file: Int32, to size: Int, _ path: String) throws {
    try note("write", path)
    try check(ftruncate(file, off_t(size)), "written", path)
  }

  /// Syncs the contents of a file.
  func sync(_ file: Int32, _ path: String) throws {
    try note("sync", path)
    try check(fsync(file), "written", path)
  }

  /// Calls a closure with the open folder of a path's last component, and with that component; links to folders aren't
  /// followed.
  func inParent<Result>(
    of path: String, in folder: Int32, _ body: (_ folder: Int32, _ name: String) throws -> Result
  ) throws -> Result {
    guard let slash = path.utf8.firstIndex(of: UInt8(ascii: "/")) else { return try body(folder, path) }
    let inner = try openFolder(String(path[..<slash]), in: folder)
    return try inParent(of: String(path[path.utf8.index(after: slash)...]), in: inner.file, body)
  }
}
