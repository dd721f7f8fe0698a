internal import Foundation

/// A type with its own form in property lists.
protocol PropertyListScalar {
  func add(to writer: PropertyListWriter) -> Int
  /// Returns the value of an object; nil for an object of another kind, and for a number out of range.
  static func make(from object: BinaryPropertyList.Object, in list: BinaryPropertyList) throws -> Self?
}

extension PropertyListScalar where Self: FixedWidthInteger {
  func add(to writer: PropertyListWriter) -> Int { writer.add(self) }

  static func make(from object: BinaryPropertyList.Object, in list: BinaryPropertyList) -> Self? {
    switch object {
    case .integer(let number): Self(exactly: number)
    case .unsigned(let number): Self(exactly: number)
    default: nil
    }
  }
}

extension Int: PropertyListScalar {}
extension Int8: PropertyListScalar {}
extension Int16: PropertyListScalar {}
extension Int32: PropertyListScalar {}
extension Int64: PropertyListScalar {}
extension UInt: PropertyListScalar {}
extension UInt8: PropertyListScalar {}
extension UInt16: PropertyListScalar {}
extension UInt32: PropertyListScalar {}
extension UInt64: PropertyListScalar {}

extension Bool: PropertyListScalar {
  func add(to writer: PropertyListWriter) -> Int { writer.add(self) }

  static func make(from object: BinaryPropertyList.Object, in list: BinaryPropertyList) -> Bool? {
    if case .bool(let flag) = object { flag } else { nil }
  }
}

extension Double: PropertyListScalar {
  func add(to writer: PropertyListWriter) -> Int { writer.add(self) }

  /// Also integers, which migrations write without a point.
  static func make(from object: BinaryPropertyList.Object, in list: BinaryPropertyList) -> Double? {
    switch object {
    case .real(let number): number
    case .integer(let number): Double(number)
    case .unsigned(let number): Double(number)
    default: nil
    }
  }
}

extension Float: PropertyListScalar {
  func add(to writer: PropertyListWriter) -> Int { writer.add(self) }

  static func make(from object: BinaryPropertyList.Object, in list: BinaryPropertyList) -> Float? {
    Double.make(from: object, in: list).flatMap { Float(keeping: $0) }
  }
}

extension String: PropertyListScalar {
  func add(to writer: PropertyListWriter) -> Int { writer.add(self) }

  static func make(from object: BinaryPropertyList.Object, in list: BinaryPropertyList) throws -> String? {
    switch object {
    case .ascii, .utf16: try list.text(object)
    default: nil
    }
  }
}

extension Date: PropertyListScalar {
  func add(to writer: PropertyListWriter) -> Int { writer.add(self) }

  static func make(from object: BinaryPropertyList.Object, in list: BinaryPropertyList) -> Date? {
    if case .date(let seconds) = object { Date(timeIntervalSinceReferenceDate: seconds) } else { nil }
  }
}

extension Data: PropertyListScalar {
  func add(to writer: PropertyListWriter) -> Int { writer.add(self) }

  static func make(from object: BinaryPropertyList.Object, in list: BinaryPropertyList) -> Data? {
    if case .data(let range) = object { Data(list.bytes[range]) } else { nil }
  }
}
