/// Tells when a peer has handed out what it had when it was first asked, so that an exchange ends however fast the peer
/// goes on to write.
///
/// What was written meanwhile is then asked for at once: only who has all changes as of one commit knows what the peer knew,
/// and doesn't take its own later changes for conflicts. If even that isn't everything, the exchange ends without.
struct ExchangeEnd<Sender: SyncPeer> {
  /// The number of rows to ask for next.
  private(set) var limit = StoreSync.batchSize

  private let sender: Sender
  private var position: Int64?
  private var rounds = 3
  private static var everything: Int { 1 << 20 }

  init(of sender: Sender) {
    self.sender = sender
  }

  /// Returns whether a batch is the last one.
  ///
  /// - Complexity: One call of the peer for all batches, and none if the first one is the last.
  mutating func isReached(by batch: ChangeBatch) async throws -> Bool {
    if batch.isLast { return true }
    let end: Int64
    if let position {
      end = position
    } else {
      end = try await sender.cursor(of: batch.upTo.replica).position
      position = end
    }
    guard end > 0, batch.upTo.position >= end else { return false }
    limit = Self.everything
    rounds -= 1
    return rounds < 0
  }
}
