import Foundation

/// Looks through the folder, once after opening, for files that nobody has registered: a process died before it could.
struct AttachmentSearch {
  /// The folders that are still to be looked at; nil before it has begun.
  private var shards: [String]?

  /// So many files are looked at in one round.
  private static let batch = 1000

  /// Looks at some folders, while nobody attaches. The connection may write, and is in no transaction.
  mutating func advance(_ storage: AttachmentStorage, _ connection: Connection) throws -> AttachmentCollector.Round {
    var round = AttachmentCollector.Round()
    let folder = storage.folder
    if shards?.isEmpty == true { return round }
    guard folder.exists else {
      shards = []
      return round
    }
    // Whoever attaches has put files in their places that he is still to register.
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
