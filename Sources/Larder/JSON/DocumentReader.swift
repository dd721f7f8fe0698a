import Foundation

/// Parses JSON text into values, strictly by RFC 8259. Errors include the position.
struct DocumentReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  /// Whether to reject what values can't represent: numbers that would be rounded, and objects with duplicate names. In
  /// JSON that is already stored, the nearest number and the last of duplicate names are read.
  private let isExact: Bool

  private init(_ bytes: UnsafeBufferPointer<UInt8>, isExact: Bool) {
    self.bytes = bytes
    self.isExact = isExact
  }

  /// Parses the JSON as an object. Throws ``StoreError`` `.invalidValue` with line, column and offset.
  static func document(_ json: String) throws -> Document {
    var json = json
    return try json.withUTF8 { try document($0) }
  }

  /// Parses JSON of a collection as an object.
  static func storedDocument(_ json: String) throws -> Document {
    var json = json
    return try json.withUTF8 { try document($0, isExact: false) }
  }

  private static func document(_ json: UnsafeBufferPointer<UInt8>, isExact: Bool = true) throws -> Document {
    var reader = DocumentReader(json, isExact: isExact)
    reader.skipSpace()
    guard reader.peek == UInt8(ascii: "{") else { throw reader.failure("a document is an object and begins with {") }
    let document = try reader.object(depth: 1)
    reader.skipSpace()
    guard reader.position == json.count else { throw reader.failure("something follows the end of the object") }
    return document
  }

  /// Parses JSON of a collection as an object. Throws ``StoreError`` `.invalidValue` with the key if another program
  /// has damaged it.
  static func document(_ json: UnsafeBufferPointer<UInt8>, of key: String, in collection: String) throws -> Document {
    do {
      return try document(json, isExact: false)
    } catch let error as StoreError {
      throw StoreError(
        error.code, model: collection,
        "\(error.message) It is the document \"\(key)\" of \(collection), which Larder has not written: set it anew, or delete it."
      )
    }
  }

  /// Parses the JSON as a value of any kind. Throws ``StoreError`` `.invalidValue` with line, column and offset.
  static func value(_ json: String) throws -> DocumentValue {
    try value(json, isExact: true)
  }

  /// Parses a part of JSON of a collection.
  static func stored(_ json: String) throws -> DocumentValue {
    try value(json, isExact: false)
  }

  private static func value(_ json: String, isExact: Bool) throws -> DocumentValue {
    var json = json
    return try json.withUTF8 { bytes in
      var reader = DocumentReader(bytes, isExact: isExact)
      reader.skipSpace()
      let value = try reader.value(depth: 0)
      reader.skipSpace()
      guard reader.position == bytes.count else { throw reader.failure("something follows the end of the value") }
      return value
    }
  }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  @inline(__always)
  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
  }

  private mutating func value(depth: Int) throws -> DocumentValue {
    switch peek {
    case UInt8(ascii: "\""): return .text(try text())
    case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
    case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    case let byte? where byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte):
      return try number()
    case nil: throw failure("the text ends where a value is to come")
    default: throw failure("no value begins like this")
    }
  }

  private mutating func object(depth: Int) throws -> Document {
    try check(depth)
    position += 1
    var document = Document()
    skipSpace()
    if peek == UInt8(ascii: "}") {
      position += 1
      return document
    }
    while true {
      skipSpace()
      guard peek == UInt8(ascii: "\"") else { throw failure("the name of a property in double quotes is to come") }
      let start = position
      let name = try text()
      if isExact, document[name] != nil {
        position = start
        throw failure("the object has this name a second time")
      }
      skipSpace()
      guard peek == UInt8(ascii: ":") else { throw failure("a colon is to come") }
      position += 1
      skipSpace()
      document[name] = try value(depth: depth)
      skipSpace()
      switch peek {
      case UInt8(ascii: ","): position += 1
      case UInt8(ascii: "}"):
        position += 1
        return document
      default: throw failure("a comma or } is to come")
      }
    }
  }

  private mutating func array(depth: Int) throws -> [DocumentValue] {
    try check(depth)
    position += 1
    var values: [DocumentValue] = []
    skipSpace()
    if peek == UInt8(ascii: "]") {
      position += 1
      return values
    }
    while true {
      skipSpace()
      values.append(try value(depth: depth))
      skipSpace()
      switch peek {
      case UInt8(ascii: ","): position += 1
      case UInt8(ascii: "]"):
        position += 1
        return values
      default: throw failure("a comma or ] is to come")
      }
    }
  }

  private func check(_ depth: Int) throws {
    guard depth > DocumentWriter.depthLimit else { return }
    throw failure("more than \(DocumentWriter.depthLimit) arrays and objects are nested here")
  }

  private mutating func literal(_ word: StaticString, _ value: DocumentValue) throws -> DocumentValue {
    let start = position
    for offset in 0..<word.utf8CodeUnitCount {
      guard peek == word.utf8Start[offset] else {
        position = start
        throw failure("no value begins like this")
      }
      position += 1
    }
    return value
  }

  // MARK: Numbers

  private mutating func number() throws -> DocumentValue {
    let start = position
    let isNegative = peek == UInt8(ascii: "-")
    if isNegative { position += 1 }
    let first = position
    skipDigits()
    guard position > first else { throw failure("a digit is to come") }
    guard position == first + 1 || bytes[first] != UInt8(ascii: "0") else {
      position = first
      throw failure("a number begins with 0")
    }
    var isInteger = true
    if peek == UInt8(ascii: ".") {
      isInteger = false
      position += 1
      try requireDigits()
    }
    if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
      isInteger = false
      position += 1
      if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { position += 1 }
      try requireDigits()
    }
    if isInteger, let integer = integer(bytes[first..<position], isNegative) { return .integer(integer) }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard let real = Double(text), real.isFinite else {
      position = start
      throw failure("the number is too large")
    }
    guard !isExact || Self.isExact(real, text) else {
      position = start
      throw failure(
        "neither a 64-bit integer nor a double holds this number; as text, in quotation marks, it stays as it is")
    }
    return .real(real)
  }

  /// Returns whether the double represents the number in the text without rounding: written with as many digits, it is
  /// the same.
  ///
  /// Seventeen digits distinguish every double from its neighbors. Source: IEEE 754-2019, 5.12.2.
  static func isExact(_ real: Double, _ text: String) -> Bool {
    let number = DecimalDigits(text)
    guard number.digits.count > 15 || !(1e-290...1e290).contains(real.magnitude) else { return true }
    if number.digits.isEmpty { return real == 0 }
    guard number.digits.count <= 17 else { return false }
    return DecimalDigits(String(format: "%.\(number.digits.count - 1)e", real)) == number
  }

  private func integer(_ digits: Slice<UnsafeBufferPointer<UInt8>>, _ isNegative: Bool) -> Int64? {
    var integer: Int64 = 0
    for byte in digits {
      let (product, isProductOver) = integer.multipliedReportingOverflow(by: 10)
      let digit = Int64(byte - UInt8(ascii: "0"))
      let (sum, isSumOver) =
        isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
      if isProductOver || isSumOver { return nil }
      integer = sum
    }
    return integer
  }

  private mutating func skipDigits() {
    while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
  }

  private mutating func requireDigits() throws {
    let start = position
    skipDigits()
    guard position > start else { throw failure("a digit is to come") }
  }

  // MARK: Text

  private mutating func text() throws -> String {
    position += 1
    let start = position
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return try exactText(UnsafeBufferPointer(rebasing: bytes[start..<(position - 1)]))
      case UInt8(ascii: "\\"): return try escapedText(from: start)
      case 0..<0x20: throw failure("a control character must be written as an escape")
      default: position += 1
      }
    }
    throw failure("the text ends inside of a string")
  }

  /// Another program can have written bytes that are no UTF-8. Repaired, they would be lost with the next save.
  private func exactText(_ bytes: UnsafeBufferPointer<UInt8>) throws -> String {
    var text = String(decoding: bytes, as: UTF8.self)
    let isExact = text.withUTF8 { utf8 in
      guard utf8.count == bytes.count, let decoded = utf8.baseAddress, let stored = bytes.baseAddress else {
        return bytes.isEmpty
      }
      return memcmp(decoded, stored, bytes.count) == 0
    }
    guard isExact else { throw failure("a text is not valid UTF-8") }
    return text
  }

  private mutating func escapedText(from start: Int) throws -> String {
    var unescaped = Array(bytes[start..<position])
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return try unescaped.withUnsafeBufferPointer { try exactText($0) }
      case UInt8(ascii: "\\"): try escape(into: &unescaped)
      case 0..<0x20: throw failure("a control character must be written as an escape")
      default:
        unescaped.append(byte)
        position += 1
      }
    }
    throw failure("the text ends inside of a string")
  }

  private mutating func escape(into text: inout [UInt8]) throws {
    let start = position
    position += 1
    guard let byte = peek else { throw failure("the text ends inside of a string") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      let high = try codeUnit(start)
      guard (0xD800..<0xE000).contains(high) else { return append(high, to: &text) }
      guard high < 0xDC00, peek == UInt8(ascii: "\\"), position + 1 < bytes.count,
        bytes[position + 1] == UInt8(ascii: "u")
      else {
        position = start
        throw failure("half of a surrogate pair stands alone")
      }
      position += 2
      let low = try codeUnit(start)
      guard (0xDC00..<0xE000).contains(low) else {
        position = start
        throw failure("half of a surrogate pair stands alone")
      }
      append(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00), to: &text)
    default:
      position = start
      throw failure("there is no such escape")
    }
  }

  private mutating func codeUnit(_ start: Int) throws -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek, let digit = Character(UnicodeScalar(byte)).hexDigitValue else {
        position = start
        throw failure("four hexadecimal digits follow \\u")
      }
      unit = unit << 4 + UInt32(digit)
      position += 1
    }
    return unit
  }

  private func append(_ scalar: UInt32, to text: inout [UInt8]) {
    guard let scalar = UnicodeScalar(scalar) else { return }
    text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.CodeUnits())
  }

  // MARK: Errors

  private func failure(_ problem: String) -> StoreError {
    let read = bytes[..<min(position, bytes.count)]
    let line = read.count { $0 == 0x0A } + 1
    let start = read.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let column = String(decoding: read[start...], as: UTF8.self).count + 1
    return StoreError(
      .invalidValue,
      "The JSON cannot be read at line \(line), column \(column) (offset \(position)): \(problem). Correct it there.")
  }
}

extension UTF8 {
  fileprivate typealias CodeUnits = UTF8.EncodedScalar
}
