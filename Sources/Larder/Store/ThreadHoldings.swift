import Foundation

/// What the current thread holds of the stores' connections.
///
/// A thread that reads or writes already must not stand in line for a reading connection: those in front of it may be waiting for what it holds.
/// It is given a further connection instead, so only writers are ever waited for by a thread that holds something; see ``WriterCycle``.
enum ThreadHoldings {
  /// The number of connections that the thread holds, in the place of the pointer that the key is meant for.
  private static let key = makeKey()
  /// The writer for which the thread encodes a value.
  private static let encodingKey = makeKey()

  private static func makeKey() -> pthread_key_t {
    var key = pthread_key_t()
    precondition(pthread_key_create(&key, nil) == 0, "the process has no thread-specific keys left")
    return key
  }

  private static var count: Int {
    get { Int(bitPattern: pthread_getspecific(key)) }
    set { pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue)) }
  }

  /// Whether the thread reads or writes right now.
  static var areNone: Bool { count == 0 }

  /// Calls the closure while the thread holds one more connection.
  static func holding<Result>(_ body: () throws -> Result) rethrows -> Result {
    count += 1
    defer { count -= 1 }
    return try body()
  }

  /// Calls the closure, which checks and encodes a value for the writer.
  static func encoding<Result>(for writer: Writer, _ body: () throws -> Result) rethrows -> Result {
    let outer = pthread_getspecific(encodingKey)
    pthread_setspecific(encodingKey, Unmanaged.passUnretained(writer).toOpaque())
    defer { pthread_setspecific(encodingKey, outer) }
    return try body()
  }

  /// Whether the thread checks or encodes a value for the writer: a write from there is refused, whether the writer is held meanwhile or not.
  static func isEncoding(for writer: Writer) -> Bool {
    pthread_getspecific(encodingKey) == Unmanaged.passUnretained(writer).toOpaque()
  }

  /// A number that no other thread has while this one lives; never zero.
  static var thread: UInt { UInt(bitPattern: ObjectIdentifier(Thread.current)) }
}
