import Foundation

/// Searches the folder, once after opening, for files that no process has registered because it died before it could.
struct AttachmentSearch {
  /// The folders still to be searched; nil before it has begun.
  private var shards: [String]?

  /// The number of files to check in one round.
  private static let batch = 1000

  /// Searches some folders, while no process attaches. The connection may write, and has no open transaction.
  mutating func advance(_ storage: AttachmentStorage, _ connection: Connection) throws -> AttachmentCollector.Round {
    var round = AttachmentCollector.Round()
    let folder = storage.folder
    if shards?.isEmpty == true { return round }
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
        guard try !AttachmentTable.isRegistered(digest, connection) else { continue }
        try folder.remove(digest)
        round.count += 1
      }
    }
    round.hasMore = shards?.isEmpty == false
    return round
  }
}
