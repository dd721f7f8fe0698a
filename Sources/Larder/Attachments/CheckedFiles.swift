import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Which files a store has read whole and found to be what their digests say: while they stay as they are, it need not compute the digests anew.
final class CheckedFiles: Sendable {
  private let versions = Mutex<[String: FileVersion]>([:])

  /// So many are remembered, in about 2 MB.
  private static let limit = 10_000

  /// Whether the file of a digest was checked when it had this version.
  func contains(_ digest: String, _ version: FileVersion) -> Bool {
    versions.withLock { $0[digest] == version }
  }

  /// Remembers that a file has the bytes of a digest.
  ///
  /// - Parameter version: What the file was before it was read, and still is.
  func insert(_ digest: String, _ version: FileVersion) {
    guard version.isSettled else { return }
    versions.withLock { versions in
      if versions.count >= Self.limit { versions.removeAll(keepingCapacity: true) }
      versions[digest] = version
    }
  }
}

/// What a file system says of a file that changes with every change of its bytes.
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

  /// Whether the next change is sure to have another time: file systems count in steps of up to two seconds.
  /// Source: <https://learn.microsoft.com/windows/win32/sysinfo/file-times> for FAT; ext4, XFS and APFS have much smaller steps.
  var isSettled: Bool {
    var now = timespec()
    guard clock_gettime(CLOCK_REALTIME, &now) == 0 else { return false }
    return Int64(now.tv_sec) - changed / 1_000_000_000 > 2
  }
}
