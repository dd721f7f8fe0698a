/// Time that no one can set.
enum RealTime {
  private static let start = ContinuousClock.now

  /// Seconds since this was first used, by a monotonic clock.
  static let seconds: @Sendable () -> Double = {
    let (seconds, attoseconds) = start.duration(to: .now).components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
