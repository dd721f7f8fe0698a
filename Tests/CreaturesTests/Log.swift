import Synchronization

/// What was noted, in order.
final class Log: Sendable {
  private let lines = Mutex<[String]>([])

  func add(_ line: String) { lines.withLock { $0.append(line) } }

  /// What was noted since the last call.
  func taken() -> [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}
