public import Foundation

/// A type whose values a document can hold: the standard types, and arrays, dictionaries and optionals of them.
///
/// If a document can hold every value of the type, `Failure` is `Never`, and no `try` is needed.
public protocol DocumentValueConvertible {
  /// The error that is thrown for a value that a document can't hold.
  associatedtype Failure: Error = Never

  /// The value as a document stores it.
  ///
  /// - Throws: `Failure` if a document can't hold the value.
  var documentValue: DocumentValue { get throws(Failure) }
}

extension DocumentValue: DocumentValueConvertible {
  public var documentValue: DocumentValue { self }

  /// Creates a document value from a convertible value: `DocumentValue(person.age)`.
  ///
  /// - Parameter value: The value to convert.
  /// - Throws: ``StoreError`` `.invalidValue` for a value that a document can't hold: an integer above `Int64.max`, a
  ///   date outside the years 0 to 9999, a decimal that isn't a number.
  public init<Content: DocumentValueConvertible>(_ value: Content) throws(Content.Failure) {
    self = try value.documentValue
  }
}

extension Bool: DocumentValueConvertible {
  public var documentValue: DocumentValue { .bool(self) }
}

// MARK: Numbers

extension Int: DocumentValueConvertible {
  public var documentValue: DocumentValue { .integer(Int64(self)) }
}

extension Int8: DocumentValueConvertible {
  public var documentValue: DocumentValue { .integer(Int64(self)) }
}

extension Int16: DocumentValueConvertible {
  public var documentValue: DocumentValue { .integer(Int64(self)) }
}

extension Int32: DocumentValueConvertible {
  public var documentValue: DocumentValue { .integer(Int64(self)) }
}

extension Int64: DocumentValueConvertible {
  public var documentValue: DocumentValue { .integer(self) }
}

extension UInt8: DocumentValueConvertible {
  public var documentValue: DocumentValue { .integer(Int64(self)) }
}

extension UInt16: DocumentValueConvertible {
  public var documentValue: DocumentValue { .integer(Int64(self)) }
}

extension UInt32: DocumentValueConvertible {
  public var documentValue: DocumentValue { .integer(Int64(self)) }
}

extension UInt64: DocumentValueConvertible {
  public typealias Failure = StoreError

  /// The integer, up to `Int64.max`.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` above `Int64.max`.
  public var documentValue: DocumentValue {
    get throws(StoreError) {
      guard let integer = Int64(exactly: self) else {
        throw StoreError(.invalidValue, "An integer is beyond the 64-bit signed integers. Store it as text.")
      }
      return .integer(integer)
    }
  }
}

extension UInt: DocumentValueConvertible {
  public typealias Failure = StoreError

  /// The integer, up to `Int64.max`.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` above `Int64.max`.
  public var documentValue: DocumentValue {
    get throws(StoreError) { try UInt64(self).documentValue }
  }
}

extension Double: DocumentValueConvertible {
  public var documentValue: DocumentValue { .real(self) }
}

extension Float: DocumentValueConvertible {
  /// The number with the shortest digits that read back as the same `Float`: 0.1 stays 0.1.
  public var documentValue: DocumentValue { .real(Double("\(self)") ?? Double(self)) }
}

extension Decimal: DocumentValueConvertible {
  public typealias Failure = StoreError

  /// The exact number as text. Conditions compare it by size with texts and numbers.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` for NaN.
  public var documentValue: DocumentValue {
    get throws(StoreError) {
      guard !isNaN else { throw StoreError(.invalidValue, "A Decimal is not a number. Store a number or null.") }
      return .text(canonicalText)
    }
  }
}

// MARK: Texts

extension String: DocumentValueConvertible {
  public var documentValue: DocumentValue { .text(self) }
}

extension Substring: DocumentValueConvertible {
  public var documentValue: DocumentValue { .text(String(self)) }
}

extension UUID: DocumentValueConvertible {
  public var documentValue: DocumentValue { .text(uuidString) }
}

extension URL: DocumentValueConvertible {
  public var documentValue: DocumentValue { .text(absoluteString) }
}

extension Data: DocumentValueConvertible {
  /// The bytes as base64 text.
  public var documentValue: DocumentValue { .text(base64EncodedString()) }
}

extension Date: DocumentValueConvertible {
  public typealias Failure = StoreError

  /// The date as text of fixed width, to the nanosecond, whose text order is chronological:
  /// `2026-11-21T08:15:00.000000000Z`.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` outside the years 0 to 9999, which this format can't represent in order.
  public var documentValue: DocumentValue {
    get throws(StoreError) {
      guard let text = DocumentDate.text(self) else {
        throw StoreError(
          .invalidValue,
          "A date is outside the years 0 to 9999, and no text for it is in order. Store timeIntervalSinceReferenceDate as a number."
        )
      }
      return .text(text)
    }
  }
}

// MARK: Collections

extension Document: DocumentValueConvertible {
  public var documentValue: DocumentValue { .object(self) }
}

extension Array: DocumentValueConvertible where Element: DocumentValueConvertible {
  public typealias Failure = Element.Failure

  public var documentValue: DocumentValue {
    get throws(Element.Failure) {
      .array(try map { element throws(Element.Failure) in try element.documentValue })
    }
  }
}

extension Dictionary: DocumentValueConvertible where Key == String, Value: DocumentValueConvertible {
  public typealias Failure = Value.Failure

  /// The object with the values by name, sorted by name.
  ///
  /// - Throws: The error of the first value that a document can't hold.
  public var documentValue: DocumentValue {
    get throws(Value.Failure) {
      var document = Document()
      for (name, value) in self.sorted(by: { $0.key < $1.key }) { document[name] = try value.documentValue }
      return .object(document)
    }
  }
}

extension Optional: DocumentValueConvertible where Wrapped: DocumentValueConvertible {
  public typealias Failure = Wrapped.Failure

  public var documentValue: DocumentValue {
    get throws(Wrapped.Failure) {
      guard let self else { return .null }
      return try self.documentValue
    }
  }
}
