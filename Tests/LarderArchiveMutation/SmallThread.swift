internal import Foundation
internal import Synchronization

/// Threads whose stack is as small as that of Dispatch's threads and of Swift's tasks.
public enum SmallThread {
  /// Runs a closure on a thread with a stack of so many bytes, and waits for it; throws what the closure throws.
  public static func run<Result: Sendable>(
    stackSize: Int = 512 << 10, _ body: @escaping @Sendable () throws -> Result
  ) throws -> Result {
    let finished = DispatchSemaphore(value: 0)
    let box = Box<Result>()
    let thread = Thread {
      box.set(Swift.Result(catching: body))
      finished.signal()
    }
    thread.stackSize = stackSize
    thread.start()
    finished.wait()
    return try box.get()
  }

  private final class Box<Value: Sendable>: Sendable {
    private let outcome = Mutex<Swift.Result<Value, any Error>?>(nil)

    func set(_ result: Swift.Result<Value, any Error>) { outcome.withLock { $0 = result } }

    func get() throws -> Value {
      guard let result = outcome.withLock({ $0 }) else { throw CocoaError(.coderInvalidValue) }
      return try result.get()
    }
  }
}
