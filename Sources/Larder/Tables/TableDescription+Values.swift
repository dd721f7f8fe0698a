import Foundation

/// Values of a property, as people and files write them.
extension TableDescription.Property {
  /// Returns a stored value as text: a date in ISO 8601, a UUID in its usual form, `true` or `false`, bytes in Base64.
  ///
  /// - Parameter value: A value of the property, as a ``Row`` has it.
  /// - Returns: The text, of which ``value(parsing:)`` makes the same value; nil for no value. A value that doesn't fit
  ///   the property's type is written as it is.
  public func text(of value: Value) -> String? {
    switch (type, value) {
    case (_, .null): nil
    case (.bool, .integer(let integer)) where integer == 0 || integer == 1: integer == 1 ? "true" : "false"
    case (.date, .real(let seconds)):
      ISO8601.text(from: Date(timeIntervalSinceReferenceDate: seconds)) ?? "\(seconds)"
    case (.uuid, .blob(let data)):
      (try? UUID(storedValue: value))?.uuidString ?? data.base64EncodedString()
    case (_, .integer(let integer)): String(integer)
    case (_, .real(let real)): type == .any ? "\(real)" : real.wholeText ?? "\(real)"
    case (_, .text(let text)): text
    case (_, .blob(let data)): data.base64EncodedString()
    }
  }

  /// Returns a stored value as JSON: numbers and truth values as such, JSON as it is, everything else as text.
  ///
  /// - Parameter value: A value of the property, as a ``Row`` has it.
  /// - Returns: The JSON. Decimal numbers, and integers that a `Double` can't hold, are texts, because most programs
  ///   would round them.
  public func json(of value: Value) -> DocumentValue {
    switch (type, value) {
    case (_, .null): return .null
    case (.bool, .integer(let integer)) where integer == 0 || integer == 1: return .bool(integer == 1)
    case (.date, .real), (.decimal, _): return text(of: value).map { .text($0) } ?? .null
    case (_, .integer(let integer)):
      return integer.magnitude <= 1 << 53 ? .integer(integer) : .text(String(integer))
    case (_, .real(let real)): return real.isFinite ? .real(real) : .text("\(real)")
    case (.json, .text(let text)):
      return (try? DocumentValue(json: text)) ?? .text(text)
    default: return text(of: value).map { .text($0) } ?? .null
    }
  }

  /// Returns the stored value of a text that a person wrote or a file has.
  ///
  /// - Parameter text: A number, `true` or `false`, a date in ISO 8601, a UUID, JSON, Base64, or the text itself,
  ///   depending on the type.
  /// - Returns: The value.
  /// - Throws: ``StoreError`` `.invalidValue` for a text that is no value of the type.
  public func value(parsing text: String) throws -> Value {
    switch type {
    case .data:
      guard let data = Data(base64Encoded: text) else { throw failure("bytes in Base64") }
      return .blob(data)
    case .any:
      if let integer = Int64(text) { return .integer(integer) }
      if let real = Double(text), real.isFinite { return .real(real) }
      return .text(text)
    case .double, .float:
      // How Swift writes an infinity is no number to SQLite.
      if let real = Double(text), real.isInfinite, text.lowercased().contains("inf") { return try stored(.real(real)) }
      return try stored(.text(text))
    default: return try stored(.text(text))
    }
  }

  /// Returns the value in the form in which the property is stored.
  ///
  /// - Parameter value: A value of any form that can be read as the property's type: a date may be a number or a text,
  ///   for example.
  /// - Returns: The stored value.
  /// - Throws: ``StoreError`` `.invalidValue` for a value that is none of the type, or null where one is required.
  public func stored(_ value: Value) throws -> Value {
    if value.isNull {
      guard isOptional else {
        throw StoreError(
          .invalidValue, property: name, "\(name) must have a value: it is a required \(swiftType). Give it one.")
      }
      return .null
    }
    do {
      return try listed(try converted(value))
    } catch let failure as ValueFailure {
      throw StoreError(failure, model: nil, property: name)
    }
  }

  private func converted(_ value: Value) throws -> Value {
    switch type {
    case .bool: return try Bool(storedValue: value).storedValue()
    case .integer:
      let integer = try Int64(storedValue: value)
      if let range = columnType.integerRange, !range.contains(integer) {
        throw ValueFailure(
          problem: "can only hold integers from \(range.lowerBound) to \(range.upperBound)", remedy: "give another one")
      }
      return .integer(integer)
    case .float: return try Float(storedValue: value).storedValue()
    case .double: return try Double(storedValue: value).storedValue()
    case .decimal: return try Decimal(storedValue: value).storedValue()
    case .date:
      let date = try Date(storedValue: value)
      return columnType.order == .instant ? try DateFormat.iso8601.encode(date) : try date.storedValue()
    case .uuid: return try UUID(storedValue: value).storedValue()
    case .text:
      guard case .text = value else { throw ValueFailure.unexpected(value, expected: "a text") }
      return value
    case .data:
      guard case .blob = value else { throw ValueFailure.unexpected(value, expected: "bytes") }
      return value
    case .json:
      guard case .text(let text) = value else { throw ValueFailure.unexpected(value, expected: "JSON") }
      guard let json = JSONScanner.canonical(text) else { throw failure("JSON, such as [1, 2] or {\"a\": true}") }
      return .text(json)
    case .any: return value
    }
  }

  /// Refuses a value that isn't one of the cases.
  private func listed(_ value: Value) throws -> Value {
    guard let cases, let text = text(of: value), !cases.contains(text) else { return value }
    // A raw value that is a whole number has a point among the cases.
    if case .real(let real) = value, cases.contains("\(real)") { return value }
    throw ValueFailure(problem: "has no such case", remedy: "use one of \(cases.joined(separator: ", "))")
  }

  private func failure(_ expected: String) -> StoreError {
    StoreError(.invalidValue, property: name, "\(name) is a \(swiftType), and the text isn't \(expected).")
  }
}

extension Double {
  /// The text of a whole number without the point; nil for all others, and for those that don't fit.
  fileprivate var wholeText: String? { Int64(exactly: self).map(String.init).flatMap { self == 0 ? nil : $0 } }
}

extension JSONScanner {
  /// Returns whether a text is JSON.
  static func isValid(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      var scanner = JSONScanner(bytes)
      return (try? scanner.whole()) != nil
    }
  }

  /// Returns JSON without space and with sorted keys, as Larder stores it; nil for a text that is no JSON.
  static func canonical(_ text: String) -> String? {
    var text = text
    return text.withUTF8 { bytes in
      var scanner = JSONScanner(bytes)
      guard let range = try? scanner.whole(), let sorted = try? JSONScanner(bytes).sorted(range) else { return nil }
      return String(decoding: sorted, as: UTF8.self)
    }
  }

  private func sorted(_ range: Range<Int>) throws -> [UInt8] {
    var parts = JSONScanner(bytes, range)
    let whole = parts
    switch parts.peek {
    case UInt8(ascii: "{"):
      var members: [(key: [UInt8], text: [UInt8])] = []
      try parts.members { key, value in
        let text = whole.minified(key ?? 0..<0) + [UInt8(ascii: ":")] + (try whole.sorted(value))
        members.append((key.map { whole.text($0) } ?? [], text))
      }
      members.sort { $0.key.lexicographicallyPrecedes($1.key) }
      return [UInt8(ascii: "{")] + members.map(\.text).joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "}")]
    case UInt8(ascii: "["):
      var elements: [[UInt8]] = []
      try parts.members { elements.append(try whole.sorted($1)) }
      return [UInt8(ascii: "[")] + elements.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
    default: return minified(range)
    }
  }
}
