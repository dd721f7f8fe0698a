import Dispatch

/// A thread of an actor's own, for one that waits for files: the threads that all tasks share are as many as the
/// processors, and must not wait.
final class DiskExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "creatures.disk")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
