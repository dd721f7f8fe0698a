import Foundation
import Larder

/// Reads objects one after another: the lines of JSON Lines, or the elements of one JSON array. A value is in memory at
/// a time.
struct JSONReader {
  private(set) var input: InputBytes
  private let isArray: Bool
  private var state = State.before

  /// Where the reader is in an array.
  private enum State {
    case before, inside, after
  }

  /// No value is longer.
  private static let limit = 1 << 30

  /// - Parameter isArray: Whether the input is one array, rather than lines.
  init(_ input: InputBytes, isArray: Bool) {
    self.input = input
    self.isArray = isArray
  }

  /// Returns the text of the next value; nil at the end.
  ///
  /// - Throws: ``LineFailure`` for input that isn't an array of values; ``RowFailure`` for a value that isn't UTF-8, after
  ///   which the next one can be read.
  mutating func next() throws -> (line: Int, text: String)? {
    try isArray ? nextElement() : nextLine()
  }

  private mutating func nextLine() throws -> (line: Int, text: String)? {
    try skipSpace()
    guard try input.peek() != nil else { return nil }
    let line = input.line
    var bytes: [UInt8] = []
    while let byte = try input.next(), byte != UInt8(ascii: "\n") { try append(byte, to: &bytes) }
    return (line, try text(bytes, line))
  }

  private mutating func nextElement() throws -> (line: Int, text: String)? {
    try skipSpace()
    switch state {
    case .before:
      guard try input.next() == UInt8(ascii: "[") else {
        throw LineFailure(line: input.line, "The input isn't a JSON array. Use --format jsonl for one object per line.")
      }
      try skipSpace()
      state = .inside
      if try input.peek() == UInt8(ascii: "]") { return try end() }
    case .inside:
      switch try input.next() {
      case UInt8(ascii: ","): try skipSpace()
      case UInt8(ascii: "]"):
        state = .after
        return try checkEnd()
      default: throw LineFailure(line: input.line, "The array ends early, or lacks a comma between two values.")
      }
    case .after: return nil
    }
    let line = input.line
    return (line, try text(try element(), line))
  }

  private mutating func end() throws -> (line: Int, text: String)? {
    _ = try input.next()
    state = .after
    return try checkEnd()
  }

  private mutating func checkEnd() throws -> (line: Int, text: String)? {
    try skipSpace()
    if try input.peek() != nil { throw LineFailure(line: input.line, "Something stands behind the array.") }
    return nil
  }

  /// Takes the bytes of an element: up to the comma or bracket that isn't within it.
  private mutating func element() throws -> [UInt8] {
    var bytes: [UInt8] = []
    var (depth, isText, isEscaped) = (0, false, false)
    while let byte = try input.peek() {
      if isText {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isText = false
        }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isText = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          if depth == 0 { return bytes }
          depth -= 1
        case UInt8(ascii: ",") where depth == 0: return bytes
        default: break
        }
      }
      _ = try input.next()
      try append(byte, to: &bytes)
    }
    return bytes
  }

  private func append(_ byte: UInt8, to bytes: inout [UInt8]) throws {
    bytes.append(byte)
    if bytes.count > Self.limit { throw LineFailure(line: input.line, "A value is longer than a gigabyte.") }
  }

  private mutating func skipSpace() throws {
    while let byte = try input.peek(), [0x20, 0x09, 0x0A, 0x0D].contains(byte) { _ = try input.next() }
  }

  private func text(_ bytes: [UInt8], _ line: Int) throws -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw RowFailure(line: line, "The text isn't UTF-8. Convert the file to UTF-8.")
    }
    return text
  }
}
