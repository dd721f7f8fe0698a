import Foundation

/// How long some work took.
struct Measurement {
  /// On the wall, in milliseconds.
  var elapsed: Double

  /// On the processors, all threads together, in milliseconds. It tells work from waiting, and a busy machine from a
  /// slow program.
  var processor: Double

  /// The clocks' present values.
  static func sinceSomeStart() -> Measurement {
    Measurement(elapsed: milliseconds(CLOCK_MONOTONIC), processor: milliseconds(CLOCK_PROCESS_CPUTIME_ID))
  }

  static func - (end: Measurement, start: Measurement) -> Measurement {
    Measurement(elapsed: end.elapsed - start.elapsed, processor: end.processor - start.processor)
  }

  private static func milliseconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }
}
