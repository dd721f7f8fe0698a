/// Stores enums and structs with a raw value as that raw value.
@usableFromInline
enum RawValueCoding {
  @inlinable
  static func decode<Output: RawRepresentable>(_ column: StoredColumn) throws -> Output where Output.RawValue: StoredValue {
    guard let value = Output(rawValue: try Output.RawValue(from: column)) else { throw ValueFailure.unknownRawValue(Output.self) }
    return value
  }

  static func decode<Output: RawRepresentable>(_ value: Value) throws -> Output where Output.RawValue: StoredValue {
    guard let value = Output(rawValue: try Output.RawValue(storedValue: value)) else { throw ValueFailure.unknownRawValue(Output.self) }
    return value
  }
}

extension ValueFailure {
  @usableFromInline
  static func unknownRawValue(_ type: Any.Type) -> ValueFailure {
    ValueFailure(
      problem: "holds a raw value that \(type) has no case for",
      remedy: "add the case, or replace the stored raw value with a migration")
  }
}
