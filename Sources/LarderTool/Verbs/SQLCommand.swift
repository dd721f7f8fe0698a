import ArgumentParser
import Foundation
import Larder

struct SQLCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sql", abstract: "Executes one SQL statement.",
    discussion: """
      Expired rows are hidden as they are from queries, and collections of documents are views with their properties as \
      columns. Without --write, a statement that changes something is refused; with it, the number of rows that it \
      changed follows.

      EXAMPLES
        larder sql notes.larder 'select title, length(body) from Note order by 2 desc limit 5'
        larder sql notes.larder "update Note set isRead = 1" --write
      """)

  @OptionGroup var source: StoreFile
  @Argument(help: "The statement.")
  var statement: String
  @Flag(help: "Allow the statement to change the file.")
  var write = false
  @Option(help: "table, json, jsonl or csv.")
  var format = ShownFormat.table
  @Flag(help: "The same as --format json.")
  var json = false

  func run() async throws {
    try await (write ? source.writing() : source.reading()).closing { store in
      let shape = json ? ShownFormat.json : format
      var shown: ShownRows?
      func add(_ row: Row) throws {
        let rows = try shown ?? ShownRows(row.names.map { ColumnCoding($0, .any) }, shape, reading: source.file)
        shown = rows
        try rows.add(row.map(\.value))
      }
      var sentence: String?
      if write {
        let changed = try change(store)
        try changed.rows.forEach(add)
        sentence = changed.sentence
      } else {
        try refusingWrites { try store.blocking.read { db in try db.forEach(SQL(raw: statement), add) } }
      }
      if let shown {
        try shown.finish()
      } else if shape == .json {
        print("[]")
      }
      if let sentence, shape == .table { print(sentence) }
    }
  }

  /// Executes the statement, and says how many rows it changed if that is what it is for.
  private func change(_ store: Store) throws -> (rows: [Row], sentence: String?) {
    guard SQLText.changesRows(statement) else { return (try store.blocking.sql(SQL(raw: statement)), nil) }
    return try store.blocking.write { db in
      func number(_ function: SQL) throws -> Int { try db.sql(function, as: Int.self).first ?? 0 }
      let before = try number("select total_changes()")
      let rows = try db.sql(SQL(raw: statement))
      let (direct, all) = (try number("select changes()"), try number("select total_changes()"))
      // SQLite doesn't count what triggers do in place of a change of a view.
      if all == before { return (rows, rows.isEmpty ? "No row is changed." : nil) }
      if direct == 0 { return (rows, "Triggers have changed rows.") }
      return (rows, direct == 1 ? "1 row is changed." : "\(direct.formatted()) rows are changed.")
    }
  }

  private func refusingWrites(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as StoreError where error.code == .readOnly {
      throw Failure("The statement changes the file. Use --write if that is meant.")
    }
  }
}
