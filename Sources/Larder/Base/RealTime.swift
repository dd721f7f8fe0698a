/// A monotonic clock, unaffected by changes to the system's date.
enum RealTime {
  private static let start = ContinuousClock.now

  /// Seconds since this was first used.
  static let seconds: @Sendable () -> Double = {
    let (seconds, attoseconds) = start.duration(to: .now).components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
