import Synchronization

/// Keeps data that no row refers to yet, for as long as the lease lives.
final class AttachmentLease: Sendable {
  private let digest: String
  private let leases: AttachmentLeases

  fileprivate init(_ digest: String, _ leases: AttachmentLeases) {
    self.digest = digest
    self.leases = leases
  }

  deinit { leases.end(digest) }
}

/// The leases of one open store. A table in the file has the same, for other processes.
final class AttachmentLeases: Sendable {
  private struct State {
    var counts: [String: Int] = [:]
    /// Digests that are still in the table but no longer leased.
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

  /// Sets the closure that is called when a lease ends.
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

  /// Returns whether a value in this store leases the data.
  func isHeld(_ digest: String) -> Bool { count(digest) > 0 }

  /// Returns how many values in this store lease the data.
  func count(_ digest: String) -> Int { state.withLock { $0.counts[digest] ?? 0 } }

  /// Removes and returns some of the digests that are still in the table but no longer leased.
  func takeEnded(limit: Int) -> [String] {
    state.withLock { state in
      let digests = Array(state.ended.prefix(limit))
      state.ended.subtract(digests)
      return digests
    }
  }

  /// Restores digests that couldn't be removed from the table. Digests that were leased again return when that lease
  /// ends.
  func putBack(_ digests: [String]) {
    state.withLock { state in state.ended.formUnion(digests.filter { state.counts[$0] == nil }) }
  }
}
