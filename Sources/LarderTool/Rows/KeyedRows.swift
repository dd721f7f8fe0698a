import Foundation
import Larder

/// The rows of a table in the order of their keys, a page in memory at a time.
struct KeyedRows {
  private let db: Snapshot
  private let table: TransferredTable
  private let query: TableQuery
  private var page: ArraySlice<KeyedRow> = []
  private var cursor: Row?
  private var isAtEnd = false
  private static let pageSize = 500

  init(_ table: TransferredTable, in db: Snapshot) {
    self.table = table
    self.db = db
    query = TableQuery(table.description.name)
  }

  mutating func next() throws -> KeyedRow? {
    if page.isEmpty, !isAtEnd { try load() }
    return page.popFirst()
  }

  private mutating func load() throws {
    let query = if let cursor { self.query.after(cursor) } else { self.query }
    let rows = try db.rows(query.limit(Self.pageSize))
    isAtEnd = rows.count < Self.pageSize
    cursor = rows.last
    page = try ArraySlice(rows.map { try KeyedRow($0, of: table, in: db) })
  }

  /// Calls a closure with each row, one in memory at a time. Rows may share a key.
  func forEach(_ body: (KeyedRow) throws -> Void) throws {
    try db.forEach(query) { row in try autoreleasing { try body(KeyedRow(row, of: table, in: db)) } }
  }

  /// Returns the row with a key.
  func row(_ key: [Value]) throws -> KeyedRow? {
    try db.row(with: key, in: table.description.name).map { try KeyedRow($0, of: table, in: db) }
  }
}

/// A row with its key.
struct KeyedRow: Sendable {
  let key: [Value]
  /// The values by the names of the columns.
  let values: [String: Value]

  init(_ row: Row, of table: TransferredTable, in db: Snapshot) throws {
    let keys = table.description.key
    key = keys.map { row[$0.name] ?? .null }
    if table.isCollection {
      let text = key.first?.text ?? ""
      values = [
        TransferredTable.key: .text(text),
        TransferredTable.document: try db.documents(table.description.name).json(text).map { .text($0) } ?? .null,
      ]
    } else {
      values = row.dictionary
    }
  }
}

/// The order in which SQLite compares values without a collation: nil, numbers, texts by their bytes, bytes. Source:
/// <https://www.sqlite.org/datatype3.html#sort_order>.
enum KeyOrder {
  /// Returns -1, 0 or 1.
  static func compare(_ left: [Value], _ right: [Value]) -> Int {
    for (left, right) in zip(left, right) {
      let order = compare(left, right)
      if order != 0 { return order }
    }
    return left.count == right.count ? 0 : left.count < right.count ? -1 : 1
  }

  private static func compare(_ left: Value, _ right: Value) -> Int {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): return left == right ? 0 : left < right ? -1 : 1
    case (.text(let left), .text(let right)): return compare(left.utf8, right.utf8)
    case (.blob(let left), .blob(let right)): return compare(left, right)
    default:
      let (first, second) = (rank(left), rank(right))
      guard first == second else { return first < second ? -1 : 1 }
      guard let left = left.real, let right = right.real, left != right else { return 0 }
      return left < right ? -1 : 1
    }
  }

  private static func compare(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Int {
    if left.elementsEqual(right) { return 0 }
    return left.lexicographicallyPrecedes(right) ? -1 : 1
  }

  private static func rank(_ value: Value) -> Int {
    switch value {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }
}
