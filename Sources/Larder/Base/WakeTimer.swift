import Dispatch

/// A one-shot timer. Setting it again cancels the earlier setting. Not thread-safe: keep it under a lock.
struct WakeTimer {
  private var source: (any DispatchSourceTimer)?

  /// The seconds to wait, as they were set last.
  private(set) var delay: Double?

  /// True from ``set(after:leeway:on:_:)`` until ``cancel()``, also after the timer has fired.
  var isSet: Bool { source != nil }

  /// Calls the closure after some seconds, in place of what was set before.
  mutating func set(
    after seconds: Double, leeway: DispatchTimeInterval, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
  ) {
    source?.cancel()
    delay = seconds
    let source = DispatchSource.makeTimerSource(queue: queue)
    source.schedule(deadline: .now() + seconds, leeway: leeway)
    source.setEventHandler(handler: body)
    self.source = source
    source.resume()
  }

  /// Cancels the timer.
  mutating func cancel() {
    source?.cancel()
    source = nil
    delay = nil
  }
}
