internal import Foundation

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

extension FileSystem {
  /// An entry of a folder; whether it is a folder is nil where the file system does not say so on its own.
  struct Entry {
    let name: String
    let isFolder: Bool?
  }

  /// The content of a plain file of at most `limit` bytes; pipes, devices and, unless they are followed, links are refused.
  func read(_ path: String, limit: Int, followsLinks: Bool = false) throws -> Data {
    try note("read", path)
    // A pipe would keep the call waiting without O_NONBLOCK.
    let file = try check(open(path, O_RDONLY | (followsLinks ? 0 : O_NOFOLLOW) | O_NONBLOCK | O_CLOEXEC), "opened", path)
    defer { close(file) }
    var status = stat()
    try check(fstat(file, &status), "read", path)
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw ArchiveError(.inputOutput, "\(Self.name(path)) is a folder, a pipe or a device, and no file with content. Check the path.")
    }
    let size = Int(status.st_size)
    guard size <= limit else {
      throw ArchiveError(
        .limitExceeded, "The file has \(size) bytes; at most \(limit) are allowed. Raise Archive.Limits.size if that is meant to be.")
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

  /// What is in a folder, without `.` and `..`, in no order; names that are not UTF-8 are left out.
  func names(in path: String) throws -> [Entry] {
    guard let folder = opendir(path) else { throw Self.error(errno, "read", path) }
    defer { closedir(folder) }
    var entries: [Entry] = []
    while let entry = readdir(folder) {
      // The name ends with a zero inside the entry.
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: Int(entry.pointee.d_reclen)) { String(validatingCString: $0) }
      }
      guard let name, name != ".", name != ".." else { continue }
      let kind = Int32(entry.pointee.d_type)
      entries.append(Entry(name: name, isFolder: kind == Int32(DT_UNKNOWN) ? nil : kind == Int32(DT_DIR)))
    }
    return entries
  }

  /// An open folder or file that holds an exclusive lock until it is closed.
  struct Lock: ~Copyable {
    let file: Int32

    deinit { close(file) }
  }

  /// Locks a file, which is created if it is not there, and waits for others who hold it.
  func lock(file path: String) throws -> Lock {
    let lock = Lock(file: try check(open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644), "locked", path))
    while true {
      if flock(lock.file, LOCK_EX) == 0 { return lock }
      if errno != EINTR { throw Self.error(errno, "locked", path) }
    }
  }

  /// Locks a folder, or returns nil where somebody else holds it or it is no longer there.
  func tryLock(folder path: String) -> Lock? {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    let lock = Lock(file: descriptor)
    var status = stat()
    // Whoever cleans up deletes a folder while holding its lock; a folder that was deleted has no links.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &status) == 0, status.st_nlink > 0 else { return nil }
    return lock
  }
}
