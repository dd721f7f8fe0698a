import Foundation
import LarderSync

/// A replica on another device, reached through a folder that both devices see.
struct SharedFolder: SyncPeer {
  let folder: URL
  let own, other: ReplicaID
  let keys: [GroupKey]

  func replica() -> ReplicaID { other }
  func forgotten() throws -> Int64 { try parts(of: other).first.map(batch)?.forgotten ?? 0 }

  func cursor(of replica: ReplicaID) throws -> ChangeCursor {
    ChangeCursor(replica: replica, position: try parts(of: replica).last?.upTo ?? 0)
  }

  func apply(_ batch: ChangeBatch) throws -> Int {
    guard batch.upTo != batch.since else { return 0 }
    let (chain, name) = (chain(of: batch.sender), "\(batch.since.position)-\(batch.upTo.position)")
    try FileManager.default.createDirectory(at: chain, withIntermediateDirectories: true)
    try batch.encoded(key: keys.first).write(to: chain.appending(component: name), options: .atomic)
    return batch.rows.count
  }

  func changes(after cursor: ChangeCursor, for recipient: ReplicaID, limit: Int) throws -> ChangeBatch {
    let parts = try parts(of: other)
    let next = try parts.first { $0.since <= cursor.position && $0.upTo > cursor.position }.map(batch)
    // Who has read a part needs it no longer, unless it must start afresh. The last one stays to say how far it is.
    let newest = try next ?? parts.last.map(batch)
    let read = recipient == own && newest?.forgotten ?? 0 <= cursor.position ? cursor.position : 0
    for old in parts.dropLast() where old.upTo <= read { try? FileManager.default.removeItem(at: old.url) }
    return ChangeBatch(
      since: cursor, upTo: next?.upTo ?? cursor, recipient: recipient,
      isLast: next.map { $0.isLast && parts.last?.upTo == $0.upTo.position } ?? true,
      modelsDigest: next?.modelsDigest ?? Data(), rows: next?.rows ?? [], knowledge: next?.knowledge ?? [],
      names: next?.names ?? [], forgotten: next?.forgotten ?? 0)
  }

  private func batch(_ part: (since: Int64, upTo: Int64, url: URL)) throws -> ChangeBatch {
    try ChangeBatch(decoding: Data(contentsOf: part.url), keys: keys)
  }

  private func chain(of id: ReplicaID) -> URL { folder.appending(path: "\(id)-\(id == other ? own : other)") }

  private func parts(of sender: ReplicaID) throws -> [(since: Int64, upTo: Int64, url: URL)] {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: chain(of: sender).path) else { return [] }
    return names.compactMap { name in
      let positions = name.split(separator: "-").compactMap { Int64($0) }
      return positions.count == 2 ? (positions[0], positions[1], chain(of: sender).appending(component: name)) : nil
    }.sorted { $0.upTo < $1.upTo }
  }
}
