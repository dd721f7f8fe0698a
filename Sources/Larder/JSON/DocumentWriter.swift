/// Writes documents as JSON text.
///
/// Foundation's encoder can't distinguish `1` from `1.0`, and takes longer than the insert that follows.
struct DocumentWriter {
  private var bytes: [UInt8] = []
  /// The path of the current value, for the error message.
  private var path: [String] = []

  /// The largest depth of arrays and objects: reading them needs as many nested calls.
  static let depthLimit = 256

  /// Returns the JSON of the document. Throws ``StoreError`` `.invalidValue` with the property for a number that isn't
  /// finite and for a value that is nested too deeply.
  static func json(of document: Document) throws -> String {
    var writer = DocumentWriter()
    writer.bytes.reserveCapacity(256)
    try writer.write(document, depth: 1)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Returns the JSON of an array of values, for a list of parameters.
  static func json(of values: [DocumentValue]) throws -> String {
    var writer = DocumentWriter()
    try writer.write(.array(values), depth: 0)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Returns the JSON of any value.
  static func json(of value: DocumentValue) throws -> String {
    var writer = DocumentWriter()
    try writer.write(value, depth: 0)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Returns the text between the quotes of a JSON string.
  static func escaped(_ text: String) -> String {
    var writer = DocumentWriter()
    writer.write(text)
    return String(decoding: writer.bytes.dropFirst().dropLast(), as: UTF8.self)
  }

  private mutating func write(_ value: DocumentValue, depth: Int) throws {
    switch value {
    case .null: write("null" as StaticString)
    case .bool(let bool): write(bool ? "true" : "false" as StaticString)
    case .integer(let integer): write(integer)
    case .real(let real):
      guard real.isFinite else {
        throw failure(
          "is \(real.isNaN ? "not a number" : "infinite"), which JSON cannot say", "Store a finite number or null")
      }
      bytes.append(contentsOf: "\(real)".utf8)
    case .text(let text): write(text)
    case .array(let values):
      try check(depth)
      bytes.append(UInt8(ascii: "["))
      for (position, value) in values.enumerated() {
        if position > 0 { bytes.append(UInt8(ascii: ",")) }
        try write(value, depth: depth + 1)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let document): try write(document, depth: depth + 1)
    }
  }

  private mutating func write(_ document: Document, depth: Int) throws {
    try check(depth)
    bytes.append(UInt8(ascii: "{"))
    var isFirst = true
    for (name, value) in document {
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      write(name)
      bytes.append(UInt8(ascii: ":"))
      switch value {
      case .text(let text): write(text)
      case .integer(let integer): write(integer)
      default:
        path.append(name)
        try write(value, depth: depth)
        path.removeLast()
      }
    }
    bytes.append(UInt8(ascii: "}"))
  }

  private func check(_ depth: Int) throws {
    guard depth > Self.depthLimit else { return }
    throw failure(
      "nests more than \(Self.depthLimit) arrays and objects", "Keep the inner ones as documents of their own")
  }

  private func failure(_ problem: String, _ remedy: String) -> StoreError {
    let place = path.prefix(8).joined(separator: ".")
    return StoreError(
      .invalidValue, property: path.first,
      "\(place.isEmpty ? "The document" : "The property \(place)") \(problem). \(remedy).")
  }

  private mutating func write(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private mutating func write(_ integer: Int64) {
    if (0..<10).contains(integer) { return bytes.append(UInt8(ascii: "0") + UInt8(integer)) }
    bytes.append(contentsOf: String(integer).utf8)
  }

  private mutating func write(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { utf8 in
      var start = 0
      for position in utf8.indices where utf8[position] < 0x20 || utf8[position] == 0x22 || utf8[position] == 0x5C {
        bytes.append(contentsOf: utf8[start..<position])
        escape(utf8[position])
        start = position + 1
      }
      bytes.append(contentsOf: utf8[start...])
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x22, 0x5C: bytes.append(byte)
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    default:
      bytes.append(contentsOf: "u00".utf8)
      for digit in [byte >> 4, byte & 15] {
        bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
      }
    }
  }
}
