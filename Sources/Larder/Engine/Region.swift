/// A part of a database: tables, each with its relevant columns, or the whole database.
struct Region: Sendable, Hashable {
  enum Columns: Sendable, Hashable {
    case all
    /// Only these columns; none if only the existence of rows is relevant.
    case named(Set<String>)

    func overlaps(_ other: Columns) -> Bool {
      switch (self, other) {
      case (.all, _), (_, .all): true
      case (.named(let mine), .named(let theirs)): !mine.isDisjoint(with: theirs)
      }
    }
  }

  private(set) var tables: [String: Columns] = [:]

  init() {}

  /// All of a table.
  init(_ table: String) {
    insert(table: table)
  }

  var isEmpty: Bool { tables.isEmpty }

  mutating func insert(table: String) {
    tables[table] = .all
  }

  /// Adds the existence of the table's rows, regardless of their values.
  mutating func insert(rowsOf table: String) {
    if tables[table] == nil { tables[table] = .named([]) }
  }

  mutating func insert(table: String, column: String) {
    switch tables[table] {
    case .all: break
    case .named(var columns):
      columns.insert(column)
      tables[table] = .named(columns)
    case nil: tables[table] = .named([column])
    }
  }

  mutating func formUnion(_ other: Region) {
    for (table, columns) in other.tables {
      switch columns {
      case .all: insert(table: table)
      case .named(let names):
        insert(rowsOf: table)
        for name in names { insert(table: table, column: name) }
      }
    }
  }

  func overlaps(_ other: Region) -> Bool {
    tables.contains { table, columns in
      other.tables[table].map(columns.overlaps) ?? false
    }
  }
}
