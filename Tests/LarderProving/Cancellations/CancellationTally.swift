import Synchronization

/// What all lanes of a run count and find.
final class CancellationTally: Sendable {
  struct Figures: Sendable {
    var operations = 0
    /// Tasks that were cancelled, whatever came of it.
    var cancelled = 0
    /// Those that ended in `CancellationError`.
    var landed = 0
    var checks = 0
    var findings: [String] = []
    /// How often an operation was cancelled, and how often that landed, by its name.
    var verbs: [String: (cancelled: Int, landed: Int)] = [:]
  }

  private let figures = Mutex(Figures())
  private let limit: Int
  private let isTimeLeft: @Sendable () -> Bool

  init(limit: Int, isTimeLeft: @escaping @Sendable () -> Bool) {
    self.limit = limit
    self.isTimeLeft = isTimeLeft
  }

  var current: Figures { figures.withLock { $0 } }

  var goesOn: Bool {
    figures.withLock { $0.cancelled < limit && $0.findings.count < 10 } && isTimeLeft()
  }

  func note(_ verb: String, isCancelled: Bool, hasLanded: Bool) {
    figures.withLock { figures in
      figures.operations += 1
      guard isCancelled else { return }
      figures.cancelled += 1
      figures.verbs[verb, default: (0, 0)].cancelled += 1
      guard hasLanded else { return }
      figures.landed += 1
      figures.verbs[verb, default: (0, 0)].landed += 1
    }
  }

  func check(_ condition: Bool, _ failure: @autoclosure () -> String) {
    let failure = condition ? nil : failure()
    figures.withLock { figures in
      figures.checks += 1
      if let failure, figures.findings.count < 10 { figures.findings.append(failure) }
    }
  }
}
