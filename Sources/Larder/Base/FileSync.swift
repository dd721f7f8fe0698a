import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Waits until a file, or the entries of a folder, are on the disk. Tests replace it.
struct FileSync: Sendable {
  let file: @Sendable (_ path: String) throws -> Void
  let folder: @Sendable (_ path: String) throws -> Void

  static let system = FileSync(
    file: { try sync($0, O_RDONLY, isFolder: false) },
    folder: { try sync($0, O_RDONLY | O_DIRECTORY, isFolder: true) })

  private static func sync(_ path: String, _ flags: Int32, isFolder: Bool) throws {
    let descriptor = open(path, flags | O_CLOEXEC)
    guard descriptor >= 0 else {
      // The folder allows new entries but can't be opened for reading; its file system syncs it on its own schedule.
      if isFolder, errno == EACCES { return }
      throw failure(errno)
    }
    defer { close(descriptor) }
    guard fsync(descriptor) != 0 else { return }
    // Some file systems, such as those of networks, cannot sync a folder.
    if isFolder, errno == EINVAL || errno == ENOTSUP { return }
    throw failure(errno)
  }

  private static func failure(_ number: Int32) -> StoreError {
    let reason = String(cString: strerror(number))
    return number == ENOSPC || number == EDQUOT
      ? StoreError(.diskFull, "No space is left for the copy; nothing of it was kept. Free some space and try again.")
      : StoreError(
        .inputOutput,
        "The copy could not be brought to the disk (\(reason)); nothing of it was kept. Check the disk, then try again."
      )
  }
}
