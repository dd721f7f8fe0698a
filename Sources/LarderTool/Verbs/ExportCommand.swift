import ArgumentParser
import Foundation
import Larder

struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Writes the rows of a table to a file or to standard output.",
    discussion: """
      All rows are of one moment, and the memory that the export takes doesn't depend on their number. What import \
      reads back are the same rows.

      CSV: an empty field is nil, and "" is the empty text. Bytes are Base64. In columns that hold values of any kind, \
      texts are quoted, numbers aren't, and bytes are X'…' as in SQL.
      JSON: bytes are Base64; exact decimal numbers and integers beyond 53 bits are texts. In columns of any kind, bytes \
      are {"$bytes": "…"}. Collections of documents are objects with key, document and _expires.
      The column _expires says when a row expires. The bytes of attachments stay in the file: use backup for them.

      EXAMPLES
        larder export notes.larder Note --output notes.csv
        larder export notes.larder Note --where 'modifiedAt > now - 7 days' --format jsonl | jq .title
      """)

  @OptionGroup var source: StoreFile
  @Argument(help: "The name of the table, of the model, or of the collection of documents.")
  var table: String
  @Option(
    help: "csv, json (one array) or jsonl (one object per line); by default what the output's name ends with, or csv.")
  var format: DataFormat?
  @Option(help: "The file to write; without it, standard output.", completion: .file())
  var output: String?
  @Option(name: .customLong("where"), help: "A condition, as in query.")
  var condition: String?
  @Flag(help: "The same as --format json.")
  var json = false

  func run() async throws {
    try await source.reading().closing { store in
      let table = TransferredTable(try await store.table(table))
      var query = TableQuery(table.description.name)
      if let condition { query = query.where(condition) }
      let output = try Output(output, reading: source.file)
      let format = json ? .json : format ?? self.output.flatMap { DataFormat(ofFile: $0) } ?? .csv
      try ConditionError.showing(condition) {
        try store.blocking.read { db in
          let total = Terminal.showsErrors ? try db.count(query) : nil
          var bar = ProgressBar("Exporting", isShown: Terminal.showsErrors && !output.isTerminal)
          defer { bar.finish() }
          var writer = try RowWriter(format, table.columns, to: output)
          try table.forEach(query, in: db) { values in
            try writer.write(values)
            bar.show(writer.count, of: total, "\(writer.count) rows")
          }
          try writer.finish()
          if writer.misfits > 0 {
            StandardError.write(
              "larder: \(writer.misfits) values aren't of their column's type, and CSV can't say so. Use --format jsonl.\n"
            )
          }
        }
      }
    }
  }
}
