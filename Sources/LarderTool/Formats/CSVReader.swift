import Foundation

/// Reads the records of CSV as RFC 4180 has them, with any line ends. Quotes around a field are kept in mind: `""` is the
/// empty text, and a field without anything is nil.
struct CSVReader {
  private(set) var input: InputBytes
  private var bytes: [UInt8] = []
  /// Why the record can't be taken, although the next one can.
  private var failure: RowFailure?

  /// No field and no record is longer.
  private static let limit = 1 << 30

  init(_ input: InputBytes) { self.input = input }

  /// Returns the fields of the next record; nil at the end.
  ///
  /// - Throws: ``LineFailure`` for a quote that isn't closed, or has something behind it; ``RowFailure`` for a record with
  ///   a text that isn't UTF-8, after which the next one can be read.
  mutating func next() throws -> (line: Int, fields: [CSVField])? {
    // Empty lines between records, and after the last, are no records of one nil.
    while let byte = try input.peek(), byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { _ = try input.next() }
    guard try input.peek() != nil else { return nil }
    let line = input.line
    var fields: [CSVField] = []
    failure = nil
    while true {
      fields.append(try field())
      switch try input.next() {
      case UInt8(ascii: ","): continue
      case UInt8(ascii: "\r"): if try input.peek() == UInt8(ascii: "\n") { _ = try input.next() }
      default: break
      }
      if let failure { throw failure }
      return (line, fields)
    }
  }

  private mutating func field() throws -> CSVField {
    bytes.removeAll(keepingCapacity: true)
    let isQuoted = try input.peek() == UInt8(ascii: "\"")
    if isQuoted {
      try quoted()
      if let byte = try input.peek(), byte != UInt8(ascii: ","), byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r")
      {
        throw LineFailure(line: input.line, "A closed quote has something behind it. Double each quote within a field.")
      }
    } else {
      while let byte = try input.peek(), byte != UInt8(ascii: ","), byte != UInt8(ascii: "\n"),
        byte != UInt8(ascii: "\r")
      {
        bytes.append(byte)
        _ = try input.next()
        try checkLength()
      }
    }
    if let text = String(validating: bytes, as: UTF8.self) { return CSVField(text: text, isQuoted: isQuoted) }
    failure = failure ?? RowFailure(line: input.line, "A field isn't UTF-8. Convert the file to UTF-8.")
    return CSVField(text: "", isQuoted: isQuoted)
  }

  private mutating func quoted() throws {
    let start = input.line
    _ = try input.next()
    while let byte = try input.next() {
      if byte == UInt8(ascii: "\"") {
        guard try input.peek() == UInt8(ascii: "\"") else { return }
        _ = try input.next()
      }
      bytes.append(byte)
      try checkLength()
    }
    throw LineFailure(line: start, "A quote isn't closed before the end of the file.")
  }

  private func checkLength() throws {
    if bytes.count > Self.limit { throw LineFailure(line: input.line, "A field is longer than a gigabyte.") }
  }
}

/// What is wrong in a line of the input.
struct LineFailure: Error {
  let line: Int
  let message: String

  init(line: Int, _ message: String) {
    self.line = line
    self.message = message
  }
}
