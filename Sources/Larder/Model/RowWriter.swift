public import Foundation
public import GRDBSQLite

/// Binds the values of a model's properties to a statement's parameters, from left to right.
@frozen
@_documentation(visibility: internal)
public struct RowWriter {
  /// Nil if the values are recorded in the arena, to be bound later.
  @usableFromInline let statement: OpaquePointer?
  @usableFromInline let arena: BindingArena
  /// The number of parameters bound so far; after a throw, that of the parameter at fault.
  @usableFromInline var index: Int32

  @inlinable
  init(_ statement: OpaquePointer, arena: BindingArena) {
    self.statement = statement
    self.arena = arena
    self.index = 0
  }

  /// Creates a writer that records the values for a ``RecordedRow``.
  init(recordingInto arena: BindingArena) {
    statement = nil
    self.arena = arena
    index = 0
  }

  @inlinable
  mutating func advance() -> StatementParameter {
    index &+= 1
    return StatementParameter(statement, index, arena)
  }

  /// Binds a value of a storable type. Throws for a value that can't be stored, such as NaN.
  @inlinable
  public mutating func bind<Input: StoredValue>(_ value: Input) throws {
    var parameter = advance()
    try value.bind(to: &parameter)
  }

  /// Binds an enum or struct as its raw value.
  @inlinable
  public mutating func bind<Input: RawRepresentable>(_ value: Input) throws where Input.RawValue: StoredValue {
    var parameter = advance()
    try value.rawValue.bind(to: &parameter)
  }

  /// Binds an optional enum or struct as its raw value: NULL for nil.
  @inlinable
  public mutating func bind<Input: RawRepresentable>(_ value: Input?) throws where Input.RawValue: StoredValue {
    var parameter = advance()
    if let value { try value.rawValue.bind(to: &parameter) } else { parameter.bindNull() }
  }

  /// Binds a storable type that also has a raw value. The storable form is used.
  @inlinable
  public mutating func bind<Input: StoredValue & RawRepresentable>(_ value: Input) throws
  where Input.RawValue: StoredValue {
    var parameter = advance()
    try value.bind(to: &parameter)
  }

  /// Binds the columns of an embedded struct.
  @inlinable
  public mutating func bind<Input: Embeddable>(embedded value: Input) throws {
    try value.encode(to: &self)
  }

  /// Binds any other `Codable` as JSON text. Throws what its `encode(to:)` throws, and for a number that JSON can't
  /// represent.
  @_disfavoredOverload
  @inlinable
  public mutating func bind<Input: Codable>(_ value: Input) throws {
    var parameter = advance()
    parameter.bind(try JSONCoding.encode(value))
  }

  /// Binds a date as text. Throws for a date outside the years 0 to 9999.
  public mutating func bind(_ value: Date, as format: DateFormat) throws {
    var parameter = advance()
    parameter.bind(try format.encode(value))
  }

  /// Binds an optional date as text: NULL for nil.
  public mutating func bind(_ value: Date?, as format: DateFormat) throws {
    var parameter = advance()
    if let value { parameter.bind(try format.encode(value)) } else { parameter.bindNull() }
  }
}

/// A parameter of a statement, to which a ``StoredValue`` binds itself.
@frozen
public struct StatementParameter {
  /// Nil if the value is recorded in the arena, to be bound later.
  @usableFromInline let statement: OpaquePointer?
  @usableFromInline let index: Int32
  @usableFromInline let arena: BindingArena

  @inlinable
  init(_ statement: OpaquePointer?, _ index: Int32, _ arena: BindingArena) {
    self.statement = statement
    self.index = index
    self.arena = arena
  }

  /// Binds NULL.
  @inlinable public mutating func bindNull() {
    guard let statement else { return arena.record(.null) }
    sqlite3_bind_null(statement, index)
  }

  /// Binds an integer.
  @inlinable public mutating func bind(_ value: Int64) {
    guard let statement else { return arena.record(.integer(value)) }
    sqlite3_bind_int64(statement, index, value)
  }

  /// Binds a number. SQLite would store NaN as NULL, so reject it before.
  @inlinable public mutating func bind(_ value: Double) {
    guard let statement else { return arena.record(.real(value)) }
    sqlite3_bind_double(statement, index, value)
  }

  /// Binds text; its bytes are copied.
  @inlinable public mutating func bind(_ value: String) {
    var value = value
    value.withUTF8 { utf8 in
      let bytes = arena.copy(UnsafeRawBufferPointer(utf8))
      guard let statement else { return arena.record(.text(UnsafeRawBufferPointer(start: bytes, count: utf8.count))) }
      let text = bytes.assumingMemoryBound(to: CChar.self)
      arena.check(sqlite3_bind_text64(statement, index, text, UInt64(utf8.count), nil, UInt8(SQLITE_UTF8)))
    }
  }

  /// Binds a blob; its bytes are copied.
  @inlinable public mutating func bind(_ bytes: UnsafeRawBufferPointer) {
    let copy = arena.copy(bytes)
    guard let statement else { return arena.record(.blob(UnsafeRawBufferPointer(start: copy, count: bytes.count))) }
    arena.check(sqlite3_bind_blob64(statement, index, copy, UInt64(bytes.count), nil))
  }

  /// Binds a value of any kind.
  public mutating func bind(_ value: Value) {
    switch value {
    case .null: bindNull()
    case .integer(let integer): bind(integer)
    case .real(let real): bind(real)
    case .text(let text): bind(text)
    case .blob(let blob): blob.withUnsafeBytes { bind($0) }
    }
  }
}

/// Memory for the texts and blobs bound to one statement until it is rebound.
///
/// SQLite would copy every value into its own allocation (`SQLITE_TRANSIENT`). Copying into memory that is reused for
/// the next execution only costs a `memcpy`. Chunks never move while a binding points into them. If SQLite rejects a
/// value for its length (over a billion bytes), this is recorded in ``failure``, and the next step throws.
@usableFromInline
final class BindingArena {
  @usableFromInline var chunk: UnsafeMutableRawPointer
  @usableFromInline var capacity: Int
  @usableFromInline var used = 0
  /// The first result code of a binding other than SQLITE_OK since ``reset()``.
  @usableFromInline var failure: Int32 = SQLITE_OK
  /// What was bound without a statement.
  var recording: [RecordedValue] = []
  private var retired: [UnsafeMutableRawPointer] = []

  private static let initialCapacity = 1024
  /// More memory than this is released after use rather than kept for the next execution.
  private static let keptCapacity = 1 << 20

  @usableFromInline
  init() {
    capacity = Self.initialCapacity
    chunk = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit {
    chunk.deallocate()
    for chunk in retired { chunk.deallocate() }
  }

  /// Returns a copy of the bytes that stays in place until ``reset()``. Never nil, so that empty text isn't bound as
  /// NULL.
  @inlinable
  func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer {
    if bytes.count > capacity - used { grow(by: bytes.count) }
    let target = chunk + used
    if let source = bytes.baseAddress { target.copyMemory(from: source, byteCount: bytes.count) }
    used += bytes.count
    return target
  }

  @inlinable
  func check(_ result: Int32) {
    if result != SQLITE_OK { failure = result }
  }

  /// Records a value to be bound later.
  @usableFromInline
  func record(_ value: RecordedValue) {
    recording.append(value)
  }

  @usableFromInline
  func grow(by count: Int) {
    retired.append(chunk)
    capacity = max(capacity * 2, count + 1)
    chunk = .allocate(byteCount: capacity, alignment: 16)
    used = 0
  }

  /// Releases the memory for the next execution. Every parameter must be rebound before the statement steps again.
  @inlinable
  func reset() {
    used = 0
    failure = SQLITE_OK
    if capacity > 1024 { shrink() }
  }

  @usableFromInline
  func shrink() {
    for chunk in retired { chunk.deallocate() }
    retired.removeAll(keepingCapacity: true)
    if capacity > Self.keptCapacity {
      chunk.deallocate()
      capacity = Self.initialCapacity
      chunk = .allocate(byteCount: capacity, alignment: 16)
    }
  }
}
