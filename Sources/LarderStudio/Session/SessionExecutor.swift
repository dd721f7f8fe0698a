import Dispatch

/// A thread of a session's own: its context waits for files and for other writers, and the threads that all tasks share
/// must not wait.
final class SessionExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "larder.studio.session")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
