import Foundation
import Synchronization

/// The time by which rows expire. It never goes back: what was reported gone stays gone when the system's clock is set back.
final class ExpiryClock: Sendable {
  private let read: @Sendable () -> Date
  private let latest = Mutex(-Double.infinity)
  private let listener = Listener<Double>()

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

  /// Sets who hears of times at which rows will expire.
  func onNewTime(_ body: @escaping @Sendable (Double) -> Void) {
    listener.set(body)
  }

  /// Says that a row will expire at the time.
  func note(_ time: Double) {
    listener(time)
  }
}
