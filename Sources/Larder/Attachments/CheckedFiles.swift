import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The files that are known to have the data of their digests. While they stay unchanged, their digests aren't computed
/// again.
///
/// What a running store knows is in memory. The versions are also kept in the store's file, for stores that are opened
/// later: some at a time, soon after they became known (`AttachmentCollector`).
final class CheckedFiles: Sendable {
  private struct State {
    var versions: [String: FileVersion] = [:]
    /// What the store's file doesn't have yet.
    var unsaved: [String: FileVersion] = [:]
  }

  private let state = Mutex(State())
  private let computed = Atomic<Int>(0)
  /// Whether the store's file keeps the versions.
  private let isKept: Bool
  private let didAdd = Listener<Void>()

  /// The number of files to remember, in about 2 MB.
  private static let limit = 10_000

  init(isKept: Bool) { self.isKept = isKept }

  /// The number of digests that were computed because a version wasn't known. For tests.
  var computedDigests: Int { computed.load(ordering: .relaxed) }

  func willComputeDigest() { computed.add(1, ordering: .relaxed) }

  /// Sets the closure that is called when there is something to save.
  func onAdd(_ body: @escaping @Sendable () -> Void) { didAdd.set(body) }

  /// Returns whether this version of the digest's file has its data.
  ///
  /// - Parameter saved: Returns the version that the store's file has. Called if the version isn't in memory.
  func contains(_ digest: String, _ version: FileVersion, saved: (String) -> FileVersion.Saved? = { _ in nil }) -> Bool
  {
    if state.withLock({ $0.versions[digest] == version }) { return true }
    guard let known = saved(digest), known == version.saved else { return false }
    state.withLock { Self.remember(digest, version, &$0.versions) }
    return true
  }

  /// Records that a file has the data of a digest.
  ///
  /// - Parameters:
  ///   - version: The version of the file before and after it was read.
  ///   - resolution: How long the time of a change may stay the same, in nanoseconds.
  func insert(_ digest: String, _ version: FileVersion, resolution: Int64) {
    if version.isSettled(resolution) { insert(placed: digest, version) }
  }

  /// Records that a file has the data of a digest, where every later change is certain to make another version.
  func insert(placed digest: String, _ version: FileVersion) {
    state.withLock { state in
      Self.remember(digest, version, &state.versions)
      if isKept { Self.remember(digest, version, &state.unsaved) }
    }
    if isKept { didAdd() }
  }

  private static func remember(_ digest: String, _ version: FileVersion, _ versions: inout [String: FileVersion]) {
    if versions.count >= limit { versions.removeAll(keepingCapacity: true) }
    versions[digest] = version
  }

  /// Removes and returns what the store's file doesn't have yet.
  func takeUnsaved() -> [String: FileVersion] {
    state.withLock { state in
      defer { state.unsaved = [:] }
      return state.unsaved
    }
  }

  /// Returns what couldn't be saved. It is saved with the next versions.
  func putBack(_ unsaved: [String: FileVersion]) {
    state.withLock { state in state.unsaved.merge(unsaved) { newer, _ in newer } }
  }
}

/// The file system's attributes of a file that change with its contents.
struct FileVersion: Equatable, Sendable {
  /// The attributes that stay the same when the file system is mounted again.
  struct Saved: Equatable, Sendable {
    let inode: Int64
    let size: Int64
    /// When the file was changed, in nanoseconds since 1970.
    let changed: Int64
    /// When its contents were written, in nanoseconds since 1970. Programs can set it, which changes `changed`.
    let modified: Int64
  }

  private let device: UInt64
  let saved: Saved
  var size: Int { Int(saved.size) }

  /// The coarsest resolution of a file system's times, with some to spare, in nanoseconds: FAT has steps of two seconds.
  /// Source: <https://learn.microsoft.com/windows/win32/sysinfo/file-times>.
  static let coarsest: Int64 = 3 * second
  private static let second: Int64 = 1_000_000_000

  init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    #if canImport(Darwin)
    let (changed, modified) = (status.st_ctimespec, status.st_mtimespec)
    #else
    let (changed, modified) = (status.st_ctim, status.st_mtim)
    #endif
    saved = Saved(
      inode: Int64(truncatingIfNeeded: status.st_ino), size: Int64(status.st_size),
      changed: Self.nanoseconds(changed), modified: Self.nanoseconds(modified))
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec).multipliedReportingOverflow(by: second).partialValue &+ Int64(time.tv_nsec)
  }

  /// Whether both are the same file, not written in between. Its names may have changed.
  func hasContents(of other: Self) -> Bool {
    device == other.device && saved.inode == other.saved.inode && saved.size == other.saved.size
      && saved.modified == other.saved.modified
  }

  /// Whether the next change is certain to have another time. A time in the future isn't.
  ///
  /// - Parameter resolution: How long the time of a change may stay the same, in nanoseconds.
  func isSettled(_ resolution: Int64) -> Bool {
    var now = timespec()
    guard clock_gettime(CLOCK_REALTIME, &now) == 0 else { return false }
    // ext4 with small inodes keeps whole seconds only. Source: `s_time_gran` in the kernel's fs/ext4/super.c.
    let isWhole = saved.changed % Self.second == 0
    return Self.nanoseconds(now) - saved.changed >= (isWhole ? max(resolution, Self.coarsest) : resolution)
  }
}
