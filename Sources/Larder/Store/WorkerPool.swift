import DequeModule
import Dispatch
import Foundation
import Synchronization

/// Threads that may block, up to a number; more work waits in line.
///
/// All but one are threads of serial queues, because a concurrent queue shares its threads with all tasks of the process, and Dispatch gives it no more
/// of them than there are processors, however long they wait for the disk. One such thread may wait: work goes to it and its result comes from it
/// without waking another, which takes about as long as the rest of a short work.
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

  /// - Parameter borrows: Whether work that comes alone may keep a thread of all tasks waiting, where there is another.
  init(label: String, limit: Int, borrows: Bool) {
    self.label = label
    self.limit = limit
    let shared = DispatchQueue(label: label, attributes: .concurrent)
    self.shared = shared
    let isBorrowed = borrows && ProcessInfo.processInfo.activeProcessorCount > 1
    state = Mutex(State(idle: isBorrowed ? [shared] : [], count: isBorrowed ? 1 : 0))
  }

  /// Does the work on a thread that is free, or in its turn.
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

  /// What waits in line; where nothing does, the queue is free for others.
  private func next(_ queue: DispatchQueue) -> Work? {
    state.withLock { state in
      if let work = state.waiting.popFirst() { return work }
      // The last is the next that is taken.
      state.idle.insert(queue, at: queue === shared ? state.idle.count : 0)
      return nil
    }
  }
}
