import DequeModule
import Dispatch
import Foundation
import Synchronization

/// A limited number of threads that may block. Further work waits in a queue.
///
/// All but one are threads of serial queues, because a concurrent queue shares its threads with all tasks of the
/// process, and Dispatch gives it no more threads than there are processors, however long they wait for the disk. The
/// remaining one is shared: work reaches it, and its result returns, without waking another thread, which would take
/// about as long as short work itself.
final class WorkerPool: Sendable {
  typealias Work = @Sendable () -> Void

  private struct State {
    var idle: [DispatchQueue]
    var count: Int
    var waiting = Deque<Work>()
  }

  private let label: String
  private let limit: Int
  private let shared: DispatchQueue
  private let state: Mutex<State>

  /// - Parameter borrows: Whether work that comes alone may block a shared thread, if there is another.
  init(label: String, limit: Int, borrows: Bool) {
    self.label = label
    self.limit = limit
    let shared = DispatchQueue(label: label, attributes: .concurrent)
    self.shared = shared
    let isBorrowed = borrows && ProcessInfo.processInfo.activeProcessorCount > 1
    state = Mutex(State(idle: isBorrowed ? [shared] : [], count: isBorrowed ? 1 : 0))
  }

  /// Does the work on an idle thread, or as soon as one is idle.
  func submit(_ work: @escaping Work) {
    let queue = state.withLock { state -> DispatchQueue? in
      if let queue = state.idle.popLast() { return queue }
      guard state.count < limit else {
        state.waiting.append(work)
        return nil
      }
      state.count += 1
      return DispatchQueue(label: label)
    }
    guard let queue else { return }
    queue.async {
      var next: Work? = work
      while let work = next {
        work()
        next = self.next(queue)
      }
    }
  }

  /// Returns the next waiting work. If there is none, the queue becomes idle.
  private func next(_ queue: DispatchQueue) -> Work? {
    state.withLock { state in
      if let work = state.waiting.popFirst() { return work }
      // The last element is taken first.
      state.idle.insert(queue, at: queue === shared ? state.idle.count : 0)
      return nil
    }
  }
}
