import Synchronization

/// One consumer of live results, which sleeps until a commit affects what it reads.
final class LiveObserver: Sendable {
  typealias Waiter = CheckedContinuation<Void, Never>

  private struct State {
    /// The region that the last read has read.
    var region = Region()
    /// The number of reads in progress, and what was committed meanwhile.
    var readCount = 0
    var missed = Region()
    /// Whether the last result is outdated, and how often that happened.
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

  /// The observed region. The registry indexes observers by it, and sets it.
  var region: Region {
    get { state.withLock { $0.region } }
    set { state.withLock { $0.region = newValue } }
  }

  func beginReading() {
    state.withLock { state in
      state.readCount += 1
      // A commit that another read in progress misses must not be lost.
      if state.readCount == 1 { state.isDirty = false }
    }
  }

  /// Records a commit that may or may not affect the read in progress.
  func miss(_ region: Region) {
    state.withLock { $0.missed.formUnion(region) }
  }

  /// Marks the result as outdated if a commit affected the region during the read. Returns whether no other read is in
  /// progress.
  func endReading(_ region: Region) -> Bool {
    state.withLock { state in
      if state.missed.overlaps(region) { state.change() }
      state.readCount -= 1
      if state.readCount == 0 { state.missed = Region() }
      return state.readCount == 0
    }
  }

  /// Marks the result as outdated. Returns the waiting task, to be resumed outside of all locks.
  func wake() -> Waiter? {
    state.withLock { state in
      state.change()
      return state.takeWaiter()
    }
  }

  /// A number that increases with each commit that affects what was read.
  var version: Int { state.withLock { $0.version } }

  /// Waits until the result is outdated. Returns false if the task was cancelled. Several commits in succession wake
  /// the task once.
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
