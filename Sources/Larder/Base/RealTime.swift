/// A clock that runs on when the system's date is changed.
enum RealTime {
  private static let start = ContinuousClock.now

  /// Seconds since this was first used, by a monotonic clock.
  static let seconds: @Sendable () -> Double = {
    let (seconds, attoseconds) = start.duration(to: .now).components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
