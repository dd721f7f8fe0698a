import ArgumentParser
import Foundation
import Larder

struct SQLCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sql", abstract: "Executes one SQL statement.",
    discussion: """
      Expired rows are hidden as they are from queries, and collections of documents are views with their properties as \
      columns. Without --write, a statement that changes something is refused.

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
      if write {
        for row in try store.blocking.sql(SQL(raw: statement)) { try add(row) }
      } else {
        try refusingWrites { try store.blocking.read { db in try db.forEach(SQL(raw: statement), add) } }
      }
      if let shown {
        try shown.finish()
      } else if shape == .json {
        print("[]")
      }
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
