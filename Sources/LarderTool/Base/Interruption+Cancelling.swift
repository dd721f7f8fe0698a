import Dispatch
import Foundation
import Synchronization

extension Interruption {
  /// Calls the closure in a task that the first signal cancels, so that it can tidy up before the process ends. The
  /// second signal ends the process at once.
  ///
  /// - Parameter body: The work. If it is done in spite of the signal, the command goes on.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws, unless a signal came: then the process ends.
  static func cancelling<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let received = Mutex<Int32?>(nil)
    let work = Mutex<Task<Result, any Error>?>(nil)
    let sources = signals.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        let isFirst = received.withLock { received in
          defer { received = received ?? number }
          return received == nil
        }
        guard isFirst else { _exit(128 + number) }
        work.withLock { $0?.cancel() }
      }
      source.resume()
      return source
    }
    // The work begins when the signals are seen.
    let task = work.withLock { work in
      let task = Task { try await body() }
      if received.withLock({ $0 }) != nil { task.cancel() }
      work = task
      return task
    }
    do {
      let result = try await task.value
      for (source, number) in zip(sources, signals) {
        source.cancel()
        signal(number, SIG_DFL)
      }
      return result
    } catch {
      // As a shell reports a process that a signal ended.
      if let number = received.withLock({ $0 }) { exit(128 + number) }
      throw error
    }
  }
}
