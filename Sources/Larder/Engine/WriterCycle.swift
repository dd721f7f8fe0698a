import Synchronization

/// Detects deadlocks between threads that wait for each other's writers, such as two threads that write to two stores
/// in opposite orders.
///
/// Only a thread that waits can complete a cycle, so detection costs nothing while no thread waits.
enum WriterCycle {
  /// The writer that each waiting thread waits for.
  private static let waiting = Mutex<[UInt: Writer]>([:])

  /// Calls the closure, in which the current thread waits for the writer.
  ///
  /// - Throws: ``StoreError`` `.unsupported` if the thread that holds the writer waits, directly or indirectly, for one
  ///   that this thread holds.
  static func waiting<Result>(for writer: Writer, _ body: () throws -> Result) throws -> Result {
    let me = ThreadHoldings.thread
    try waiting.withLock { waiting in
      var next: Writer? = writer
      while let held = next {
        let holder = held.holdingThread
        guard holder != me else { throw error }
        next = waiting[holder]
      }
      waiting[me] = writer
    }
    defer { waiting.withLock { $0[me] = nil } }
    return try body()
  }

  private static var error: StoreError {
    StoreError(
      .unsupported,
      "Two threads would wait for each other: each writes to one store and waits to write to another, which the other thread writes to. Write to the stores one after another, or in the same order everywhere."
    )
  }
}
