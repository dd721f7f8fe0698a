import Foundation
import Larder

/// Shows rows in a format, as they come. A table on a terminal is aligned in parts, so that a million rows take no
/// memory.
final class ShownRows {
  private let columns: [ColumnCoding]
  private let output: Output
  private var writer: RowWriter?
  private var table: TextTable?
  private var pending = 0
  private static let part = 1000

  /// - Parameters:
  ///   - format: The format.
  ///   - store: The file that is read.
  init(_ columns: [ColumnCoding], _ format: ShownFormat, reading store: String) throws {
    self.columns = columns
    output = try Output(nil, reading: store)
    if let data = format.data {
      writer = try RowWriter(data, columns, to: output)
    } else {
      table = Self.table(columns)
    }
  }

  private static func table(_ columns: [ColumnCoding]) -> TextTable {
    TextTable(columns.map(\.name), columns.map { $0.isNumber ? .right : .left })
  }

  func add(_ values: [Value]) throws {
    if writer != nil { return try writer?.write(values) ?? () }
    table?.add(zip(columns, values).map { $0.display($1) })
    pending += 1
    if pending == Self.part { try writeTable() }
  }

  func finish() throws {
    if let writer { return try writer.finish() }
    try writeTable()
    try output.finish()
  }

  private func writeTable() throws {
    guard let table else { return }
    try output.write(table.text())
    self.table = Self.table(columns)
    pending = 0
  }
}
