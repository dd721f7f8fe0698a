import ArgumentParser
import Foundation
import Larder

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Takes rows from a file into a table, all of them or none.",
    discussion: """
      All rows are taken in one transaction, and the memory that it takes doesn't depend on their number. If one is \
      refused, the file stays as it was, and the message names the line. With --keep-going refused rows are left out and \
      reported, and the exit code is 1.

      The formats are those of export. The first line of CSV names the columns. What isn't named is nil; a key that is \
      a UUID or an integer is then made anew. Derived properties follow from other rows and are skipped. JSON for a \
      collection of documents may also be plain objects, each with its key in key.

      EXAMPLES
        larder import notes.larder Note notes.csv
        larder import notes.larder Note notes.jsonl --update --keep-going
        curl -s https://example.org/notes.json | larder import notes.larder Note - --format json
      """)

  @OptionGroup var target: StoreFile
  @Argument(help: "The name of the table, of the model, or of the collection of documents.")
  var table: String
  @Argument(help: "The file to read; - for standard input.", completion: .file())
  var input: String
  @Option(help: "csv, json (one array) or jsonl (one object per line); by default what the input's name ends with.")
  var format: DataFormat?
  @Flag(help: "Leave out rows that are refused, and report them.")
  var keepGoing = false
  @Flag(help: "Update rows whose key is there already. Properties that the input doesn't name stay.")
  var update = false
  @Flag(help: "Print the report as JSON.")
  var json = false

  func run() async throws {
    guard let format = format ?? DataFormat(ofFile: input) else {
      throw ValidationError("The format can't be told from \(input). Use --format csv, json or jsonl.")
    }
    let bytes = try InputBytes(input)
    try await target.writing().closing { store in
      let table = TransferredTable(try await store.table(table))
      let work = RowImport(into: table, from: input, keepsGoing: keepGoing, updates: update)
      let reader: RowReader
      do {
        reader = try RowReader(bytes, format, table)
      } catch let failure as LineFailure {
        throw Failure("\(input):\(failure.line): \(failure.message)")
      }
      let report = try store.blocking.write { try work.run(reader, on: $0) }
      try show(report, work)
    }
  }

  private func show(_ report: RowImport.Report, _ work: RowImport) throws {
    if json {
      let failures = report.failures.map { failure in
        DocumentValue.record(["line": .integer(Int64(failure.line)), "message": .text(failure.message)])
      }
      print(
        try JSONText.line(
          .record([
            "inserted": .integer(Int64(report.inserted)), "updated": .integer(Int64(report.updated)),
            "refused": .integer(Int64(report.refused)), "failures": .array(failures),
          ])))
    } else {
      for failure in report.failures { StandardError.write(DisplayText.escaped(work.message(failure)) + "\n") }
      if report.refused > report.failures.count {
        StandardError.write("and \(report.refused - report.failures.count) more\n")
      }
      print("\(report.inserted) inserted, \(report.updated) updated, \(report.refused) refused")
    }
    if report.refused > 0 { throw ExitCode.failure }
  }
}
