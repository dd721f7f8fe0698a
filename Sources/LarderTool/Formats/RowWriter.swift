import Foundation
import Larder

/// Writes rows in a format, one after another.
struct RowWriter {
  private let format: DataFormat
  private let columns: [ColumnCoding]
  private let output: Output
  /// The number of rows so far.
  private(set) var count = 0
  /// The number of values that CSV can't keep apart from those of the column's type.
  private(set) var misfits = 0

  /// Writes what stands before the rows.
  init(_ format: DataFormat, _ columns: [ColumnCoding], to output: Output) throws {
    self.format = format
    self.columns = columns
    self.output = output
    switch format {
    case .csv: try writeFields(columns.map { CSVField(text: $0.name, isQuoted: false) })
    case .json: try output.write("[")
    case .jsonl: break
    }
  }

  mutating func write(_ values: [Value]) throws {
    switch format {
    case .csv:
      misfits += zip(columns, values).count { !$0.fits($1) }
      try writeFields(zip(columns, values).map { $0.csv($1) })
    case .json: try output.write((count == 0 ? "\n" : ",\n") + JSONText.line(JSONText.object(columns, values)))
    case .jsonl: try output.write(JSONText.line(JSONText.object(columns, values)) + "\n")
    }
    count += 1
  }

  /// Writes what stands behind the rows.
  func finish() throws {
    if format == .json { try output.write(count == 0 ? "]\n" : "\n]\n") }
    try output.finish()
  }

  /// Fields as RFC 4180 has them, with line feeds alone between rows.
  private func writeFields(_ fields: [CSVField]) throws {
    var line = ""
    for (position, field) in fields.enumerated() {
      if position > 0 { line += "," }
      // A file is read back exactly; a terminal must not be driven by it.
      let text = output.isTerminal ? DisplayText.escaped(field.text, keepsLines: true) : field.text
      if field.isQuoted || needsQuotes(text) || fields.count == 1 && text.isEmpty && field.isQuoted {
        line += "\"" + text.replacing("\"", with: "\"\"") + "\""
      } else {
        line += text
      }
    }
    try output.write(line + "\n")
  }

  private func needsQuotes(_ text: String) -> Bool {
    let isSpace: (UInt8?) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    return isSpace(text.utf8.first) || isSpace(text.utf8.last)
      || text.utf8.contains { byte in
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n")
          || byte == UInt8(ascii: "\r") || byte == 0
      }
  }
}
