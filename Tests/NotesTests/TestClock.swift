import Foundation
import Synchronization

/// A clock that a test moves on.
final class TestClock: Sendable {
  private let time = Mutex(Date.now)

  var now: Date { time.withLock { $0 } }

  func advance(by seconds: TimeInterval) {
    time.withLock { $0 += seconds }
  }
}
