import Foundation
import Larder

/// The differences between the rows of a table in two files, found by key.
struct TableDifference {
  enum Change {
    case onlyInFirst(KeyedRow)
    case onlyInSecond(KeyedRow)
    /// The names of the properties that differ.
    case different(KeyedRow, KeyedRow, [String])
  }

  private let tables: (TransferredTable, TransferredTable)
  private let files: (Snapshot, Snapshot)
  private let names: [String]

  /// - Throws: ``Failure`` for a table without a key, or with another one.
  init(_ first: TableDescription, in db: Snapshot, _ second: TableDescription, in other: Snapshot) throws {
    tables = (TransferredTable(first), TransferredTable(second))
    files = (db, other)
    guard !first.key.isEmpty, first.key.map(\.name) == second.key.map(\.name) else {
      throw Failure("\(first.title) has no key, or another key in each of the files, so its rows can't be compared.")
    }
    // A property that only one file has differs wherever it has a value.
    let all = tables.0.columns.map(\.name) + tables.1.columns.map(\.name)
    names = all.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }.filter { $0 != TransferredTable.expires }
  }

  /// Calls a closure with each difference. A page of each file is in memory at a time.
  func forEach(_ body: (Change) throws -> Void) throws {
    let isInOrder = Self.isInPlainOrder(tables.0) && Self.isInPlainOrder(tables.1)
    if try isInOrder && !Self.lacksKeys(tables.0, in: files.0) && !Self.lacksKeys(tables.1, in: files.1) {
      try merge(body)
    } else {
      try lookUp(body)
    }
  }

  /// Returns whether the keys come in the order in which values are compared here: exact decimal numbers have another
  /// one, and so may the columns of other programs.
  private static func isInPlainOrder(_ table: TransferredTable) -> Bool {
    let isOwn = [.model, .documents].contains(table.description.kind)
    return table.description.key.allSatisfy { property in
      switch property.type {
      case .integer, .uuid, .bool, .data: true
      case .text: isOwn
      default: false
      }
    }
  }

  /// Returns whether a row has no value in its key. In tables of other programs there may be many of them.
  private static func lacksKeys(_ table: TransferredTable, in db: Snapshot) throws -> Bool {
    func quoted(_ name: String) -> String { "\"\(name.replacingOccurrences(of: "\"", with: "\"\""))\"" }
    guard ![.model, .documents].contains(table.description.kind) else { return false }
    let conditions = table.description.key.map { "\(quoted($0.column)) is null" }.joined(separator: " or ")
    return try !db.sql(SQL(raw: "select 1 from \(quoted(table.description.name)) where \(conditions) limit 1")).isEmpty
  }

  private func merge(_ body: (Change) throws -> Void) throws {
    var first = KeyedRows(tables.0, in: files.0)
    var second = KeyedRows(tables.1, in: files.1)
    var (left, right) = (try first.next(), try second.next())
    while left != nil || right != nil {
      let order = left.flatMap { left in right.map { KeyOrder.compare(left.key, $0.key) } } ?? (left == nil ? 1 : -1)
      if order == 0, let left, let right, let change = change(left, right) { try body(change) }
      if order < 0, let left { try body(.onlyInFirst(left)) }
      if order > 0, let right { try body(.onlyInSecond(right)) }
      if order <= 0 { left = try first.next() }
      if order >= 0 { right = try second.next() }
    }
  }

  /// Looks each row up in the other file. Rows without a value in their key are compared as a whole.
  private func lookUp(_ body: (Change) throws -> Void) throws {
    let (first, second) = (KeyedRows(tables.0, in: files.0), KeyedRows(tables.1, in: files.1))
    var unidentified: [[Value]: [KeyedRow]] = [:]
    try first.forEach { row in
      guard !row.key.contains(.null) else {
        unidentified[compared(row), default: []].append(row)
        return
      }
      if let other = try second.row(row.key) {
        if let change = change(row, other) { try body(change) }
      } else {
        try body(.onlyInFirst(row))
      }
    }
    try second.forEach { row in
      if row.key.contains(.null) {
        if unidentified[compared(row)]?.popLast() == nil { try body(.onlyInSecond(row)) }
      } else if try first.row(row.key) == nil {
        try body(.onlyInSecond(row))
      }
    }
    for row in unidentified.values.joined() { try body(.onlyInFirst(row)) }
  }

  /// The values in which rows may differ.
  private func compared(_ row: KeyedRow) -> [Value] { names.map { row.values[$0] ?? .null } }

  private func change(_ left: KeyedRow, _ right: KeyedRow) -> Change? {
    let different = names.filter { (left.values[$0] ?? .null) != (right.values[$0] ?? .null) }
    return different.isEmpty ? nil : .different(left, right, different)
  }
}
