public import Foundation

extension Decimal: StoredValue {
  public static var storageClass: StorageClass { .text }
  public static var order: ValueOrder { .decimal }

  /// Reads canonical text, or a number that an existing column stores instead.
  public init(storedValue: Value) throws {
    switch storedValue {
    case .text(let text):
      guard let value = Decimal(canonical: text) else {
        throw ValueFailure.unexpected(storedValue, expected: "a decimal number")
      }
      self = value
    case .integer(let integer): self = Decimal(integer)
    case .real(let real):
      // The shortest decimal that reads back as the same double: 32.38, not 32.380000000000003.
      guard real.isFinite, let value = Decimal(canonical: "\(real)") else {
        throw ValueFailure.unexpected(storedValue, expected: "a decimal number")
      }
      self = value
    case .null, .blob: throw ValueFailure.unexpected(storedValue, expected: "a decimal number")
    }
  }

  /// Throws for NaN.
  public func storedValue() throws -> Value {
    if isNaN { throw ValueFailure.notANumber }
    return .text(canonicalText)
  }
}
