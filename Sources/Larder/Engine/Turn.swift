import Dispatch
import Synchronization

/// The place in a line of a thread that blocks until its turn.
final class Turn<Granted: Sendable>: Sendable {
  private enum State {
    case waiting
    case granted(Granted)
    /// The thread no longer waits.
    case abandoned
  }

  private let state = Mutex(State.waiting)
  private let semaphore = DispatchSemaphore(value: 0)

  /// Wakes the thread.
  ///
  /// - Returns: Whether the thread is still waiting. If not, grant the turn to the next one.
  func grant(_ granted: Granted) -> Bool {
    let isWaiting = state.withLock { state in
      guard case .waiting = state else { return false }
      state = .granted(granted)
      return true
    }
    if isWaiting { semaphore.signal() }
    return isWaiting
  }

  /// Blocks until the thread's turn.
  ///
  /// - Returns: What was granted, or nil if the limit passed before.
  func wait(limit: Duration?) -> Granted? {
    if let limit {
      if semaphore.wait(timeout: .now() + .nanoseconds(limit.nanoseconds)) == .success { return granted }
      // The turn may have been granted at the last moment.
      return state.withLock { state in
        if case .granted(let granted) = state { return granted }
        state = .abandoned
        return nil
      }
    }
    semaphore.wait()
    return granted
  }

  private var granted: Granted? {
    state.withLock { if case .granted(let granted) = $0 { granted } else { nil } }
  }
}

extension Duration {
  /// Whole nanoseconds, from zero to the largest value of an Int.
  var nanoseconds: Int {
    let (seconds, attoseconds) = components
    let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflows) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return isTooLong || overflows ? (seconds < 0 ? 0 : .max) : Int(clamping: max(0, sum))
  }
}
