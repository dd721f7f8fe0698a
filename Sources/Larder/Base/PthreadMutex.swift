#if LARDER_PTHREAD_MUTEX
import Foundation

/// Replaces `Synchronization.Mutex` in builds for the thread sanitizer, which doesn't recognize that lock on Linux and
/// reports false races.
///
/// `LARDER_PTHREAD_MUTEX=1` in the environment of `swift build` turns it on. `@unchecked Sendable`: the value is only
/// accessed under the lock.
final class Mutex<Value>: @unchecked Sendable {
  private var value: Value
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init(_ value: Value) {
    self.value = value
    pthread_mutex_init(lock, nil)
  }

  deinit {
    pthread_mutex_destroy(lock)
    lock.deallocate()
  }

  func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return try body(&value)
  }
}
#endif
