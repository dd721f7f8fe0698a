import Foundation
import Synchronization

@testable import Larder

/// A clock and the time that really goes by, both of which tests set.
final class SteppedTime: Sendable {
  private struct State {
    var reading = 1_000_000.0
    var elapsed = 0.0
  }

  private let state = Mutex(State())

  var now: Date { Date(timeIntervalSinceReferenceDate: state.withLock { $0.reading }) }
  var reading: Double { state.withLock { $0.reading } }
  var elapsed: Double { state.withLock { $0.elapsed } }

  /// Time goes by, and the clock shows it.
  func pass(_ seconds: Double) {
    state.withLock {
      $0.reading += seconds
      $0.elapsed += seconds
    }
  }

  /// Somebody sets the clock.
  func leap(_ seconds: Double) {
    state.withLock { $0.reading += seconds }
  }

  var configuration: Store.Configuration {
    var configuration = Store.Configuration(now: { self.now })
    configuration.elapsed = { self.elapsed }
    return configuration
  }
}

extension Store {
  /// What the sweeper does when it is due.
  func sweep() throws {
    try writer.withConnection { try sweeper.sweep($0) }
  }
}
