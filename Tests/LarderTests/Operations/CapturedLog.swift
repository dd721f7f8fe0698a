import Logging
import Synchronization

/// The messages that a store logs.
final class CapturedLog: Sendable {
  private let messages = Mutex<[String]>([])

  var lines: [String] { messages.withLock(\.self) }

  var logger: Logger { Logger(label: "test") { [self] _ in Handler(log: self) } }

  private struct Handler: LogHandler {
    let log: CapturedLog
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      log.messages.withLock { $0.append("\(event.level): \(event.message)") }
    }
  }
}
