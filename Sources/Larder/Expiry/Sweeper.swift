import Dispatch
import Foundation
import Synchronization

/// Deletes rows whose time has come, on the writer's own queue and a few at a time, so that nobody waits for it long.
///
/// It sleeps until the next row of this process is due, and looks for rows of other processes once a minute. What it cannot do, because another
/// process holds the file, it tries again: rows are hidden from their time on in any case.
final class Sweeper: Sendable {
  private struct State {
    var timer: (any DispatchSourceTimer)?
    var due = Double.infinity
    var isSweeping = false
    var isStopped = false
  }

  private let writer: Writer
  private let clock: ExpiryClock
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "larder.sweeper", qos: .utility)

  /// So many rows are deleted in one transaction, with a pause after it: at most 10,000 rows a second.
  static let batch = 500
  private static let pause = 0.05
  /// The longest sleep, in seconds.
  private static let interval = 60.0

  /// - Parameter isNeeded: Whether something in the file can expire already; otherwise the sweeper begins with the first date that is set.
  init(_ writer: Writer, _ clock: ExpiryClock, isNeeded: Bool) {
    self.writer = writer
    self.clock = clock
    clock.onNewTime { [weak self] time in self?.wake(at: time) }
    if isNeeded { wake(at: clock.now) }
  }

  deinit {
    state.withLock { $0.timer?.cancel() }
  }

  /// Leaves what has expired where it is, hidden.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      state.timer?.cancel()
    }
  }

  /// Sweeps at the time, or earlier where that was agreed on already.
  private func wake(at time: Double) {
    state.withLock { state in
      guard time < state.due else { return }
      // The sweep at work goes on from there.
      if state.isSweeping { state.due = time } else { start(&state, at: time) }
    }
  }

  private func start(_ state: inout State, at time: Double) {
    state.timer?.cancel()
    guard !state.isStopped else { return }
    state.due = time
    let timer = DispatchSource.makeTimerSource(queue: queue)
    // A moment later, so that the row's time has come for certain.
    timer.schedule(deadline: .now() + min(max(time - clock.now, 0), Self.interval) + 0.001, leeway: .milliseconds(1))
    timer.setEventHandler { [weak self] in self?.sweep() }
    state.timer = timer
    timer.resume()
  }

  private func sweep() {
    state.withLock {
      $0.isSweeping = true
      $0.due = .infinity
    }
    Task.detached(priority: .utility) { [weak self] in
      guard let writer = self?.writer, let clock = self?.clock else { return }
      let next = try? await writer.perform { connection in
        let start = clock.now
        let count = try connection.removeExpired(limit: Self.batch)
        return count < Self.batch ? try connection.nextExpiry(after: start) : clock.now + Self.pause
      }
      self?.state.withLock { state in
        state.isSweeping = false
        let now = clock.now
        // Without an answer another process was in the way.
        self?.start(&state, at: min(max(min(next ?? now + 1, state.due), now + Self.pause), now + Self.interval))
      }
    }
  }
}
