internal import Foundation

/// A type that is created from a keyed value without its `init(from:)`: plain values, and containers whose elements may
/// be objects of mapped classes.
protocol KeyedDecodable {
  static func make(from value: KeyedValue, at path: KeyedPath) throws -> Self
}

extension FixedWidthInteger where Self: KeyedDecodable {
  static func make(from value: KeyedValue, at path: KeyedPath) throws -> Self {
    try value.integer(Self.self, at: path)
  }
}

extension Int: KeyedDecodable {}
extension Int8: KeyedDecodable {}
extension Int16: KeyedDecodable {}
extension Int32: KeyedDecodable {}
extension Int64: KeyedDecodable {}
extension UInt: KeyedDecodable {}
extension UInt8: KeyedDecodable {}
extension UInt16: KeyedDecodable {}
extension UInt32: KeyedDecodable {}
extension UInt64: KeyedDecodable {}

extension Double: KeyedDecodable {
  static func make(from value: KeyedValue, at path: KeyedPath) throws -> Double { try value.real(at: path) }
}

extension Float: KeyedDecodable {
  static func make(from value: KeyedValue, at path: KeyedPath) throws -> Float {
    guard let number = Float(keeping: try value.real(at: path)) else { throw KeyedValue.mismatch(Self.self, at: path) }
    return number
  }
}

extension Decimal: KeyedDecodable {
  static func make(from value: KeyedValue, at path: KeyedPath) throws -> Decimal {
    switch value {
    case .decimal(let number): return number
    case .plain(.integer(let number)): return Decimal(number)
    case .plain(.unsigned(let number)): return Decimal(number)
    default: return Decimal(try value.real(at: path))
    }
  }
}

extension TimeZone: KeyedDecodable {
  static func make(from value: KeyedValue, at path: KeyedPath) throws -> TimeZone {
    guard case .plain(.string(let name)) = value, let zone = TimeZone(identifier: name) else {
      throw KeyedValue.mismatch(Self.self, at: path)
    }
    return zone
  }
}

extension Bool: KeyedDecodable {
  static func make(from value: KeyedValue, at path: KeyedPath) throws -> Bool {
    if case .plain(.bool(let flag)) = value { return flag }
    switch try? value.integer(Int.self, at: path) {
    case 0: return false
    case 1: return true
    default: throw KeyedValue.mismatch(Self.self, at: path)
    }
  }
}

extension String: KeyedDecodable {
  static func make(from value: KeyedValue, at path: KeyedPath) throws -> String {
    switch value {
    case .plain(.string(let text)): return text
    case .url(let url): return url.absoluteString
    case .emptyURL: return ""
    default: throw KeyedValue.mismatch(Self.self, at: path)
    }
  }
}

extension Data: KeyedDecodable {
  static func make(from value: KeyedValue, at path: KeyedPath) throws -> Data {
    guard case .plain(.data(let data)) = value else { throw KeyedValue.mismatch(Self.self, at: path) }
    return data
  }
}

extension Date: KeyedDecodable {
  static func make(from value: KeyedValue, at path: KeyedPath) throws -> Date {
    guard case .plain(.date(let date)) = value else { throw KeyedValue.mismatch(Self.self, at: path) }
    return date
  }
}

extension URL: KeyedDecodable {
  static func make(from value: KeyedValue, at path: KeyedPath) throws -> URL {
    if case .url(let url) = value { return url }
    guard case .plain(.string(let text)) = value, let url = URL(string: text) else {
      throw KeyedValue.mismatch(Self.self, at: path)
    }
    return url
  }
}

extension UUID: KeyedDecodable {
  static func make(from value: KeyedValue, at path: KeyedPath) throws -> UUID {
    guard case .plain(.string(let text)) = value, let identifier = UUID(uuidString: text) else {
      throw KeyedValue.mismatch(Self.self, at: path)
    }
    return identifier
  }
}

extension Array: KeyedDecodable {
  static func make(from value: KeyedValue, at path: KeyedPath) throws -> [Element] {
    guard let elements = value.elements else { throw KeyedValue.mismatch(Self.self, at: path) }
    try path.context.spend(elements.count)
    return try elements.enumerated().map { index, element in
      try element.decode(Element.self, at: path + PlainKey(index))
    }
  }
}

extension Set: KeyedDecodable {
  static func make(from value: KeyedValue, at path: KeyedPath) throws -> Set<Element> {
    Set(try [Element].make(from: value, at: path))
  }
}

extension Optional: KeyedDecodable {
  static func make(from value: KeyedValue, at path: KeyedPath) throws -> Wrapped? {
    if case .emptyURL = value, Wrapped.self == URL.self { return nil }
    return value.isNull ? nil : try value.decode(Wrapped.self, at: path)
  }
}

extension Dictionary: KeyedDecodable {
  static func make(from value: KeyedValue, at path: KeyedPath) throws -> [Key: Value] {
    guard let pairs = value.pairs else { throw KeyedValue.mismatch(Self.self, at: path) }
    try path.context.spend(pairs.count)
    var entries: [Key: Value] = [:]
    for pair in pairs {
      let step = path + PlainKey(pair.key.keyText ?? "?")
      entries[try pair.key.decode(Key.self, at: step)] = try pair.value.decode(Value.self, at: step)
    }
    return entries
  }
}
