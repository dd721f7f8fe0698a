public import Foundation

/// The other side of an exchange: a store, a file, a server, or whatever carries batches.
///
/// A peer hands out its changes after a cursor, takes changes, and says up to where it has those of a replica.
/// ``StoreSync`` is a peer, so two stores of one process exchange directly. A transport conforms by passing the calls
/// on; it needs to know nothing of what is in a batch.
public protocol SyncPeer: Sendable {
  /// Returns the replica on the other side. It is another one than before once its file turns out to be a copy.
  func replica() async throws -> ReplicaID

  /// Returns changes, oldest first.
  ///
  /// - Parameters:
  ///   - cursor: The last change that isn't wanted, among those of this peer.
  ///   - recipient: The replica that asks: what the peer has from it is left out.
  ///   - limit: The greatest number of rows: 500, and 1,048,576 to catch up with a peer that goes on writing. A peer may hand
  ///     out fewer.
  /// - Returns: A batch whose ``ChangeBatch/since`` is the cursor, and that ends later unless it is the last one. An exchange
  ///   refuses others.
  func changes(after cursor: ChangeCursor, for recipient: ReplicaID, limit: Int) async throws -> ChangeBatch

  /// Takes changes. A batch that came before changes nothing.
  ///
  /// - Parameter batch: The changes.
  /// - Returns: How many rows have changed.
  @discardableResult
  func apply(_ batch: ChangeBatch) async throws -> Int

  /// Returns up to where the peer has the changes of a replica.
  ///
  /// - Parameter replica: The replica. For that of the peer itself its newest position, at which an exchange ends; a peer
  ///   that returns zero there is asked until it has nothing more.
  func cursor(of replica: ReplicaID) async throws -> ChangeCursor

  /// Returns which attachments the peer lacks, with the offsets from which it needs their bytes. By default none.
  ///
  /// - Parameter attachments: Attachments that rows name which are about to come. The peer can add others that it waits for.
  func wanted(among attachments: [NamedAttachment]) async throws -> [NamedAttachment: Int]

  /// Returns a piece of an attachment. By default nil: a transport without attachments.
  ///
  /// - Parameters:
  ///   - attachment: The attachment.
  ///   - offset: Where the piece begins.
  /// - Returns: At most ``AttachmentPiece/greatestSize`` bytes; nil if the peer doesn't have the attachment.
  func attachment(_ attachment: NamedAttachment, from offset: Int) async throws -> Data?

  /// Takes a piece of an attachment that ``wanted(among:)`` has returned.
  ///
  /// - Parameter piece: The piece.
  /// - Returns: Where the next piece begins; nil if the peer has all bytes.
  func take(_ piece: AttachmentPiece) async throws -> Int?

  /// Returns the position of the last deletion that the peer has forgotten, because it was made longer ago than deletions
  /// are kept. Whoever has its changes up to an earlier position starts afresh.
  ///
  /// By default zero, for a peer that forgets nothing. A peer that passes the other calls on to a store passes this one on
  /// too: otherwise batches are refused once that store has forgotten deletions.
  func forgotten() async throws -> Int64

  /// Returns a sequence with an element whenever the peer may have something new, so that ``StoreSync/run(with:every:attachments:)``
  /// needn't wait for its interval. By default there is none.
  func changeSignals() -> AsyncStream<Void>
}

extension SyncPeer {
  /// Returns nothing: the peer takes no attachments.
  public func wanted(among attachments: [NamedAttachment]) async throws -> [NamedAttachment: Int] { [:] }

  /// Returns nil: the peer has no attachments.
  public func attachment(_ attachment: NamedAttachment, from offset: Int) async throws -> Data? { nil }

  /// Does nothing, because the peer has asked for no attachments.
  public func take(_ piece: AttachmentPiece) async throws -> Int? { nil }

  /// Returns zero: nothing was forgotten.
  public func forgotten() async throws -> Int64 { 0 }

  /// Returns a sequence without elements.
  public func changeSignals() -> AsyncStream<Void> {
    AsyncStream { $0.finish() }
  }
}
