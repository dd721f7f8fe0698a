import Foundation
import Larder

/// A field of CSV. One without quotes and without text is nil; `""` is the empty text.
struct CSVField: Equatable {
  var text: String
  var isQuoted: Bool
}

extension ColumnCoding {
  /// Returns a stored value as a field, of which ``value(csv:)`` makes the same value.
  func csv(_ value: Value) -> CSVField {
    if value.isNull { return CSVField(text: "", isQuoted: false) }
    switch form {
    case .date: return CSVField(text: Self.date(value) ?? "", isQuoted: false)
    case .property(let property) where fits(value):
      if case .real(let real) = value, !real.isFinite { return CSVField(text: "\(real)", isQuoted: false) }
      let text = property.text(of: value) ?? ""
      // Empty texts and empty bytes aren't nil.
      return CSVField(text: text, isQuoted: text.isEmpty)
    case .json: return CSVField(text: value.text ?? "", isQuoted: false)
    default:
      switch value {
      case .text(let text): return CSVField(text: text, isQuoted: true)
      case .blob(let data): return CSVField(text: Self.literal(data), isQuoted: false)
      default: return CSVField(text: value.description, isQuoted: false)
      }
    }
  }

  /// Returns the stored value of a field.
  ///
  /// - Throws: `StoreError` for a text that is no value of the column's type.
  func value(csv field: CSVField) throws -> Value {
    if field.text.isEmpty, !field.isQuoted { return .null }
    switch form {
    case .date: return try Self.value(date: field.text)
    case .json: return .text(field.text)
    case .any: return field.isQuoted ? .text(field.text) : Self.plain(field.text)
    case .property(let property):
      switch property.type {
      case .float, .double:
        if let real = Self.infinities[field.text] { return .real(real) }
      default: break
      }
      return try property.value(parsing: field.text)
    }
  }

  private static let infinities = ["inf": Double.infinity, "-inf": -Double.infinity]

  /// Returns the value of text without quotes: a number, bytes as SQL writes them, or the text.
  private static func plain(_ text: String) -> Value {
    if let integer = Int64(text), String(integer) == text { return .integer(integer) }
    if let real = infinities[text] { return .real(real) }
    if text.utf8.first.map({ UInt8(ascii: "+")...UInt8(ascii: "9") ~= $0 }) == true, let real = Double(text),
      real.isFinite, !text.hasPrefix("0") || text.hasPrefix("0.")
    {
      return .real(real)
    }
    return bytes(literal: text).map { .blob($0) } ?? .text(text)
  }

  private static func literal(_ data: Data) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = [UInt8(ascii: "X"), UInt8(ascii: "'")]
    text.reserveCapacity(data.count * 2 + 3)
    for byte in data { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
    return String(decoding: text + [UInt8(ascii: "'")], as: UTF8.self)
  }

  private static func bytes(literal text: String) -> Data? {
    let utf8 = Array(text.utf8)
    guard utf8.count >= 3, utf8.count % 2 == 1, utf8[0] == UInt8(ascii: "X"), utf8[1] == UInt8(ascii: "'"),
      utf8.last == UInt8(ascii: "'")
    else { return nil }
    var data = Data(capacity: utf8.count / 2 - 1)
    for position in stride(from: 2, to: utf8.count - 1, by: 2) {
      guard let high = Character(Unicode.Scalar(utf8[position])).hexDigitValue,
        let low = Character(Unicode.Scalar(utf8[position + 1])).hexDigitValue
      else { return nil }
      data.append(UInt8(high << 4 | low))
    }
    return data
  }
}
