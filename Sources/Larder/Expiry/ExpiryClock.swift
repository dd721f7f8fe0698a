import Foundation
import Synchronization

/// The time by which rows expire. It never goes back: what was reported gone stays gone when the system's clock is set back.
final class ExpiryClock: Sendable {
  private let read: @Sendable () -> Date
  private let latest = Mutex(-Double.infinity)

  init(_ read: @escaping @Sendable () -> Date = { Date() }) {
    self.read = read
  }

  /// Seconds since the reference date, as dates are stored.
  var now: Double {
    let time = read().timeIntervalSinceReferenceDate
    return latest.withLock { latest in
      latest = max(latest, time)
      return latest
    }
  }

  /// Makes the time be no earlier than one that somebody else has seen.
  func advance(to time: Double) {
    latest.withLock { $0 = max($0, time) }
  }
}
