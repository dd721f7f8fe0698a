import Foundation

/// Settings of the process without which glibc moves the figures of everybody, raw C included, by up to a factor of
/// two.
enum SteadyProcess {
  /// Starts the program again with an allocator that keeps its memory, unless that has been done.
  ///
  /// By default glibc gives freed memory back to the system and faults it in again, depending on what happens to lie on
  /// top of the heap. The thresholds are read once, when a process starts.
  static func keepMemory() throws {
    #if os(Linux)
    guard getenv("MALLOC_TRIM_THRESHOLD_") == nil else { return }
    setenv("MALLOC_TRIM_THRESHOLD_", "2000000000", 1)
    setenv("MALLOC_MMAP_THRESHOLD_", "2000000000", 1)
    execv("/proc/self/exe", CommandLine.unsafeArgv)
    throw CocoaError(.executableLoad)
    #endif
  }

  /// Starts a thread that never does anything: glibc leaves its locks out as long as a process has a single thread,
  /// which no app has.
  static func parkSecondThread() {
    Thread { DispatchSemaphore(value: 0).wait() }.start()
  }
}
