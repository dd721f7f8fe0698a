public import Larder

/// A value that lost against another one whose writer hadn't seen it.
///
/// Nothing that someone wrote disappears without a trace: a value that was replaced by someone who hadn't seen it is kept
/// until it is restored or dismissed.
public struct SyncConflict: Sendable, Hashable {
  /// What was lost.
  public enum Kind: Sendable, Hashable {
    /// The value of a property, which another replica set as well. The name is that in the model, or the one in the exchange
    /// if the model lacks the property.
    case value(property: String)
    /// A row that one replica changed, and another deleted without knowing of the change. It is kept as it was with the last
    /// change.
    case deletedRow
  }

  /// What was lost.
  public let kind: Kind
  /// The name of the table, or of the collection of documents. Values of documents are JSON.
  public let table: String
  /// The values of the row's key, in the order of its columns.
  public let key: [Value]
  /// The stored value that lost, or what was added to a counter; null for a deleted row.
  public let lost: Value
  /// When and by whom it was written, or something was added last.
  public let lostStamp: Stamp
  /// The name of the replica that wrote it; nil if nobody gave it one.
  public let lostReplica: String?
  /// The stored value that the property has now; null for a deleted row.
  public let current: Value
  /// When and by whom the current value was written, or the row was deleted; of a counter, when and by whom its row was
  /// inserted or deleted.
  public let currentStamp: Stamp
  /// The name of the replica that wrote the current value or deleted the row; nil if nobody gave it one.
  public let currentReplica: String?

  /// Whether ``lost`` is what a replica had added to a counter of a row that was deleted and inserted again elsewhere. The
  /// new row counts anew.
  ///
  /// It is all that the replica had added since the old row's insertion, if it had added something of which the one who
  /// inserted the new row didn't know.
  public internal(set) var isAddition = false

  /// The name of the row's model; nil if no model of this program has the table, and for a document.
  public internal(set) var model: String?

  let rowKey: RowKey
  /// The name in the exchange of the property.
  let property: String?
}

extension StoreSync {
  /// Returns the values that lost against others whose writers hadn't seen them, newest first.
  ///
  /// What was added to a counter is among them, if its row was deleted and inserted again by someone who didn't know of it.
  /// So is what a row had that was set aside, if another one was saved with its key: whoever did that couldn't see it. It has the
  /// stamp of that writer.
  /// Every replica that has both writes lists the conflict, and what one of them decides holds for all.
  ///
  /// - Returns: The conflicts that nobody has restored or dismissed, and that nobody has overwritten knowing both values.
  /// - Throws: `StoreError` `.unsupported` if sync is off in the file; the errors of any read.
  public func conflicts() async throws -> [SyncConflict] {
    try await store.readingModule { try ReplicaFile($0).conflicts() }
  }

  /// Writes the value that lost as a new value, or brings the deleted row back with all its values. The conflict is
  /// dismissed, on all replicas.
  ///
  /// The value of a row that was deleted afterwards brings the row back with it. If a rule of the models keeps the row from
  /// being visible, ``setAside()`` lists it with the reason.
  ///
  /// What was added to the counter of an old row is added to the counter as it is. If two replicas restore it before they hear
  /// of each other, it is added twice.
  ///
  /// - Parameter conflict: One of ``conflicts()``.
  /// - Throws: `StoreError` `.notFound` if the conflict is no longer there, or its row has expired, `.unsupported` if sync is
  ///   off in the file; the errors of any write.
  public func restore(_ conflict: SyncConflict) async throws {
    try await deciding { try $0.decide(conflict, restoring: true) }
  }

  /// Removes a conflict from the lists of all replicas. The value that lost is forgotten.
  ///
  /// - Parameter conflict: One of ``conflicts()``.
  /// - Throws: `StoreError` `.notFound` if the conflict is no longer there, or its row has expired, `.unsupported` if sync is
  ///   off in the file; the errors of any write.
  public func dismiss(_ conflict: SyncConflict) async throws {
    try await deciding { try $0.decide(conflict, restoring: false) }
  }

  /// Calls the closure in a transaction.
  ///
  /// - Parameter body: The closure, which returns the error for an entry that is no longer in its list. What it has settled
  ///   until then is kept.
  /// - Throws: The error that the closure returns or throws, and the errors of any write.
  func deciding(_ body: @escaping @Sendable (ReplicaFile) throws -> StoreError?) async throws {
    try await store.writingModule { connection in
      try Settling.prepare(connection)
      let refusal = try connection.transaction {
        try Tracker(connection).upgrade()
        return try body(try ReplicaFile(connection))
      }
      if let refusal { throw refusal }
    }
  }
}
