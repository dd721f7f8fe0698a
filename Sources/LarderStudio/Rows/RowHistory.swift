import Foundation
import Larder
import LarderSync

/// When and by whom a row of a store that takes part in sync was written, and what of it lost against other writes.
struct RowHistory: Encodable, Sendable {
  struct Write: Encodable, Sendable {
    /// The name of the property; nil for the row's insertion.
    let property: String?
    /// In ISO 8601.
    let date: String
    let replica: String

    init(_ property: String?, _ write: RowWrites.Write) {
      self.property = property
      date = write.stamp.date.studioText
      replica = Self.name(write.replicaName, of: write.stamp.replica, isOwn: write.isOwn)
    }

    /// What a replica is called: the name that a person gave it, or the beginning of its identifier.
    static func name(_ name: String?, of replica: ReplicaID, isOwn: Bool) -> String {
      let text = name ?? "replica \(replica.description.prefix(8))"
      return isOwn ? (name.map { "\($0), this file" } ?? "this file") : text
    }
  }

  struct Conflict: Encodable, Sendable {
    let property: String?
    let lost: Cell
    let date: String
    let replica: String
    /// What tells the conflict from others of the row. As a number it would lose digits in a page.
    let id: String
  }

  let writes: [Write]
  let conflicts: [Conflict]
}

extension RowHistory {
  /// Returns the history of a row; nil if the store doesn't take part in sync, or its model doesn't.
  static func read(_ key: RowKey, in table: TableDescription, from store: Store) async throws -> RowHistory? {
    let sync = store.sync
    guard table.syncs, [.model, .documents].contains(table.kind), try await sync.isEnabled(),
      let writes = try await sync.writes(ofRowWith: key.values, in: table.name)
    else { return nil }
    // A copy of a file becomes a replica of its own when something is written or exchanged.
    let own = try? await sync.replica()
    let names = Dictionary(table.properties.map { ($0.column, $0) }) { first, _ in first }
    return RowHistory(
      writes: [Write(nil, writes.row)]
        + writes.properties.map { Write(names[$0]?.name ?? $0, $1) }.sorted { $0.date > $1.date },
      conflicts: try await conflicts(of: key, in: table, sync).map { conflict in
        let property = conflict.propertyName.map { names[$0]?.name ?? $0 }
        return Conflict(
          property: property, lost: Cell(conflict.lost, of: property.flatMap(table.property), limit: Cell.listed),
          date: conflict.lostStamp.date.studioText,
          replica: Write.name(
            conflict.lostReplica, of: conflict.lostStamp.replica, isOwn: conflict.lostStamp.replica == own),
          id: conflict.id)
      })
  }

  /// Returns what of a row lost, newest first.
  static func conflicts(
    of key: RowKey, in table: TableDescription, _ sync: StoreSync
  ) async throws -> [SyncConflict] {
    try await sync.conflicts().filter { $0.table.lowercased() == table.name.lowercased() && $0.key == key.values }
  }
}

extension SyncConflict {
  /// What tells conflicts of a row apart.
  var id: String { "\(propertyName ?? "") \(lostStamp.time) \(lostStamp.replica)" }

  /// The name of the property in the exchange; nil for a row that was deleted elsewhere.
  var propertyName: String? { if case .value(let property) = kind { property } else { nil } }
}
