import Synchronization

/// One consumer of live results: asleep until something that it reads was committed.
final class LiveObserver: Sendable {
  typealias Waiter = CheckedContinuation<Void, Never>

  private struct State {
    /// What the last read has read.
    var region = Region()
    /// How many reads are at work, and what was committed meanwhile.
    var readCount = 0
    var missed = Region()
    /// Whether what was read last is old, and how often it became so.
    var isDirty = true
    var version = 0
    var isCancelled = false
    var waiter: Waiter?

    mutating func change() {
      isDirty = true
      version += 1
    }

    mutating func takeWaiter() -> Waiter? {
      defer { waiter = nil }
      return waiter
    }
  }

  private let state = Mutex(State())

  /// What is watched. The registry keeps observers by it, and sets it.
  var region: Region {
    get { state.withLock { $0.region } }
    set { state.withLock { $0.region = newValue } }
  }

  func beginReading() {
    state.withLock { state in
      state.readCount += 1
      // What another read at work misses must not be forgotten.
      if state.readCount == 1 { state.isDirty = false }
    }
  }

  /// Remembers a commit of which it is not yet known whether it matters.
  func miss(_ region: Region) {
    state.withLock { $0.missed.formUnion(region) }
  }

  /// Marks the result as old where a commit touched the region while it was read. Returns whether no other read is at work.
  func endReading(_ region: Region) -> Bool {
    state.withLock { state in
      if state.missed.overlaps(region) { state.change() }
      state.readCount -= 1
      if state.readCount == 0 { state.missed = Region() }
      return state.readCount == 0
    }
  }

  /// Marks the result as old. Returns who waits for that, to be resumed outside of all locks.
  func wake() -> Waiter? {
    state.withLock { state in
      state.change()
      return state.takeWaiter()
    }
  }

  /// Grows with each commit that touches what was read.
  var version: Int { state.withLock { $0.version } }

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
