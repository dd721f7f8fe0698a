/// Reads CSV as RFC 4180 defines it, and as programs write it nonetheless.
///
/// Fields are separated by commas, semicolons or tabs, whichever the first line has most of outside of quotes. Lines
/// end with CRLF, LF or CR. A quoted field may hold separators, line breaks, and quotes written twice. A byte order
/// mark is left out. A record with faulty quotes is given with its problem, and reading goes on after it.
///
/// Source: <https://www.rfc-editor.org/rfc/rfc4180>.
struct CSVReader: Sequence, IteratorProtocol {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  /// What stands between two fields.
  let separator: UInt8

  /// Throws `InvalidText` if the bytes are not UTF-8.
  init(_ bytes: [UInt8]) throws {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) || bytes.contains(0) || !Self.isUTF8(bytes)
    {
      throw InvalidText("This file is not text in UTF-8. Save it as “CSV UTF-8” and choose it again.")
    }
    self.bytes = bytes
    position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    separator = Self.separator(of: bytes[position...])
  }

  mutating func next() -> CSVRecord? {
    guard position < bytes.count else { return nil }
    let start = line
    var fields: [String] = []
    while true {
      let field: String
      if position < bytes.count, bytes[position] == Self.quote {
        switch readQuoted() {
        case .success(let text): field = text
        case .failure(let problem): return CSVRecord(line: start, fields: fields, problem: problem.kind)
        }
      } else {
        field = readPlain()
      }
      fields.append(field)
      guard position < bytes.count, bytes[position] == separator else { break }
      position += 1
    }
    skipLineBreak()
    return CSVRecord(line: start, fields: fields)
  }

  private struct Failure: Error { let kind: CSVRecord.Problem }

  private static let quote = UInt8(ascii: "\"")
  private static let newline = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  private func isLineBreak(_ byte: UInt8) -> Bool { byte == Self.newline || byte == Self.carriageReturn }

  private mutating func readPlain() -> String {
    let start = position
    while position < bytes.count, bytes[position] != separator, !isLineBreak(bytes[position]) { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  /// Reads from the opening quote to the separator or line break after the closing one.
  private mutating func readQuoted() -> Result<String, Failure> {
    let opening = position
    let openingLine = line
    var text: [UInt8] = []
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      if byte == Self.quote {
        position += 1
        guard position < bytes.count, bytes[position] == Self.quote else { return endOfQuoted(text) }
      } else if byte == Self.newline
        || byte == Self.carriageReturn && !(position + 1 < bytes.count && bytes[position + 1] == Self.newline)
      {
        line += 1
      }
      text.append(byte)
      position += 1
    }
    // Without an end only this line is lost, not the rest of the file.
    position = opening
    line = openingLine
    skipLine()
    return .failure(Failure(kind: .openQuote))
  }

  private mutating func endOfQuoted(_ text: [UInt8]) -> Result<String, Failure> {
    if position == bytes.count || bytes[position] == separator || isLineBreak(bytes[position]) {
      return .success(String(decoding: text, as: UTF8.self))
    }
    skipLine()
    return .failure(Failure(kind: .textAfterQuote))
  }

  private mutating func skipLine() {
    while position < bytes.count, !isLineBreak(bytes[position]) { position += 1 }
    skipLineBreak()
  }

  private mutating func skipLineBreak() {
    guard position < bytes.count else { return }
    let isCarriageReturn = bytes[position] == Self.carriageReturn
    position += 1
    if isCarriageReturn, position < bytes.count, bytes[position] == Self.newline { position += 1 }
    line += 1
  }

  private static func separator(of bytes: ArraySlice<UInt8>) -> UInt8 {
    var counts: [UInt8: Int] = [:]
    var isQuoted = false
    for byte in bytes {
      if byte == quote { isQuoted.toggle() }
      if isQuoted { continue }
      if byte == newline || byte == carriageReturn { break }
      counts[byte, default: 0] += 1
    }
    let candidates = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]
    return candidates.max { counts[$0, default: 0] <= counts[$1, default: 0] && counts[$1, default: 0] > 0 }
      ?? candidates[0]
  }

  private static func isUTF8(_ bytes: [UInt8]) -> Bool {
    String(validating: bytes, as: UTF8.self) != nil
  }
}
