import Foundation
import LarderSync

/// A replica on another device, reached through a folder that both devices see.
struct SharedFolder: SyncPeer {
  let folder: URL
  let other: ReplicaID
  let keys: [GroupKey]
  private typealias Part = (since: Int64, upTo: Int64, url: URL)

  func replica() -> ReplicaID { other }

  func cursor(of replica: ReplicaID) throws -> ChangeCursor {
    ChangeCursor(replica: replica, position: try parts(from: replica, to: other).last?.upTo ?? 0)
  }

  func apply(_ batch: ChangeBatch) throws -> Int {
    guard batch.upTo != batch.since else { return 0 }
    let chain = chain(from: batch.sender, to: other)
    try FileManager.default.createDirectory(at: chain, withIntermediateDirectories: true)
    let name = "\(batch.since.position)-\(batch.upTo.position)"
    try batch.encoded(key: keys.first).write(to: chain.appending(component: name), options: .atomic)
    return batch.rows.count
  }

  func changes(after cursor: ChangeCursor, for recipient: ReplicaID, limit: Int) throws -> ChangeBatch {
    let parts = try parts(from: cursor.replica, to: recipient)
    // Who has read a part needs it no longer. The last one stays: its name tells the sender how far the folder is.
    for part in parts.dropLast() where part.upTo <= cursor.position {
      try? FileManager.default.removeItem(at: part.url)
    }
    let next = parts.first { $0.since <= cursor.position && $0.upTo > cursor.position }
    let batch = try next.map { try ChangeBatch(decoding: Data(contentsOf: $0.url), keys: keys) }
    return ChangeBatch(
      since: cursor, upTo: batch?.upTo ?? cursor, recipient: recipient,
      isLast: batch.map { $0.isLast && parts.last?.upTo == $0.upTo.position } ?? true,
      modelsDigest: batch?.modelsDigest ?? Data(), rows: batch?.rows ?? [], knowledge: batch?.knowledge ?? [],
      names: batch?.names ?? [])
  }

  private func chain(from sender: ReplicaID, to recipient: ReplicaID) -> URL {
    folder.appending(component: "\(sender)-\(recipient)", directoryHint: .isDirectory)
  }

  private func parts(from sender: ReplicaID, to recipient: ReplicaID) throws -> [Part] {
    let chain = chain(from: sender, to: recipient)
    guard FileManager.default.fileExists(atPath: chain.path) else { return [] }
    return try FileManager.default.contentsOfDirectory(at: chain, includingPropertiesForKeys: nil).compactMap { url in
      let positions = url.lastPathComponent.split(separator: "-").compactMap { Int64($0) }
      return positions.count == 2 ? (positions[0], positions[1], url) : nil
    }.sorted { $0.upTo < $1.upTo }
  }
}
