public import Larder

/// A value that was written at the same time as another one elsewhere, and lost.
///
/// Nothing that someone wrote disappears without a trace: a value that its writer's successor had not seen is kept until
/// it is restored or dismissed.
public struct SyncConflict: Sendable, Hashable {
  /// What was lost.
  public enum Kind: Sendable, Hashable {
    /// The value of a property, which another replica set as well.
    case value(property: String)
    /// A row that was changed here and deleted there. It is kept as it was with the last change.
    case deletedRow
  }

  /// What was lost.
  public let kind: Kind
  /// The name of the table.
  public let table: String
  /// The values of the row's key, in the order of its columns.
  public let key: [Value]
  /// The stored value that lost; null for a deleted row.
  public let lost: Value
  /// When and by whom it was written.
  public let lostStamp: Stamp
  /// The stored value that the property has now; null for a deleted row.
  public let current: Value
  /// When and by whom the current value was written, or the row was deleted.
  public let currentStamp: Stamp

  let address: ConflictAddress
  let lostValue: ReplicatedValue
}

/// What names a conflict in the file.
struct ConflictAddress: Sendable, Hashable {
  let row: Int64
  let property: Int64
  let time: Int64
  let replica: Int64
}

extension StoreSync {
  /// Returns the values that lost against others that were written at the same time elsewhere, newest first.
  ///
  /// A conflict is listed by the replica that merged the two writes. What it decides reaches the others as a write.
  ///
  /// - Returns: The conflicts that were neither restored nor dismissed, and over which nobody has decided elsewhere.
  /// - Throws: `StoreError` `.unsupported` if sync is off in the file; the errors of any read.
  public func conflicts() async throws -> [SyncConflict] {
    try await store.readingModule { try ReplicaFile($0).conflicts() }
  }

  /// Writes the value that lost as a new value, or brings the deleted row back with all its values. The conflict is
  /// dismissed.
  ///
  /// - Parameter conflict: One of ``conflicts()``.
  /// - Throws: `StoreError` `.notFound` if the conflict is no longer there; the errors of any write.
  public func restore(_ conflict: SyncConflict) async throws {
    try await store.writingModule { connection in
      try connection.transaction {
        let file = try ReplicaFile(connection)
        try file.settle()
        try file.dismiss(conflict.address)
        guard let row = try file.row(conflict.address.row) else { throw file.missing }
        let stamp = try file.newStamp()
        switch conflict.kind {
        case .value(let name):
          try file.change(row, to: row.state.setting(name, to: conflict.lostValue, stamp))
        case .deletedRow:
          if !row.state.isThere { try file.change(row, to: row.state.insertedAgain(stamp)) }
        }
      }
    }
  }

  /// Removes a conflict from the list. The value that lost is forgotten.
  ///
  /// - Parameter conflict: One of ``conflicts()``.
  /// - Throws: `StoreError` `.notFound` if the conflict is no longer there; the errors of any write.
  public func dismiss(_ conflict: SyncConflict) async throws {
    try await store.writingModule { connection in
      try connection.transaction { try ReplicaFile(connection).dismiss(conflict.address) }
    }
  }
}
