public import Foundation

/// A file with changes, as ``StoreSync/export(to:for:since:attachments:key:)`` wrote it.
public struct SyncFile: Sendable, Hashable {
  /// Where the file is.
  public let url: URL
  /// The replica for which it is; nil if it is for everybody.
  public let recipient: ReplicaID?
  /// Where the changes begin: those up to this cursor are left out.
  public let since: ChangeCursor
  /// Where they end. Pass it to the next export for a replica that never sends anything back.
  public let upTo: ChangeCursor
  /// The number of rows.
  public let rows: Int
  /// The size of the file in bytes.
  public let size: Int
}

/// What ``StoreSync/import(from:keys:limits:attachments:progress:)`` did.
public struct ImportReport: Sendable, Hashable {
  /// Who sent which changes.
  public let header: BatchHeader
  /// The number of rows in the file.
  public let rows: Int
  /// The number of rows that changed here.
  public let changed: Int
  /// The number of rows that are set aside here afterwards, because a rule of the models keeps them from being visible.
  public let setAside: Int
  /// Up to where this file has everything of the sender now.
  public let received: ChangeCursor
  /// Whether the sender has forgotten deletions of which this replica hadn't heard. The next file for the sender has the rows
  /// that this one lacked, and the answer to it deletes those of them that were deleted.
  public let startedAfresh: Bool

  /// The replica that sent the file.
  public var sender: ReplicaID { header.sender }
  /// Where the changes end.
  public var upTo: ChangeCursor { header.upTo }
  /// Whether an earlier file of the sender is missing. The rows of this file were merged, and count as received once
  /// the missing one has come.
  public var leavesGap: Bool { received.position < header.upTo.position }
}

/// How far an import is.
public struct SyncProgress: Sendable, Hashable {
  /// The number of rows that are merged.
  public let completed: Int
  /// The number of rows of the file.
  public let total: Int

  /// The part that is done, from 0 to 1.
  public var fraction: Double { total == 0 ? 1 : Double(completed) / Double(total) }
}
