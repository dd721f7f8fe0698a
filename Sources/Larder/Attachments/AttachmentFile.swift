import Crypto
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An open file, closed when the value is released. Every call that can fail throws ``StoreError``.
final class AttachmentFile: Sendable {
  let descriptor: Int32

  /// The number of bytes to read or write at a time.
  static let chunk = 1 << 18

  /// Opens a path without following links or blocking on a pipe.
  init(_ path: String, _ flags: Int32, mode: mode_t = 0o600) throws {
    descriptor = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode)
    guard descriptor >= 0 else { throw StoreError(systemCall: errno, "opened") }
  }

  /// Opens a file of the user, which may be a link.
  init(userFile path: String) throws {
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw StoreError(userFile: errno) }
    guard isRegular else {
      // A folder can be opened, but not read.
      throw StoreError(
        .unsupported, "What is to be attached is no plain file. Give a file's path, or attach a stream of its bytes.")
    }
  }

  #if os(Linux)
  /// Creates a file without a name, which nobody else can open until it is linked. Returns nil if the file system has no
  /// such files.
  init?(unnamedIn folder: String, mode: mode_t) throws {
    // O_TMPFILE, which Swift's Glibc doesn't import. Source: open(2) and <asm-generic/fcntl.h>.
    descriptor = open(folder, O_RDWR | 0o20000000 | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW, mode)
    guard descriptor < 0 else { return }
    let number = errno
    guard [EOPNOTSUPP, EISDIR, EINVAL, ENOENT].contains(number) else { throw StoreError(systemCall: number, "opened") }
    return nil
  }
  #endif

  deinit { close(descriptor) }

  private var status: stat? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status : nil
  }

  /// Returns the version of a regular file; nil for anything else.
  var regularVersion: FileVersion? {
    status.flatMap { $0.st_mode & S_IFMT == S_IFREG ? FileVersion($0) : nil }
  }

  /// The version of the file, which differs after every change.
  var version: FileVersion? { status.map(FileVersion.init) }

  var isRegular: Bool { status.map { $0.st_mode & S_IFMT == S_IFREG } ?? false }
  var size: Int { status.map { Int($0.st_size) } ?? 0 }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    var offset = 0
    while offset < bytes.count {
      let count = systemWrite(descriptor, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw StoreError(systemCall: count < 0 ? errno : EIO, "written") }
      offset += count
    }
  }

  /// Returns up to a number of bytes from an offset; fewer only at the end of the file.
  func read(at offset: Int, count: Int) throws -> Data {
    guard count > 0 else { return Data() }
    // The buffer need not be zeroed.
    guard let memory = malloc(count) else { throw StoreError(systemCall: ENOMEM, "read") }
    do {
      let filled = try read(into: UnsafeMutableRawBufferPointer(start: memory, count: count), at: offset)
      return Data(bytesNoCopy: memory, count: filled, deallocator: .free)
    } catch {
      free(memory)
      throw error
    }
  }

  private func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
    var filled = 0
    while filled < buffer.count {
      let count = pread(
        descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled, off_t(offset + filled))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw StoreError(systemCall: errno, "read") }
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  /// Calls the closure with all data of the file, a chunk at a time.
  func forEachChunk(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunk, alignment: 16)
    defer { buffer.deallocate() }
    var offset = 0
    while true {
      let count = try read(into: buffer, at: offset)
      guard count > 0 else { return }
      try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += count
    }
  }

  /// Returns the SHA-256 digest of the file's contents.
  func digest() throws -> String {
    var hash = SHA256()
    try forEachChunk { hash.update(bufferPointer: $0) }
    return hash.finalize().hexadecimal
  }

  /// Says that the contents were last written some seconds ago, and returns the version of the file.
  ///
  /// Any later write sets the time of writing to the present, and so makes another version, even if the clock of the file
  /// system hasn't moved on since. The coarsest one, that of FAT, has steps of two seconds.
  func backdate() -> FileVersion? {
    var now = timespec()
    guard clock_gettime(CLOCK_REALTIME, &now) == 0 else { return nil }
    now.tv_sec -= 4
    // What was accessed last doesn't matter.
    let times = [now, now]
    return futimens(descriptor, times) == 0 ? regularVersion : nil
  }

  func sync() throws {
    guard fsync(descriptor) == 0 else { throw StoreError(systemCall: errno, "written") }
  }

  /// Locks the file without waiting. Returns false if another process has locked it.
  func tryLock(isExclusive: Bool) -> Bool { flock(descriptor, (isExclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 }

  /// Takes an exclusive lock, and waits while another process has one.
  func lockExclusive() throws {
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw StoreError(systemCall: errno, "locked") }
    }
  }

  /// Takes a shared lock, and waits while another process has an exclusive one.
  func lockShared() throws {
    while flock(descriptor, LOCK_SH) != 0 {
      guard errno == EINTR else { throw StoreError(systemCall: errno, "locked") }
    }
  }
}

/// The C function `write`, which the method of the same name shadows.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}

extension SHA256Digest {
  /// Lowercase hexadecimal digits.
  var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

extension StoreError {
  /// Creates the error of a system call on a file of the store.
  init(systemCall number: Int32, _ verb: String) {
    let reason = String(cString: strerror(number))
    switch number {
    case ENOSPC, EDQUOT:
      self.init(
        .diskFull, "No space is left for an attachment; nothing of this call was kept. Free some space and try again.")
    case EACCES, EPERM, EROFS:
      self.init(
        .readOnly,
        "The folder of the store's attachments cannot be written or read (\(reason)). Give this user access to it and what it holds."
      )
    case ENOENT:
      self.init(
        .notFound,
        "The store has no file with these bytes. Attach them again; verifyAttachments() lists what is missing.")
    case ELOOP:
      self.init(
        .corrupt,
        "Another kind of file is in the place of an attachment. Remove it and attach the bytes again, or restore a backup."
      )
    default:
      self.init(
        .inputOutput, "The file of an attachment could not be \(verb) (\(reason)). Check the disk, then try again.")
    }
  }

  /// Creates the error of a system call on a file to be attached.
  fileprivate init(userFile number: Int32) {
    let reason = String(cString: strerror(number))
    let code: Code =
      number == ENOENT || number == ENOTDIR ? .notFound : number == EACCES || number == EPERM ? .readOnly : .inputOutput
    self.init(
      code,
      "The file that is to be attached cannot be opened (\(reason)). Check its path, and that this user may read it.")
  }
}
