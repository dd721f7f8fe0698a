import Dispatch
import Foundation
import Synchronization

/// Notifies live results of expired rows, and deletes such rows on the writer's own queue, a few at a time, so that no
/// call waits long.
///
/// It sleeps until the next row of this process expires, and checks for rows of other processes once a minute. While
/// there are observers, it also checks the clock twice a second, because clocks are set and tests inject their own.
/// What it can't do because another process locks the file, it tries again; expired rows are hidden in any case.
final class Sweeper: StoreService {
  private struct State {
    var timer = WakeTimer()
    var isStarted = false
    var isStopped = false
    var isSweeping = false
    /// The time up to which live results have been notified.
    var announced: Double
    /// When the next row expires, as far as it is known.
    var nextEnd = Double.infinity
    /// Whether rows are hidden but not yet deleted. If the clock goes back, they reappear.
    var hidesRows = false
    /// When the next sweep is due in real time, regardless of the clock.
    var due = Double.infinity
  }

  private let writer: Writer
  private let clock: ExpiryClock
  private let state: Mutex<State>
  private let queue = DispatchQueue(label: "larder.sweeper", qos: .utility)

  /// The number of rows to try in one transaction, followed by a pause: at most 10,000 rows a second.
  static let batch = 500
  private static let pause = 0.05
  /// The longest sleep, in seconds: a little more than it takes to trust a clock.
  private static let interval = ClockTrust.probation + 1
  /// How often to check the clock while there are observers, in seconds.
  static let look = 0.5

  /// - Parameter isNeeded: Whether something in the file can already expire; otherwise the sweeper starts with the
  ///   first date that is set.
  init(_ writer: Writer, _ feature: ExpiryFeature, isNeeded: Bool) {
    self.writer = writer
    clock = feature.clock
    state = Mutex(State(announced: clock.now))
    clock.onNewTime { [weak self] time in self?.wake(at: time) }
    feature.observation.set { [weak self] hasForeignCommits in self?.look(hasForeignCommits: hasForeignCommits) }
    if isNeeded { wake(at: -.infinity) }
  }

  deinit {
    state.withLock { $0.timer.cancel() }
  }

  /// The seconds after which the clock is checked next, as they were set last.
  var delay: Double? { state.withLock(\.timer.delay) }

  /// Stops deleting expired rows, which stay hidden.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      state.timer.cancel()
    }
  }

  /// Sweeps at the time, or immediately if it has passed.
  private func wake(at time: Double) {
    state.withLock { state in
      if !state.isStarted { state.due = RealTime.seconds() + Self.interval }
      state.isStarted = true
      if time > state.announced {
        guard time < state.nextEnd else { return }
        state.nextEnd = time
      } else {
        guard state.due > RealTime.seconds() else { return }
        state.due = -.infinity
      }
      arm(&state)
    }
  }

  /// Called when the first observer is added, or another connection has committed.
  private func look(hasForeignCommits: Bool) {
    state.withLock { state in
      guard state.isStarted else { return }
      if hasForeignCommits { state.due = -.infinity }
      arm(&state)
    }
  }

  /// Sets the timer for the next event. A running sweep does so when it ends.
  private func arm(_ state: inout State) {
    guard !state.isStopped, !state.isSweeping else { return }
    var delay = max(state.due - RealTime.seconds(), 0)
    // A moment later, so that the row has certainly expired.
    if state.nextEnd < .infinity { delay = min(delay, max(state.nextEnd - clock.now, 0) + 0.001) }
    if writer.features.isObserving, state.nextEnd < .infinity || state.hidesRows { delay = min(delay, Self.look) }
    state.timer.set(after: min(delay, Self.interval), leeway: .milliseconds(1), on: queue) { [weak self] in self?.tick()
    }
  }

  private func tick() {
    let seen = clock.seen
    let isDue = state.withLock { state in
      guard !state.isSweeping, !state.isStopped else { return false }
      // The time is before the last notification: the clock has gone back.
      guard seen.upperBound >= state.nextEnd || seen.lowerBound < state.announced || RealTime.seconds() >= state.due
      else {
        arm(&state)
        return false
      }
      state.isSweeping = true
      return true
    }
    guard isDue else { return }
    Task.detached(priority: .utility) { [weak self] in
      guard let writer = self?.writer else { return }
      let hasSwept: Bool
      do {
        try await writer.perform { [weak self] connection in
          guard let self, !self.state.withLock(\.isStopped) else { return }
          try self.sweep(connection)
        }
        hasSwept = true
      } catch {
        // Another process had locked the file.
        hasSwept = false
      }
      self?.state.withLock { state in
        state.isSweeping = false
        if !hasSwept { state.due = RealTime.seconds() + 1 }
        self?.arm(&state)
      }
    }
  }

  /// Notifies live results of rows that have expired or reappeared, and deletes what may be deleted. Called on the
  /// writer's connection.
  func sweep(_ connection: Connection) throws {
    let previous = state.withLock { state in
      state.nextEnd = .infinity
      state.due = .infinity
      return state.announced
    }
    // The clock may have jumped and returned meanwhile: reads in between saw other rows.
    let (seen, now) = clock.takeSeen()
    let (first, last) = (min(now, previous, seen.lowerBound), max(now, previous, seen.upperBound))
    if first != last {
      let tables = try connection.tablesWithEnds(in: ExpirySpan(after: first, until: last))
      writer.features.didCommit(tables.map { StatementFacts(writesAllOf: $0) })
    }
    state.withLock { $0.announced = now }
    let span = clock.deletable()
    let failure = connection.sweep(limit: Self.batch, span)
    let next = try connection.nextExpiry(after: now)
    let hidesRows = try !connection.tablesWithEnds(in: ExpirySpan(after: Expiry.released, until: now)).isEmpty
    let hasMore =
      try failure == nil && !connection.tablesWithEnds(in: ExpirySpan(after: span.after, until: span.until)).isEmpty
    let isBusy = (failure as? StoreError)?.code == .busy
    state.withLock { state in
      state.nextEnd = min(state.nextEnd, next)
      state.hidesRows = hidesRows
      state.due = min(state.due, RealTime.seconds() + (hasMore ? Self.pause : isBusy ? 1 : Self.interval))
    }
  }
}

extension Store {
  var sweeper: Sweeper { services[Sweeper.self] }
}
