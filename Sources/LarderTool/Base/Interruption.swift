import Dispatch
import Foundation
import Synchronization

/// What is tidied up when the person, or the system, ends the command before its work is done.
final class Interruption {
  private final class Work: Sendable {
    /// Whether the work is done. Locked for ever once the command is being ended.
    let isOver = Mutex(false)
  }

  private let work = Work()
  private let sources: [any DispatchSourceSignal]
  static let signals = [SIGINT, SIGTERM, SIGHUP]

  init(_ tidy: @escaping @Sendable () -> Void) {
    sources = Self.signals.map { [work] number in
      // The source sees the signal only if it doesn't end the process at once.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        work.isOver.withLock { isOver in
          guard !isOver else { return }
          tidy()
          // As a shell reports a process that a signal ended.
          exit(128 + number)
        }
      }
      source.resume()
      return source
    }
  }

  /// Does what must not be interrupted, such as making what is to be tidied up. If a signal comes first, it isn't done.
  func uninterrupted<Result>(_ body: () throws -> Result) rethrows -> Result {
    try work.isOver.withLock { _ in try body() }
  }

  /// Does the last step of the work, after which signals end the process again.
  func finish(_ body: () throws -> Void) rethrows {
    try work.isOver.withLock { isOver in
      try body()
      isOver = true
    }
    for (source, number) in zip(sources, Self.signals) {
      source.cancel()
      signal(number, SIG_DFL)
    }
  }
}
