import Foundation

/// Searches the folder after opening for files that the store's file has no row for: a process died before it could
/// register them, or an older file has taken the place of a newer one.
struct AttachmentSearch {
  /// The folders still to be searched; nil before it has begun.
  private var shards: [String]?
  /// When to search again, because files wait to be deleted.
  private var next: Double?

  /// How long to wait at most until the next search, in seconds.
  private static let interval = 3600.0

  /// The number of files to check in one round.
  private static let batch = 1000

  /// Searches some folders, while no process attaches. The connection may write, and has no open transaction.
  ///
  /// - Parameter waiting: How long files wait; nil if they don't.
  mutating func advance(
    _ storage: AttachmentStorage, _ waiting: AttachmentWaiting?, _ connection: Connection
  ) throws -> AttachmentCollector.Round {
    var round = AttachmentCollector.Round()
    let folder = storage.folder
    if shards?.isEmpty == true {
      guard let next, waiting.map({ $0.now >= next }) ?? true else { return round }
      (shards, self.next) = (nil, nil)
    }
    guard folder.exists else {
      shards = []
      return round
    }
    // A caller that attaches has placed files that it has yet to register.
    try folder.create()
    let lock = try folder.lockFile(.staging)
    guard lock.tryLock(isExclusive: true) else {
      round.isBlocked = true
      return round
    }
    defer { withExtendedLifetime(lock) {} }
    if shards == nil {
      round.count += folder.removeTemporaryFiles()
      storage.forgetDeadHolders()
      shards = folder.shards()
    }
    var seen = 0
    while seen < Self.batch, let shard = shards?.popLast() {
      for digest in folder.digests(in: shard) {
        seen += 1
        guard try !AttachmentTable(connection).isRegistered(digest) else { continue }
        if let waiting, !waiting.isOver(AttachmentWaiting.Mark(unregistered: digest)) {
          next = waiting.now + min(storage.retention, Self.interval)
          continue
        }
        try folder.remove(digest)
        waiting?.end(AttachmentWaiting.Mark(unregistered: digest))
        round.count += 1
      }
    }
    round.hasMore = shards?.isEmpty == false
    return round
  }
}
