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
  @inline(__always)
  mutating func advance() -> StatementParameter {
    index &+= 1
    return StatementParameter(statement, index, arena)
  }

  /// Binds a value of a storable type. Throws for a value that can't be stored, such as NaN.
  @inlinable
  @inline(__always)
  public mutating func bind<Input: StoredValue>(_ value: Input) throws {
    var parameter = advance()
    try value.bind(to: &parameter)
  }

  /// Binds an optional of a storable type: NULL for nil. See `RowReader.next()`, which reads it.
  @inlinable
  @inline(__always)
  public mutating func bind<Input: StoredValue>(_ value: Input?) throws {
    var parameter = advance()
    if let value { try value.bind(to: &parameter) } else { parameter.bindNull() }
  }

  /// Binds an enum or struct as its raw value.
  @inlinable
  @inline(__always)
  public mutating func bind<Input: RawRepresentable>(_ value: Input) throws where Input.RawValue: StoredValue {
    var parameter = advance()
    try value.rawValue.bind(to: &parameter)
  }

  /// Binds an optional enum or struct as its raw value: NULL for nil.
  @inlinable
  @inline(__always)
  public mutating func bind<Input: RawRepresentable>(_ value: Input?) throws where Input.RawValue: StoredValue {
    var parameter = advance()
    if let value { try value.rawValue.bind(to: &parameter) } else { parameter.bindNull() }
  }

  /// Binds a storable type that also has a raw value. The storable form is used.
  @inlinable
  @inline(__always)
  public mutating func bind<Input: StoredValue & RawRepresentable>(_ value: Input) throws
  where Input.RawValue: StoredValue {
    var parameter = advance()
    try value.bind(to: &parameter)
  }

  /// Binds an optional of a storable type that also has a raw value. The storable form is used.
  @inlinable
  @inline(__always)
  public mutating func bind<Input: StoredValue & RawRepresentable>(_ value: Input?) throws
  where Input.RawValue: StoredValue {
    var parameter = advance()
    if let value { try value.bind(to: &parameter) } else { parameter.bindNull() }
  }

  /// Binds the columns of an embedded struct.
  @inlinable
  @inline(__always)
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
    let bytes = arena.copy(value)
    guard let statement else { return arena.record(.text(bytes)) }
    let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    arena.check(sqlite3_bind_text64(statement, index, text, UInt64(bytes.count), nil, UInt8(SQLITE_UTF8)))
  }

  /// Binds a blob; its bytes are copied.
  @inlinable public mutating func bind(_ bytes: UnsafeRawBufferPointer) {
    let copy = arena.copy(bytes)
    guard let statement else { return arena.record(.blob(copy)) }
    arena.check(sqlite3_bind_blob64(statement, index, copy.baseAddress, UInt64(copy.count), nil))
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

extension RowWriter {
  /// The compiler's choice for a type that can't be stored, about which the property's ``Column`` has said what to do.
  @available(*, unavailable, message: "the type of this property can't be stored")
  @_documentation(visibility: internal)
  @_disfavoredOverload
  public mutating func bind<Input>(_ value: Input) throws {
    fatalError("unavailable")
  }
}
