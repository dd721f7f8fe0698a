import Synchronization

/// Keeps bytes that no row names yet, for as long as it lives.
final class AttachmentLease: Sendable {
  private let digest: String
  private let leases: AttachmentLeases

  fileprivate init(_ digest: String, _ leases: AttachmentLeases) {
    self.digest = digest
    self.leases = leases
  }

  deinit { leases.end(digest) }
}

/// The bytes that values of one open store keep. The file has the same in a table, so that other processes know.
final class AttachmentLeases: Sendable {
  private struct State {
    var counts: [String: Int] = [:]
    /// Digests that the table still names, and no value any longer.
    var ended: Set<String> = []
    var onEnd: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  func begin(_ digest: String) -> AttachmentLease {
    state.withLock { state in
      state.counts[digest, default: 0] += 1
      state.ended.remove(digest)
    }
    return AttachmentLease(digest, self)
  }

  /// Sets who hears of leases that end.
  func onEnd(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.onEnd = body }
  }

  fileprivate func end(_ digest: String) {
    let listener = state.withLock { state -> (@Sendable () -> Void)? in
      let count = (state.counts[digest] ?? 1) - 1
      state.counts[digest] = count > 0 ? count : nil
      guard count <= 0 else { return nil }
      state.ended.insert(digest)
      return state.onEnd
    }
    listener?()
  }

  /// Whether a value of this store keeps the bytes.
  func isHeld(_ digest: String) -> Bool { state.withLock { $0.counts[digest] != nil } }

  /// Removes and returns some of the digests that no value keeps any longer and the table still names.
  func takeEnded(limit: Int) -> [String] {
    state.withLock { state in
      let digests = Array(state.ended.prefix(limit))
      state.ended.subtract(digests)
      return digests
    }
  }

  /// Brings back digests that the table could not be rid of; those that were leased again come back when that ends.
  func putBack(_ digests: [String]) {
    state.withLock { state in state.ended.formUnion(digests.filter { state.counts[$0] == nil }) }
  }
}
