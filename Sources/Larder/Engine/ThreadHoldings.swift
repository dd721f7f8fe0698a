import Foundation

/// The connections that the current thread holds.
///
/// A thread that already reads or writes must not wait for a reading connection, because the readers before it may be
/// waiting for what it holds. It gets another connection instead, so a thread that holds one only ever waits for
/// writers. See ``WriterCycle``.
enum ThreadHoldings {
  /// The number of connections that the thread holds, stored in place of the key's pointer.
  private static let key = makeKey()
  /// The writer for which the thread is encoding a value.
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

  /// Whether the thread currently neither reads nor writes.
  static var areNone: Bool { count == 0 }

  /// Calls the closure while the thread holds one more connection.
  @inline(__always)
  static func holding<Result>(_ body: () throws -> Result) rethrows -> Result {
    let outer = count
    count = outer + 1
    defer { count = outer }
    return try body()
  }

  /// Calls the closure, which validates and encodes a value for the writer.
  static func encoding<Result>(for writer: Writer, _ body: () throws -> Result) rethrows -> Result {
    let outer = pthread_getspecific(encodingKey)
    pthread_setspecific(encodingKey, Unmanaged.passUnretained(writer).toOpaque())
    defer { pthread_setspecific(encodingKey, outer) }
    return try body()
  }

  /// Returns whether the thread validates or encodes a value for the writer. A write from there is rejected, whether or
  /// not the writer is in use.
  static func isEncoding(for writer: Writer) -> Bool {
    pthread_getspecific(encodingKey) == Unmanaged.passUnretained(writer).toOpaque()
  }

  /// A number that no other live thread has; never zero.
  static var thread: UInt {
    #if canImport(Darwin) || canImport(Musl)
    UInt(bitPattern: pthread_self())
    #else
    UInt(truncatingIfNeeded: pthread_self())
    #endif
  }
}
