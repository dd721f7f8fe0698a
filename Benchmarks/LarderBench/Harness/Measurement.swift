import Foundation

/// How long some work took.
struct Measurement {
  /// On the wall, in milliseconds.
  var elapsed: Double

  /// On the processors, all threads together, in milliseconds. It tells work from waiting, and a busy machine from a
  /// slow program.
  var processor: Double

  /// How often the system took a processor away from a thread in the middle of its work.
  var preemptions: Int

  /// The clocks' present values.
  static func sinceSomeStart() -> Measurement {
    var usage = rusage()
    // RUSAGE_SELF, which has another type in Glibc.
    getrusage(0, &usage)
    return Measurement(
      elapsed: milliseconds(CLOCK_MONOTONIC), processor: milliseconds(CLOCK_PROCESS_CPUTIME_ID),
      preemptions: usage.ru_nivcsw)
  }

  static func - (end: Measurement, start: Measurement) -> Measurement {
    Measurement(
      elapsed: end.elapsed - start.elapsed, processor: end.processor - start.processor,
      preemptions: end.preemptions - start.preemptions)
  }

  private static func milliseconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }
}
