import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The files that a store has verified. While they stay unchanged, it doesn't compute their digests again.
final class CheckedFiles: Sendable {
  private let versions = Mutex<[String: FileVersion]>([:])

  /// The number of files to remember, in about 2 MB.
  private static let limit = 10_000

  /// Returns whether this version of the digest's file was verified.
  func contains(_ digest: String, _ version: FileVersion) -> Bool {
    versions.withLock { $0[digest] == version }
  }

  /// Records that a file has the data of a digest.
  ///
  /// - Parameter version: The version of the file before and after it was read.
  func insert(_ digest: String, _ version: FileVersion) {
    guard version.isSettled else { return }
    versions.withLock { versions in
      if versions.count >= Self.limit { versions.removeAll(keepingCapacity: true) }
      versions[digest] = version
    }
  }
}

/// The file system's attributes of a file that change with its contents.
struct FileVersion: Equatable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  /// When the file was changed, in nanoseconds since 1970.
  private let changed: Int64
  let size: Int

  init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
    #if canImport(Darwin)
    let time = status.st_ctimespec
    #else
    let time = status.st_ctim
    #endif
    changed = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    size = Int(status.st_size)
  }

  /// Whether the next change is certain to have another time: file systems have resolutions of up to two seconds.
  /// Source: <https://learn.microsoft.com/windows/win32/sysinfo/file-times> for FAT; those of ext4, XFS and APFS are
  /// much finer.
  var isSettled: Bool {
    var now = timespec()
    guard clock_gettime(CLOCK_REALTIME, &now) == 0 else { return false }
    return Int64(now.tv_sec) - changed / 1_000_000_000 > 2
  }
}
