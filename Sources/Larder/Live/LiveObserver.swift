import Synchronization

/// One consumer of live results: asleep until something that it reads was committed.
final class LiveObserver: Sendable {
  typealias Waiter = CheckedContinuation<Void, Never>

  private struct State {
    /// What the last read has read.
    var region = Region()
    /// What was committed while a read was at work.
    var missed = Region()
    var isDirty = true
    var isCancelled = false
    var waiter: Waiter?

    mutating func takeWaiter() -> Waiter? {
      defer { waiter = nil }
      return waiter
    }
  }

  private let state = Mutex(State())

  var region: Region { state.withLock { $0.region } }

  func beginReading() {
    state.withLock { state in
      state.isDirty = false
      state.missed = Region()
    }
  }

  /// Remembers a commit of which it is not yet known whether it matters.
  func miss(_ region: Region) {
    state.withLock { $0.missed.formUnion(region) }
  }

  /// Takes over what was read. Returns what was read before, or nil where that is the same.
  func endReading(_ region: Region) -> Region? {
    state.withLock { state in
      if state.missed.overlaps(region) { state.isDirty = true }
      state.missed = Region()
      guard region != state.region else { return nil }
      defer { state.region = region }
      return state.region
    }
  }

  /// Marks the result as old. Returns who waits for that, to be resumed outside of all locks.
  func wake() -> Waiter? {
    state.withLock { state in
      state.isDirty = true
      return state.takeWaiter()
    }
  }

  /// Whether something was committed since the last read began.
  var isDirty: Bool { state.withLock { $0.isDirty } }

  /// Waits until there is something new; false where the task was cancelled. Bursts of commits wake once.
  func waitForChange() async -> Bool {
    await withTaskCancellationHandler {
      if state.withLock({ $0.isDirty || $0.isCancelled }) { return }
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          if state.isDirty || state.isCancelled { return true }
          state.waiter = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.isCancelled = true
        return state.takeWaiter()
      }
      waiter?.resume()
    }
    return state.withLock { !$0.isCancelled }
  }
}
