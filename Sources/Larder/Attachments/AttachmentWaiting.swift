import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Since when data that nothing refers to has waited to be deleted.
///
/// The times are those of empty files beside the data, not rows of the store's file. An older copy of that file would
/// bring back older times, and data that a newer copy refers to would be deleted at once.
struct AttachmentWaiting {
  /// The name of the empty file for data: its digest, and the version of its row if it has one. After each change of
  /// the references, data has another version, whose time begins anew.
  struct Mark: Hashable, Sendable {
    let name: String

    init(_ unused: AttachmentTable.Unused) { name = "\(unused.digest)-\(unused.version)" }
    init(unregistered digest: String) { name = digest }
  }

  private let folder: AttachmentFolder
  private let retention: Double
  /// The current time, in seconds since the reference date.
  let now: Double

  /// Returns nil if data doesn't wait.
  init?(_ storage: AttachmentStorage) {
    guard storage.retention > 0 else { return nil }
    (folder, retention, now) = (storage.folder, storage.retention, storage.now)
  }

  private func path(_ name: String) -> String { "\(folder.waiting)/\(name)" }

  /// Returns whether data has waited long enough. If it is new, its time begins.
  func isOver(_ mark: Mark) -> Bool {
    // A time in the future is one that a wrong clock recorded.
    if let since = since(mark), since <= now { return since <= now - retention }
    if (try? begin(mark)) == nil {
      // Only its owner can set the time of a file. On a full disk, the data just waits longer.
      end(mark)
      try? begin(mark)
    }
    return false
  }

  private func since(_ mark: Mark) -> Double? {
    var status = stat()
    guard lstat(path(mark.name), &status) == 0 else { return nil }
    #if canImport(Darwin)
    let time = status.st_mtimespec
    #else
    let time = status.st_mtim
    #endif
    return Double(time.tv_sec) - Date.timeIntervalBetween1970AndReferenceDate + Double(time.tv_nsec) / 1e9
  }

  private func begin(_ mark: Mark) throws {
    let file = try folder.waitingFile(mark.name)
    let seconds = now + Date.timeIntervalBetween1970AndReferenceDate
    // Only what every file system can record: ext4 ends in 2446.
    let clamped = seconds.isFinite ? min(max(seconds, 0), 0x3_0000_0000) : 0
    let whole = clamped.rounded(.down)
    let time = timespec(tv_sec: Int(whole), tv_nsec: Int((clamped - whole) * 1e9))
    guard futimens(file.descriptor, [time, time]) == 0 else { throw StoreError(systemCall: errno, "written") }
  }

  /// Ends the waiting of data that was deleted or is used again.
  func end(_ mark: Mark) { end(mark.name) }

  private func end(_ name: String) { unlink(path(name)) }

  // MARK: Data that is used again

  /// The number of names to look up at a time.
  private static let batch = 1000

  /// Ends the waiting of data that no longer waits.
  func endOthers(_ writer: Writer) async throws {
    var names = AttachmentFolder.names(in: folder.waiting)[...]
    while !names.isEmpty {
      let some = Array(names.prefix(Self.batch))
      names.removeFirst(some.count)
      let ended = try await writer.perform { connection in try some.filter { try !waits($0, connection) } }
      for name in ended { end(name) }
    }
  }

  private func waits(_ name: String, _ connection: Connection) throws -> Bool {
    let parts = name.split(separator: "-", maxSplits: 1)
    guard let digest = parts.first.map(String.init), Attachment.isDigest(digest) else { return false }
    if parts.count == 1 {
      return try !AttachmentTable(connection).isRegistered(digest) && folder.content(of: digest) != .absent
    }
    guard let version = Int64(parts[1]), try AttachmentTable(connection).exists() else { return false }
    return try AttachmentTable(connection).isUnused(AttachmentTable.Unused(digest: digest, version: version))
  }
}
