/// Stores enums and structs with a raw value as that raw value.
@usableFromInline
enum RawValueCoding {
  @inlinable
  static func decode<Output: RawRepresentable>(_ column: StoredColumn) throws -> Output
  where Output.RawValue: StoredValue {
    try decode(rawValue: try Output.RawValue(from: column))
  }

  @inlinable
  @inline(__always)
  static func decode<Output: RawRepresentable>(rawValue: Output.RawValue) throws -> Output {
    guard let value = Output(rawValue: rawValue) else { throw ValueFailure.unknownRawValue(Output.self) }
    return value
  }

  static func decode<Output: RawRepresentable>(_ value: Value) throws -> Output where Output.RawValue: StoredValue {
    guard let value = Output(rawValue: try Output.RawValue(storedValue: value)) else {
      throw ValueFailure.unknownRawValue(Output.self)
    }
    return value
  }

  /// Returns the raw values of an enum, or of an optional one, that lists its cases, in order; nil for every other
  /// type.
  static func cases(of type: Any.Type) -> [String]? {
    if let optional = type as? any AnyOptional.Type { return cases(of: optional.wrappedType) }
    func list<Listed: CaseIterable & RawRepresentable>(_ type: Listed.Type) -> [String] {
      type.allCases.map { "\($0.rawValue)" }.sorted()
    }
    guard isRawValue(type) else { return nil }
    return (type as? any (CaseIterable & RawRepresentable).Type).map { list($0) }
  }
}

extension RawValueCoding {
  /// Returns whether values of the type, or of an optional of it, are stored as their raw values.
  static func isRawValue(_ type: Any.Type) -> Bool {
    if let optional = type as? any AnyOptional.Type { return isRawValue(optional.wrappedType) }
    return type is any RawRepresentable.Type && !(type is any StoredValue.Type)
  }
}

/// An optional, for code that only has its type.
protocol AnyOptional {
  static var wrappedType: Any.Type { get }
}

extension Optional: AnyOptional {
  static var wrappedType: Any.Type { Wrapped.self }
}

extension ValueFailure {
  @usableFromInline
  static func unknownRawValue(_ type: Any.Type) -> ValueFailure {
    ValueFailure(
      problem: "holds a raw value that \(type) has no case for",
      remedy: "add the case, or replace the stored raw value with a migration")
  }
}
