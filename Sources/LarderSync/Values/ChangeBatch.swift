public import Foundation

/// Changes that one replica hands to another: every row that changed between two cursors.
///
/// A transport carries batches and needs to know nothing of what is in them.
public struct ChangeBatch: Sendable, Hashable {
  /// Where the changes begin: those up to this cursor are left out. Its replica is the sender.
  public let since: ChangeCursor
  /// Where they end. Its replica is the sender.
  public let upTo: ChangeCursor
  /// The replica for which the changes were collected: what it sent itself is left out. Nil if they are for everybody.
  public let recipient: ReplicaID?
  /// Whether the sender has nothing after ``upTo``.
  public let isLast: Bool
  /// A digest of the sender's models, by which two replicas find that theirs are the same.
  public let modelsDigest: Data
  /// The rows, in the order of their changes; each row once.
  public let rows: [RowState]
  /// What the replicas knew of each other, as far as it changed.
  public let knowledge: [Knowledge]
  /// The names of replicas, as far as they changed.
  public let names: [ReplicaName]
  /// The position of the last deletion that the sender has forgotten; zero if it has forgotten none. Who has its changes up
  /// to an earlier position may have rows that were deleted.
  public let forgotten: Int64
  /// Up to which position the sender has the changes of the ``recipient``; zero if it has none.
  public let received: Int64

  /// Creates a batch.
  ///
  /// - Parameters:
  ///   - since: Where the changes begin.
  ///   - upTo: Where they end.
  ///   - recipient: The replica for which the changes were collected; nil if they are for everybody.
  ///   - isLast: Whether the sender has nothing after `upTo`.
  ///   - modelsDigest: A digest of the sender's models.
  ///   - rows: The rows, in the order of their changes.
  ///   - knowledge: What the replicas knew of each other, as far as it changed.
  ///   - names: The names of replicas, as far as they changed.
  ///   - forgotten: The position of the last deletion that the sender has forgotten. Zero for who hands on all batches that
  ///     there ever were, deletions among them.
  ///   - received: Up to which position the sender has the changes of the recipient. Zero for who doesn't know.
  public init(
    since: ChangeCursor, upTo: ChangeCursor, recipient: ReplicaID?, isLast: Bool, modelsDigest: Data,
    rows: [RowState], knowledge: [Knowledge], names: [ReplicaName] = [], forgotten: Int64 = 0, received: Int64 = 0
  ) {
    self.since = since
    self.upTo = upTo
    self.recipient = recipient
    self.isLast = isLast
    self.modelsDigest = modelsDigest
    self.rows = rows
    self.knowledge = knowledge
    self.names = names
    self.forgotten = forgotten
    self.received = received
  }

  /// The replica that sends.
  public var sender: ReplicaID { upTo.replica }

  /// What everybody may see of the batch.
  var header: BatchHeader {
    var header = BatchHeader(since: since, upTo: upTo, recipient: recipient, isLast: isLast)
    header.forgotten = forgotten
    header.received = received
    return header
  }
}
