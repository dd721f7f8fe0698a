import ArgumentParser
import Foundation
import Larder

struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Shows rows as they come, change and go, until it is interrupted.",
    discussion: """
      The rows that are there at the beginning are only counted. A row that comes is marked +, one that changes ~, one \
      that goes -. The rows of the query are held in memory.

      EXAMPLES
        larder watch notes.larder Note 'isRead == false'
        larder watch notes.larder Note --json | jq -c .row.title
      """)

  @OptionGroup var source: StoreFile
  @Argument(help: "The name of the table or of the model.")
  var table: String
  @Argument(help: "The condition, as in query; without it, all rows.")
  var condition: String?
  @Option(help: "End after so many changes; 0 for never.")
  var limit = 0
  @Flag(help: "Print a JSON object for each change, one per line.")
  var json = false

  func run() async throws {
    try await source.reading().closing { store in
      let table = TransferredTable(try await store.table(table))
      var query = TableQuery(table.description.name)
      if let condition { query = query.where(condition) }
      let watched = query
      var known: WatchedRows?
      var count = 0
      do {
        for try await rows in store.live({ db in try WatchedRows(db.rows(watched), of: table, in: db) }) {
          if let known {
            for change in rows.changes(since: known) {
              try show(change, table)
              count += 1
              if count == limit { return }
            }
          } else {
            let title = DisplayText.escaped(table.description.title)
            StandardError.write("Watching \(title): \(rows.count) rows. Control-C ends it.\n")
          }
          known = rows
        }
      } catch let error as StoreError {
        try ConditionError.showing(condition) { throw error }
      }
    }
  }

  private func show(_ change: WatchedRows.Change, _ table: TransferredTable) throws {
    let columns = table.columns.filter { $0.name != TransferredTable.expires }
    let values = columns.map { change.row.values[$0.name] ?? .null }
    let line: String
    if json {
      line = try JSONText.line(
        .record(["change": .text(change.kind.rawValue), "row": JSONText.object(columns, values)]))
    } else {
      let text = zip(columns, values).map { column, value in
        "\(DisplayText.escaped(column.name)): \(DisplayText.escaped(column.display(value) ?? "nil"))"
      }.joined(separator: "  ")
      let mark = [WatchedRows.Kind.inserted: "+", .updated: "~", .deleted: "-"][change.kind] ?? ""
      let shown = "\(mark) \(text)"
      line = Terminal.width.map { DisplayText.cut(shown, to: $0) } ?? shown
    }
    // A pipe gets each line at once.
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}

/// The rows of a query at a moment, by their keys.
struct WatchedRows: Sendable {
  enum Kind: String {
    case inserted, updated, deleted
  }

  struct Change {
    let kind: Kind
    let row: KeyedRow
  }

  private let keys: [[Value]]
  private let rows: [[Value]: KeyedRow]

  init(_ rows: [Row], of table: TransferredTable, in db: Snapshot) throws {
    let keyed = try rows.map { try KeyedRow($0, of: table, in: db) }
    // The rows of a view are known by all of their values.
    let hasKey = !table.description.key.isEmpty
    let named = keyed.enumerated().map { (hasKey ? $1.key : rows[$0].map(\.value), $1) }
    keys = named.map(\.0)
    self.rows = Dictionary(named) { first, _ in first }
  }

  var count: Int { keys.count }

  func changes(since old: WatchedRows) -> [Change] {
    let gone = old.keys.compactMap { key in
      rows[key] == nil ? old.rows[key].map { Change(kind: .deleted, row: $0) } : nil
    }
    let other = keys.compactMap { key -> Change? in
      guard let row = rows[key] else { return nil }
      guard let before = old.rows[key] else { return Change(kind: .inserted, row: row) }
      return before.values == row.values ? nil : Change(kind: .updated, row: row)
    }
    return gone + other
  }
}
