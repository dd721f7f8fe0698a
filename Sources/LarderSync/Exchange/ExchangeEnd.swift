/// Tells when a peer has handed out what it had when it was first asked, so that an exchange ends however fast the peer
/// goes on to write.
struct ExchangeEnd<Sender: SyncPeer> {
  private let sender: Sender
  private var position: Int64?

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
    return end > 0 && batch.upTo.position >= end
  }
}
