import Dispatch
import Foundation

/// What is tidied up when the person, or the system, ends the command before its work is done.
final class Interruption {
  private let sources: [any DispatchSourceSignal]

  init(_ tidy: @escaping @Sendable () -> Void) {
    sources = [SIGINT, SIGTERM, SIGHUP].map { number in
      // The source sees the signal only if it doesn't end the process at once.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        tidy()
        // As a shell reports a process that a signal ended.
        exit(128 + number)
      }
      source.resume()
      return source
    }
  }

  /// Lets signals end the process again.
  func end() {
    for (source, number) in zip(sources, [SIGINT, SIGTERM, SIGHUP]) {
      source.cancel()
      signal(number, SIG_DFL)
    }
  }
}
