import DequeModule
import Dispatch
import Synchronization

/// Threads that may block, up to a number; more work waits in line.
///
/// Each is the thread of a serial queue, because a concurrent queue shares its threads with all tasks of the process: Dispatch gives it no more of them
/// than there are processors, however long they wait for the disk.
final class WorkerPool: Sendable {
  typealias Work = @Sendable () -> Void

  private struct State {
    var idle: [DispatchQueue] = []
    var count = 0
    var waiting = Deque<Work>()
  }

  private let label: String
  private let limit: Int
  private let state = Mutex(State())

  init(label: String, limit: Int) {
    self.label = label
    self.limit = limit
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
      state.idle.append(queue)
      return nil
    }
  }
}
