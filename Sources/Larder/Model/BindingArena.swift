public import GRDBSQLite

/// Memory for the texts and blobs bound to one statement until it is rebound.
///
/// SQLite would copy every value into its own allocation (`SQLITE_TRANSIENT`). Copying into memory that is reused for
/// the next execution only costs a `memcpy`. Chunks never move while a binding points into them. If SQLite rejects a
/// value for its length (over a billion bytes), this is recorded in ``failure``, and the next step throws.
///
/// The arena is a pointer to its state, so that binding a value retains and releases nothing. Whoever creates it calls
/// ``deallocate()`` when no statement uses it any longer.
@frozen
@usableFromInline
struct BindingArena {
  @usableFromInline let state: UnsafeMutablePointer<State>

  @frozen
  @usableFromInline
  struct State {
    @usableFromInline var chunk: UnsafeMutableRawPointer
    @usableFromInline var capacity: Int
    @usableFromInline var used = 0
    @usableFromInline var failure: Int32 = SQLITE_OK
    var recording: [RecordedValue] = []
    /// Chunks that were too small, to which parameters may still be bound.
    var retired: [UnsafeMutableRawPointer] = []

    init() {
      capacity = BindingArena.initialCapacity
      chunk = .allocate(byteCount: capacity, alignment: 16)
    }
  }

  @inlinable static var initialCapacity: Int { 1024 }
  /// More memory than this is released after use rather than kept for the next execution.
  private static let keptCapacity = 1 << 20

  init() {
    state = .allocate(capacity: 1)
    state.initialize(to: State())
  }

  /// Releases all memory. The arena must not be used again.
  func deallocate() {
    for chunk in state.pointee.retired { chunk.deallocate() }
    state.pointee.chunk.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// The first result code of a binding other than SQLITE_OK since ``reset()``.
  @inlinable var failure: Int32 { state.pointee.failure }

  /// Returns a copy of the bytes that stays in place until ``reset()``. Its address is never nil, so that empty text
  /// isn't bound as NULL.
  @inlinable
  func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    if bytes.count > state.pointee.capacity &- state.pointee.used { grow(by: bytes.count) }
    let target = state.pointee.chunk + state.pointee.used
    if let source = bytes.baseAddress { target.copyMemory(from: source, byteCount: bytes.count) }
    state.pointee.used &+= bytes.count
    return UnsafeRawBufferPointer(start: target, count: bytes.count)
  }

  /// Returns a copy of the text's UTF-8 that stays in place until ``reset()``.
  @usableFromInline
  func copy(_ text: String) -> UnsafeRawBufferPointer {
    if let copy = text.utf8.withContiguousStorageIfAvailable({ copy(UnsafeRawBufferPointer($0)) }) { return copy }
    // A text that Foundation lends in another encoding.
    var text = text
    return text.withUTF8 { copy(UnsafeRawBufferPointer($0)) }
  }

  @inlinable
  func check(_ result: Int32) {
    if result != SQLITE_OK { fail(result) }
  }

  @usableFromInline
  func fail(_ result: Int32) {
    if failure == SQLITE_OK { state.pointee.failure = result }
  }

  /// Records a value to be bound later.
  @usableFromInline
  func record(_ value: RecordedValue) {
    state.pointee.recording.append(value)
  }

  /// What was bound without a statement.
  var recording: [RecordedValue] { state.pointee.recording }

  @usableFromInline
  func grow(by count: Int) {
    state.pointee.retired.append(state.pointee.chunk)
    state.pointee.capacity = max(state.pointee.capacity * 2, count + 1)
    state.pointee.chunk = .allocate(byteCount: state.pointee.capacity, alignment: 16)
    state.pointee.used = 0
  }

  /// Releases the memory for the next execution. Every parameter must be rebound before the statement steps again.
  @inlinable
  func reset() {
    state.pointee.used = 0
    state.pointee.failure = SQLITE_OK
    if state.pointee.capacity > Self.initialCapacity { shrink() }
  }

  @usableFromInline
  func shrink() {
    for chunk in state.pointee.retired { chunk.deallocate() }
    state.pointee.retired.removeAll(keepingCapacity: true)
    guard state.pointee.capacity > Self.keptCapacity else { return }
    state.pointee.chunk.deallocate()
    state.pointee.capacity = Self.initialCapacity
    state.pointee.chunk = .allocate(byteCount: state.pointee.capacity, alignment: 16)
  }
}
