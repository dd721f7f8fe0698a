import Foundation
import Larder

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that gets its name when it is whole and on the disk. Until then it has a temporary name beside it.
final class NewFile {
  private let path: String
  private let partial: String
  private let descriptor: Int32
  private var isPlaced = false
  private var isDiscarded = false
  /// The number of bytes that were written.
  private(set) var size = 0

  /// Creates the file under its temporary name.
  ///
  /// - Parameters:
  ///   - path: The later path. A file with changes that is there is replaced, and an empty one.
  ///   - mode: The permissions.
  /// - Throws: `StoreError` `.invalidValue` if another file is there, which may be the store.
  init(at path: String, mode: mode_t) throws {
    try Self.checkReplaceable(path)
    self.path = path
    partial = "\(path).\(UUID().uuidString).partial"
    descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw Self.failure(errno) }
  }

  deinit {
    close(descriptor)
    discard()
  }

  /// Refuses to replace a file that begins like no file with changes.
  private static func checkReplaceable(_ path: String) throws {
    let known = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard known >= 0 else {
      if errno == ENOENT { return }
      throw failure(errno)
    }
    defer { close(known) }
    var start = [UInt8](repeating: 0, count: Frame.magic.count)
    let count = read(known, &start, start.count)
    guard count >= 0 else { throw failure(errno) }
    if start.prefix(count) == Frame.magic.prefix(count) { return }
    throw StoreError(
      .invalidValue, ofModel: nil,
      "\(path) is another file than one with changes, and isn't replaced. Choose a name that no other file has, or delete that file."
    )
  }

  /// Removes the file unless it has its name. Whoever gives up calls it, because another thread may hold the object for a
  /// moment longer.
  func discard() {
    if !isPlaced, !isDiscarded { unlink(partial) }
    isDiscarded = true
  }

  func write(_ data: Data) throws {
    try data.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw Self.failure(errno) }
        rest = rest.dropFirst(count)
      }
    }
    size += data.count
  }

  /// Brings the file to the disk, and gives it its name.
  ///
  /// - Throws: `StoreError` `.invalidValue` if another file has the name by now.
  func place() throws {
    try Self.checkReplaceable(path)
    guard fsync(descriptor) == 0, rename(partial, path) == 0 else { throw Self.failure(errno) }
    isPlaced = true
    let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
    let folderDescriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // Some folders can't be opened, and some file systems can't sync them; theirs is the schedule then.
    guard folderDescriptor >= 0 else { return }
    _ = fsync(folderDescriptor)
    close(folderDescriptor)
  }

  private static func failure(_ number: Int32) -> StoreError {
    switch number {
    case ENOSPC, EDQUOT:
      StoreError(
        .diskFull, ofModel: nil,
        "No space is left for the file with changes; nothing of it was kept. Free some space and try again.")
    default:
      StoreError(
        .inputOutput, ofModel: nil,
        "The file with changes can't be written (\(String(cString: strerror(number)))); nothing of it was kept. Check that its folder exists and that you may write to it."
      )
    }
  }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
