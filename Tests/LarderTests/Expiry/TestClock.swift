import Foundation
import Larder
import Synchronization

/// A clock that stands still until a test sets it.
final class TestClock: Sendable {
  private let time: Mutex<Date>

  /// - Parameter seconds: The time at the beginning, in seconds since the reference date.
  init(at seconds: Double = 1_000_000) {
    time = Mutex(Date(timeIntervalSinceReferenceDate: seconds))
  }

  var now: Date {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }

  /// The options of a store that goes by this clock.
  var configuration: Store.Configuration { Store.Configuration(now: { [self] in now }) }

  func advance(by seconds: Double) {
    time.withLock { $0 += seconds }
  }
}
