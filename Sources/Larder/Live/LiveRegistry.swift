import Dispatch
import GRDBSQLite
import Synchronization

/// Who wants to hear of commits, and of which tables and columns.
final class LiveRegistry: Sendable {
  private struct State {
    var observers: [Int: LiveObserver] = [:]
    var nextID = 0
    var timer: (any DispatchSourceTimer)?
    weak var writer: Writer?
    var isShared = false
    /// Whether it is not yet known which commits of other processes were there before anybody watched.
    var needsBaseline = false
  }

  private let state = Mutex(State())
  private let count = Atomic<Int>(0)

  /// How often commits of other processes are looked for while somebody watches.
  private static let interval = DispatchTimeInterval.milliseconds(100)

  var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

  func attach(writer: Writer, isShared: Bool) {
    state.withLock {
      $0.writer = writer
      $0.isShared = isShared
    }
  }

  /// Registers the observer; it hears of everything that is committed from now on.
  func add(_ observer: LiveObserver) -> Int {
    count.add(1, ordering: .acquiringAndReleasing)
    let (id, writer) = state.withLock { state -> (Int, Writer?) in
      state.nextID += 1
      state.observers[state.nextID] = observer
      guard state.isShared, state.timer == nil else { return (state.nextID, nil) }
      state.timer = startTimer()
      state.needsBaseline = true
      return (state.nextID, state.writer)
    }
    if let writer, writer.hasForeignCommits() != nil { state.withLock { $0.needsBaseline = false } }
    return id
  }

  func remove(_ id: Int) {
    state.withLock { state in
      guard state.observers.removeValue(forKey: id) != nil else { return }
      count.subtract(1, ordering: .acquiringAndReleasing)
      guard state.observers.isEmpty else { return }
      state.timer?.cancel()
      state.timer = nil
    }
  }

  /// Wakes those who watch something that was written.
  func didCommit(_ region: Region) {
    guard !region.isEmpty else { return }
    for observer in state.withLock({ Array($0.observers.values) }) { observer.wake(ifItReads: region) }
  }

  private func wakeAll() {
    for observer in state.withLock({ Array($0.observers.values) }) { observer.wake() }
  }

  private func startTimer() -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue.global(qos: .utility))
    timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval, leeway: .milliseconds(20))
    timer.setEventHandler { [weak self] in
      guard let self, let writer = self.state.withLock({ $0.writer }) else { return }
      // A busy writer is asked again at the next tick.
      guard let hasCommits = writer.hasForeignCommits() else { return }
      let wasUnknown = self.state.withLock { state in
        defer { state.needsBaseline = false }
        return state.needsBaseline
      }
      if hasCommits || wasUnknown { self.wakeAll() }
    }
    timer.resume()
    return timer
  }
}

/// One consumer of live results: asleep until something it reads was committed.
final class LiveObserver: Sendable {
  fileprivate struct State {
    var region: Region?
    var isDirty = true
    var isCancelled = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  /// What the consumer's query reads; until it is known, every commit matters.
  func watch(_ region: Region) {
    state.withLock { $0.region = region }
  }

  func wake(ifItReads region: Region) {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.region?.overlaps(region) ?? true else { return nil }
      state.isDirty = true
      return state.takeWaiter()
    }
    waiter?.resume()
  }

  func wake() {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.isDirty = true
      return state.takeWaiter()
    }
    waiter?.resume()
  }

  /// Waits until there is something new; false where the task was cancelled. Bursts of commits wake once.
  func waitForChange() async -> Bool {
    await withTaskCancellationHandler {
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
    return state.withLock { state in
      state.isDirty = false
      return !state.isCancelled
    }
  }
}

extension LiveObserver.State {
  fileprivate mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
    defer { waiter = nil }
    return waiter
  }
}
