import Foundation
import Synchronization

/// The clock for the expiry of rows.
///
/// Two decisions use different times. ``now`` determines what is hidden, and follows the clock immediately.
/// ``deletable()`` determines what may be deleted, and doesn't trust a clock that has just jumped forward: rows that
/// were only hidden reappear when the clock returns.
final class ExpiryClock: Sendable {
  private struct State: Sendable {
    var latest = -Double.infinity
    /// The times by which rows were hidden since this was last reset.
    var seen: ClosedRange<Double>?
    var trust: ClockTrust
  }

  private let read: @Sendable () -> Date
  /// Returns the seconds of real time since some moment, including the sleep of the machine.
  let elapsed: @Sendable () -> Double
  private let state: Mutex<State>
  private let listener = Listener<Double>()

  /// The largest setback, in seconds, during which the time stands still instead of going back, as in a correction of
  /// the clock.
  static let setbackLimit = 300.0

  /// - Parameters:
  ///   - read: The clock.
  ///   - elapsed: Seconds of real time since some moment, including the sleep of the machine.
  init(
    _ read: @escaping @Sendable () -> Date = { Date() }, elapsed: @escaping @Sendable () -> Double = RealTime.seconds
  ) {
    self.read = read
    self.elapsed = elapsed
    state = Mutex(State(trust: ClockTrust(reading: read().timeIntervalSinceReferenceDate, elapsed: elapsed())))
  }

  /// The reading of the clock, in seconds since the reference date.
  var reading: Double { read().timeIntervalSinceReferenceDate }

  /// The time by which rows are hidden, in seconds since the reference date, as dates are stored.
  ///
  /// While the clock is set back by some minutes at most, the time stands still, so that expired rows stay hidden. A
  /// clock that goes back further was wrong before, and the time goes back with it.
  var now: Double {
    let time = reading
    return state.withLock { state in
      if time > state.latest || state.latest - time > Self.setbackLimit { state.latest = time }
      let seen = state.seen ?? state.latest...state.latest
      if state.latest < seen.lowerBound {
        state.seen = state.latest...seen.upperBound
      } else if state.latest > seen.upperBound || state.seen == nil {
        state.seen = seen.lowerBound...state.latest
      }
      return state.latest
    }
  }

  /// The range of times that ``now`` had since this was last reset: reads may have used each of them.
  var seen: ClosedRange<Double> {
    let now = now
    return state.withLock { $0.seen ?? now...now }
  }

  /// Returns the same range and resets it to its latest time, from which ``seen`` starts over.
  func takeSeen() -> (range: ClosedRange<Double>, now: Double) {
    let now = now
    return state.withLock { state in
      let range = state.seen ?? now...now
      state.seen = state.latest...state.latest
      return (range, state.latest)
    }
  }

  /// The expiry dates of the rows that may be deleted now.
  func deletable() -> ExpirySpan {
    let (time, elapsed) = (reading, elapsed())
    return state.withLock { $0.trust.observe(reading: time, elapsed: elapsed) }
  }

  /// Sets the closure that is called with new expiry dates.
  func onNewTime(_ body: @escaping @Sendable (Double) -> Void) {
    listener.set(body)
  }

  /// Records that a row will expire at the time. A row that hasn't expired by the clock must be visible, so the time no
  /// longer stands still for it.
  func note(_ time: Double) {
    let (reading, elapsed) = (reading, elapsed())
    state.withLock { state in
      if reading < time, time <= state.latest { state.latest = reading }
      _ = state.trust.observe(reading: reading, elapsed: elapsed)
    }
    listener(time)
  }

  /// Records that a kept row may have lost its reference.
  func noteRelease() {
    listener(-.infinity)
  }
}

/// A range of expiry dates: after one time, up to and including another.
struct ExpirySpan: Sendable, Equatable {
  var after = -Double.infinity
  var until: Double
}

/// Judges the readings of a clock by the real time that has passed between them.
///
/// A clock jumps if it moves forward by much more than the time that has passed. Until it has run steadily for a minute
/// from there, rows are deleted by the time that it would show without the jump. Rows that had expired before the first
/// reading are also kept for a minute, because nothing confirms that reading yet. A clock that goes back is trusted
/// immediately, because less is deleted then.
struct ClockTrust: Sendable {
  private struct Sample: Sendable {
    let reading: Double
    let elapsed: Double

    /// Returns what the clock shows if it runs steadily from here.
    func reading(at elapsed: Double) -> Double { reading + (elapsed - self.elapsed) }

    /// A clock may run slightly fast or slow, and may be corrected by some seconds.
    func tolerance(at elapsed: Double) -> Double { 5 + (elapsed - self.elapsed) / 2 }
  }

  /// The last trusted reading.
  private var anchor: Sample
  /// The first reading, while nothing confirms it.
  private var start: Sample?
  /// The reading after a jump, while it isn't trusted.
  private var leap: Sample?

  /// The number of seconds that a clock has to run steadily.
  static let probation = 60.0

  init(reading: Double, elapsed: Double) {
    anchor = Sample(reading: reading, elapsed: elapsed)
    start = anchor
  }

  /// Records a reading, and returns the expiry dates of the rows that may be deleted.
  mutating func observe(reading: Double, elapsed: Double) -> ExpirySpan {
    let sample = Sample(reading: reading, elapsed: elapsed)
    let expected = anchor.reading(at: elapsed)
    if reading > expected + anchor.tolerance(at: elapsed) {
      guard let leap, abs(leap.reading(at: elapsed) - reading) <= leap.tolerance(at: elapsed) else {
        self.leap = sample
        return ExpirySpan(after: start?.reading ?? -.infinity, until: expected)
      }
      guard elapsed - leap.elapsed >= Self.probation else {
        return ExpirySpan(after: start?.reading ?? -.infinity, until: expected)
      }
      start = nil
    } else if reading < expected - anchor.tolerance(at: elapsed) {
      if start != nil { start = sample }
    } else if let start, elapsed - start.elapsed >= Self.probation {
      self.start = nil
    }
    leap = nil
    anchor = sample
    return ExpirySpan(after: start?.reading ?? -.infinity, until: reading)
  }
}
