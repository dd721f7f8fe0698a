import Foundation

/// Converts the values of a property to stored values and back where there is no generated code: in conditions, sorts
/// and aggregates.
@usableFromInline
struct ColumnCoding<Output>: Sendable {
  let type: ColumnType
  let encode: @Sendable (Output) throws -> Value
  let decode: @Sendable (Value) throws -> Output
  /// The JSON of a value with unordered parts; nil for every other value.
  var unordered: (@Sendable (Output) throws -> UnorderedJSON?)?
  /// Reads a value of the type from a row without a ``Value`` in between, if the type can be.
  var read: (@Sendable (StoredColumn) throws -> Output)?

  /// Returns the coding with another way to read a value, which is specialized for its type.
  func reading(_ read: @escaping @Sendable (StoredColumn) throws -> Output) -> ColumnCoding {
    var coding = self
    coding.read = read
    return coding
  }
}

extension ColumnCoding where Output: StoredValue {
  @usableFromInline
  static var stored: ColumnCoding {
    ColumnCoding(
      type: ColumnType(
        storageClass: Output.storageClass, isOptional: Output.isOptional, order: Output.order,
        textForm: Output.self is Date.Type || Output.self is Date?.Type
          ? .date : Output.self is UUID.Type || Output.self is UUID?.Type ? .uuid : nil,
        isJSON: Output.self is Attachment.Type || Output.self is Attachment?.Type,
        integerRange: (Output.self as? any NarrowInteger.Type)?.integerRange,
        numberForm: Output.self is Bool.Type || Output.self is Bool?.Type
          ? .boolean : Output.self is Float.Type || Output.self is Float?.Type ? .single : nil),
      encode: { try $0.storedValue() },
      decode: { try Output(storedValue: $0) },
      read: { try Output(from: $0) })
  }
}

extension ColumnCoding where Output: RawRepresentable & Sendable, Output.RawValue: StoredValue {
  static var rawValue: ColumnCoding {
    ColumnCoding(
      type: ColumnCoding<Output.RawValue>.stored.type,
      encode: { try $0.rawValue.storedValue() },
      decode: { try RawValueCoding.decode($0) })
  }
}

extension ColumnCoding {
  static func optionalRawValue<Wrapped: RawRepresentable & Sendable>() -> ColumnCoding
  where Output == Wrapped?, Wrapped.RawValue: StoredValue {
    ColumnCoding(
      type: ColumnCoding<Wrapped.RawValue?>.stored.type,
      encode: { try $0?.rawValue.storedValue() ?? .null },
      decode: { $0.isNull ? nil : try RawValueCoding.decode($0) })
  }
}

extension ColumnCoding where Output: Codable & Sendable {
  static var json: ColumnCoding {
    ColumnCoding(
      type: ColumnType(storageClass: .text, isOptional: Output.self is any OptionalValue.Type, isJSON: true),
      encode: { try JSONCoding.encode($0) },
      decode: { try JSONCoding.decode($0) },
      unordered: { try JSONCoding.unordered($0) })
  }
}

extension ColumnCoding where Output == Date {
  static func text(_ format: DateFormat) -> ColumnCoding {
    ColumnCoding(
      type: ColumnType(storageClass: .text, order: .instant),
      encode: { try format.encode($0) },
      decode: { try Date(storedValue: $0) })
  }
}

extension ColumnCoding where Output == Date? {
  static func text(_ format: DateFormat) -> ColumnCoding {
    ColumnCoding(
      type: ColumnType(storageClass: .text, isOptional: true, order: .instant),
      encode: { try $0.map(format.encode) ?? .null },
      decode: { try Date?(storedValue: $0) })
  }
}

/// An integer type with a narrower range than 64-bit signed integers, or an optional of one.
private protocol NarrowInteger {
  static var integerRange: ClosedRange<Int64>? { get }
}

extension NarrowInteger where Self: FixedWidthInteger {
  static var integerRange: ClosedRange<Int64>? { Int64(clamping: Self.min)...Int64(clamping: Self.max) }
}

extension Int8: NarrowInteger {}
extension Int16: NarrowInteger {}
extension Int32: NarrowInteger {}
extension UInt8: NarrowInteger {}
extension UInt16: NarrowInteger {}
extension UInt32: NarrowInteger {}
extension UInt: NarrowInteger {}
extension UInt64: NarrowInteger {}

extension Optional: NarrowInteger where Wrapped: NarrowInteger {
  static var integerRange: ClosedRange<Int64>? { Wrapped.integerRange }
}
