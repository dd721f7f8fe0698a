import Foundation
import Synchronization

/// The time by which rows expire.
///
/// Two questions are answered by different times. ``now`` says what is hidden, and follows the clock at once. ``deletable()`` says what may be deleted,
/// and does not believe a clock that has just leapt forward: what was only hidden is there again when the clock returns.
final class ExpiryClock: Sendable {
  private struct State: Sendable {
    var latest = -Double.infinity
    /// The times by which rows were hidden since it was last asked.
    var seen: ClosedRange<Double>?
    var trust: ClockTrust
  }

  private let read: @Sendable () -> Date
  private let elapsed: @Sendable () -> Double
  private let state: Mutex<State>
  private let listener = Listener<Double>()

  /// The greatest setback, in seconds, during which the time stands still instead of going back: what the correction of a clock takes.
  static let setbackLimit = 300.0

  /// - Parameters:
  ///   - read: The clock.
  ///   - elapsed: Seconds that have really gone by since some moment, the sleep of the machine included.
  init(_ read: @escaping @Sendable () -> Date = { Date() }, elapsed: @escaping @Sendable () -> Double = ExpiryClock.realTime) {
    self.read = read
    self.elapsed = elapsed
    state = Mutex(State(trust: ClockTrust(reading: read().timeIntervalSinceReferenceDate, elapsed: elapsed())))
  }

  private static let start = ContinuousClock.now

  /// Seconds since this was first asked for, by a clock that nobody sets.
  static let realTime: @Sendable () -> Double = {
    let (seconds, attoseconds) = start.duration(to: .now).components
    return Double(seconds) + Double(attoseconds) / 1e18
  }

  /// What the clock says, in seconds since the reference date.
  var reading: Double { read().timeIntervalSinceReferenceDate }

  /// The time by which rows are hidden, in seconds since the reference date, as dates are stored.
  ///
  /// While the clock is corrected by some minutes at most, the time stands still: what was reported gone stays gone. A clock that goes back further was
  /// wrong before, and the time goes back with it.
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

  /// The times that ``now`` was, from the earliest to the latest, since this was last forgotten: somebody may have read by each of them.
  var seen: ClosedRange<Double> {
    let now = now
    return state.withLock { $0.seen ?? now...now }
  }

  /// The same, and the latest of them, from which on ``seen`` starts over.
  func takeSeen() -> (range: ClosedRange<Double>, now: Double) {
    let now = now
    return state.withLock { state in
      let range = state.seen ?? now...now
      state.seen = state.latest...state.latest
      return (range, state.latest)
    }
  }

  /// The ends of the rows that may be deleted now.
  func deletable() -> ExpirySpan {
    let (time, elapsed) = (reading, elapsed())
    return state.withLock { $0.trust.observe(reading: time, elapsed: elapsed) }
  }

  /// Sets who hears of times at which rows will expire.
  func onNewTime(_ body: @escaping @Sendable (Double) -> Void) {
    listener.set(body)
  }

  /// Says that a row will expire at the time. A row that the clock says is there must be seen: the time stands still for it no longer.
  func note(_ time: Double) {
    let (reading, elapsed) = (reading, elapsed())
    state.withLock { state in
      if reading < time, time <= state.latest { state.latest = reading }
      _ = state.trust.observe(reading: reading, elapsed: elapsed)
    }
    listener(time)
  }

  /// Says that a row which was kept by a reference may have lost it.
  func noteRelease() {
    listener(-.infinity)
  }
}

/// The ends of rows: after one time, up to another, this one included.
struct ExpirySpan: Sendable, Equatable {
  var after = -Double.infinity
  var until: Double
}

/// What the readings of a clock are worth, judged by how much time has really gone by between them.
///
/// A clock leaps when it moves forward by much more than the time that has gone by. Until it has run on steadily from there for a minute, rows are
/// deleted by the time that it would show without the leap. What had ended before the first reading is left for a minute as well: nothing speaks for
/// that reading yet. A clock that goes back is believed at once, because less is deleted then.
struct ClockTrust: Sendable {
  private struct Sample: Sendable {
    let reading: Double
    let elapsed: Double

    /// What the clock shows if it runs on steadily from here.
    func reading(at elapsed: Double) -> Double { reading + (elapsed - self.elapsed) }

    /// A clock may run a little fast or slow, and may be corrected by some seconds.
    func tolerance(at elapsed: Double) -> Double { 5 + (elapsed - self.elapsed) / 2 }
  }

  /// The last reading that was believed.
  private var anchor: Sample
  /// The first reading, for as long as nothing speaks for it.
  private var start: Sample?
  /// Where the clock has leapt to, while it is not yet believed.
  private var leap: Sample?

  /// So many seconds a clock has to run steadily.
  static let probation = 60.0

  init(reading: Double, elapsed: Double) {
    anchor = Sample(reading: reading, elapsed: elapsed)
    start = anchor
  }

  /// Takes note of a reading, and returns the ends of the rows that may be deleted.
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
