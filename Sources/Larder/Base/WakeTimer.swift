import Dispatch

/// A timer of which only the latest setting counts.
struct WakeTimer {
  private var source: (any DispatchSourceTimer)?

  /// Whether the timer is set, or has fired since.
  var isSet: Bool { source != nil }

  /// Calls the closure after some seconds, in place of what was set before.
  mutating func set(
    after seconds: Double, leeway: DispatchTimeInterval, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
  ) {
    source?.cancel()
    let source = DispatchSource.makeTimerSource(queue: queue)
    source.schedule(deadline: .now() + seconds, leeway: leeway)
    source.setEventHandler(handler: body)
    self.source = source
    source.resume()
  }

  /// Forgets what was set.
  mutating func cancel() {
    source?.cancel()
    source = nil
  }
}
