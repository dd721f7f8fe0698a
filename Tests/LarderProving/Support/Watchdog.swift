import Foundation
import Synchronization

/// Notices that nothing moves any more, from a thread of its own: what is stuck may hold all threads of Swift's pool.
final class Watchdog: Sendable {
  private struct State {
    var steps = 0
    var isOver = false
  }

  private let state = Mutex(State())

  /// - Parameters:
  ///   - limit: So many seconds without a step are too many.
  ///   - stalled: Called once where nothing moved for so long.
  init(limit: Int, stalled: @escaping @Sendable () -> Void) {
    let state = { @Sendable [weak self] in self?.state.withLock { $0 } }
    Thread.detachNewThread {
      var last = -1
      var idle = 0
      while let now = state(), !now.isOver {
        idle = now.steps == last ? idle + 1 : 0
        last = now.steps
        if idle >= limit { return stalled() }
        Thread.sleep(forTimeInterval: 1)
      }
    }
  }

  func step() {
    state.withLock { $0.steps += 1 }
  }

  func end() {
    state.withLock { $0.isOver = true }
  }
}
