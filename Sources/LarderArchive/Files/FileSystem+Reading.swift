internal import Foundation

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

extension FileSystem {
  /// An entry of a folder; whether it is a folder is nil if the file system doesn't report it.
  struct Entry {
    let name: String
    let isFolder: Bool?
  }

  /// Returns the contents of a regular file of at most `limit` bytes; pipes, devices and, unless they are followed,
  /// symbolic links are rejected.
  func read(_ path: String, limit: Int, followsLinks: Bool = false) throws -> Data {
    try read(path, in: AT_FDCWD, limit: limit, followsLinks: followsLinks)
  }

  /// Like ``read(_:limit:followsLinks:)``, for a path relative to an open folder.
  func read(_ path: String, in folder: Int32, limit: Int, followsLinks: Bool = false) throws -> Data {
    try note("read", path)
    // A pipe would block the call without O_NONBLOCK.
    let file = try check(
      openat(folder, path, O_RDONLY | (followsLinks ? 0 : O_NOFOLLOW) | O_NONBLOCK | O_CLOEXEC), "opened", path)
    defer { close(file) }
    var status = stat()
    try check(fstat(file, &status), "read", path)
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw ArchiveError(
        .inputOutput, "\(Self.name(path)) is a folder, a pipe or a device, and no file with content. Check the path.")
    }
    let size = Int(status.st_size)
    guard size <= limit else {
      throw ArchiveError(
        .limitExceeded,
        "The file has \(size) bytes; at most \(limit) are allowed. Raise Archive.Limits.size if that is meant to be.")
    }
    var data = Data(count: size)
    var offset = 0
    while offset < size {
      let count = data.withUnsafeMutableBytes { bytes in
        #if canImport(Darwin)
        Darwin.read(file, bytes.baseAddress?.advanced(by: offset), size - offset)
        #elseif canImport(Musl)
        Musl.read(file, bytes.baseAddress?.advanced(by: offset), size - offset)
        #else
        Glibc.read(file, bytes.baseAddress?.advanced(by: offset), size - offset)
        #endif
      }
      if count < 0 && errno == EINTR { continue }
      if try check(count, "read", path) == 0 { break }
      offset += count
    }
    return offset == size ? data : data.prefix(offset)
  }

  /// Returns the entries of a folder, without `.` and `..`, in no order; names that aren't UTF-8 are left out.
  func names(in path: String) throws -> [Entry] {
    guard let folder = opendir(path) else { throw Self.error(errno, "read", path) }
    defer { closedir(folder) }
    return entries(of: folder)
  }

  /// Returns the entries of an open folder; names that aren't UTF-8 are left out.
  func names(in folder: Int32) throws -> [Entry] {
    try reading(folder, entries)
  }

  /// Returns the entries of an open folder; throws ``ArchiveError`` `.unsupported` if there is a name that isn't UTF-8.
  func allNames(in folder: Int32) throws -> [Entry] {
    let entries = try names(in: folder)
    guard try rawNames(in: folder).allSatisfy({ String(validating: $0.dropLast(), as: UTF8.self) != nil }) else {
      throw ArchiveError(
        .unsupported, "There is a file in the folder whose name is not UTF-8. Rename it, or move it away.")
    }
    return entries
  }

  /// Returns the names in an open folder as the system has them, each with a zero at its end.
  func rawNames(in folder: Int32) throws -> [[CChar]] {
    try reading(folder) { stream in
      var names: [[CChar]] = []
      forEachName(of: stream) { name, _ in
        names.append(Array(UnsafeBufferPointer(start: name, count: strlen(name) + 1)))
      }
      return names
    }
  }

  private func reading<Result>(_ folder: Int32, _ body: (Stream) throws -> Result) throws -> Result {
    let copy = try check(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), "read", ".")
    guard let opened = fdopendir(copy) else {
      close(copy)
      throw Self.error(errno, "read", ".")
    }
    defer { closedir(opened) }
    return try body(opened)
  }

  #if canImport(Darwin)
  private typealias Stream = UnsafeMutablePointer<DIR>
  #else
  private typealias Stream = OpaquePointer
  #endif

  private func entries(of folder: Stream) -> [Entry] {
    var entries: [Entry] = []
    forEachName(of: folder) { name, kind in
      guard let name = String(validatingCString: name) else { return }
      entries.append(Entry(name: name, isFolder: kind == Int32(DT_UNKNOWN) ? nil : kind == Int32(DT_DIR)))
    }
    return entries
  }

  /// Calls a closure with each name and kind in a folder, without `.` and `..`.
  private func forEachName(of folder: Stream, _ body: (UnsafePointer<CChar>, Int32) -> Void) {
    while let entry = readdir(folder) {
      let kind = Int32(entry.pointee.d_type)
      // The name ends with a zero inside the entry.
      withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: Int(entry.pointee.d_reclen)) { name in
          if strcmp(name, ".") != 0, strcmp(name, "..") != 0 { body(name, kind) }
        }
      }
    }
  }

  /// An open folder or file with an exclusive lock, which is released when it is closed.
  struct Lock: ~Copyable {
    let file: Int32

    deinit { close(file) }
  }

  /// An open folder, so that all reads are of the same folder, whatever happens to its path.
  struct Folder: ~Copyable {
    let file: Int32

    deinit { close(file) }
  }

  /// Opens a folder without following a symbolic link.
  func openFolder(_ path: String, in folder: Int32 = AT_FDCWD) throws -> Folder {
    let file = openat(folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    if file < 0, errno == ENOTDIR || errno == ELOOP {
      throw ArchiveError(
        .inputOutput,
        "\(Self.name(path)) is a link or a file, where a folder belongs. Put the folder itself in its place.")
    }
    return Folder(file: try check(file, "opened", path))
  }

  func isFolder(_ name: String, in folder: Int32) -> Bool {
    var status = stat()
    return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Opens a folder and prevents its deletion while it is open; several callers may do so at once.
  func openShared(_ path: String) throws -> Folder {
    for _ in 0..<1000 {
      let folder = try openFolder(path)
      while flock(folder.file, LOCK_SH) != 0 {
        if errno != EINTR { throw Self.error(errno, "locked", path) }
      }
      // It may have been replaced before it was locked.
      if isSame(folder.file, path) { return folder }
    }
    throw ArchiveError(.inputOutput, "\(Self.name(path)) is replaced all the time. Try again.")
  }

  /// Allows the deletion of an open folder.
  func unlock(_ folder: Int32) { flock(folder, LOCK_UN) }

  /// Returns whether a path still leads to an open folder.
  func isSame(_ folder: Int32, _ path: String) -> Bool {
    var (status, now) = (stat(), stat())
    return fstat(folder, &status) == 0 && lstat(path, &now) == 0 && status.st_dev == now.st_dev
      && status.st_ino == now.st_ino
  }

  /// Locks a file, which is created if necessary, and waits for other holders of the lock.
  func lock(file path: String, access: Access) throws -> Lock {
    let lock = Lock(
      file: try check(open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, access.modeToCreate), "locked", path))
    while true {
      if flock(lock.file, LOCK_EX) == 0 { return lock }
      if errno != EINTR { throw Self.error(errno, "locked", path) }
    }
  }

  /// Locks a folder, or returns nil if it is locked or no longer exists.
  func tryLock(folder path: String) -> Lock? {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    let lock = Lock(file: descriptor)
    var status = stat()
    // A cleanup deletes a folder while holding its lock; a deleted folder has no links.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &status) == 0, status.st_nlink > 0 else {
      return nil
    }
    return lock
  }
}
