import ArgumentParser
import Foundation
import Larder

struct QueryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query", abstract: "Shows the rows of a table.",
    discussion: """
      A condition compares properties with values and with each other:

        title contains "milk" and modifiedAt > now - 7 days
        amount between 10 and 20 or account.name == "Travel"
        costs.sum(amount) > 100 and not (tags contains "x")

      Texts have contains, hasPrefix, hasSuffix, like, glob and matches; title.caseInsensitive compares without case. A \
      name that is a word of the language, or has spaces, stands in backquotes.

      EXAMPLES
        larder query notes.larder Note 'title contains "milk"' --sort -modifiedAt
        larder query notes.larder Note --search "milk eggs" --columns title,modifiedAt --format json
      """)

  @OptionGroup var source: StoreFile
  @Argument(help: "The name of the table, of the model, or of the collection of documents.")
  var table: String
  @Argument(help: "The condition; without it, all rows.")
  var condition: String?
  @Option(help: "Words that full-text search finds, each by its beginning. The best rows come first unless sorted.")
  var search: String?
  @Option(
    parsing: .unconditional, help: "Properties between commas, each with - before it if the greatest come first.")
  var sort: String?
  @Option(help: "The greatest number of rows; 0 for all.")
  var limit = 20
  @Option(help: "The number of rows to leave out before.")
  var offset = 0
  @Option(help: "The properties to show, between commas.")
  var columns: String?
  @Option(help: "table, json, jsonl or csv.")
  var format = ShownFormat.table
  @Flag(help: "The same as --format json.")
  var json = false

  func validate() throws {
    guard limit >= 0, offset >= 0 else { throw ValidationError("A limit and an offset aren't negative.") }
  }

  private var query: TableQuery {
    var query = TableQuery(table)
    if let condition { query = query.where(condition) }
    if let search { query = query.searching(for: search, isRanked: sort == nil) }
    if let sort { query = query.sorted(by: sort) }
    // One row more tells whether there are others.
    let most = limit > 0 && limit < .max ? limit + 1 : .max
    return limit > 0 || offset > 0 ? query.limit(most, offset: offset) : query
  }

  func run() async throws {
    try await source.reading().closing { store in
      let table = try await store.table(table)
      if search != nil, !table.isSearchable {
        throw Failure(
          "\(table.title) has no full-text index. Search with a condition, such as 'title contains \"milk\"'.")
      }
      let properties = try chosen(of: table)
      let codings = properties.map { ColumnCoding($0) }
      let shown = try ShownRows(codings, json ? .json : format, reading: source.file)
      var count = 0
      try showingErrors {
        try store.blocking.forEach(query) { row in
          count += 1
          if limit == 0 || count <= limit { try shown.add(properties.map { row[$0.name] ?? .null }) }
        }
      }
      try shown.finish()
      if limit > 0, count > limit {
        StandardError.write("There are more rows. Use --limit 0 for all, or --offset \(offset + limit) for the next.\n")
      }
    }
  }

  /// The position in an error is that in the condition, or in the sort if there is no condition.
  private func showingErrors(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as StoreError {
      guard error.position != nil else { throw error }
      // Without the other text, the error that stays tells which of the two it is about.
      let text = try isAboutSort(error) ? sort : condition
      try ConditionError.showing(text) { throw error }
    }
  }

  private func isAboutSort(_ error: StoreError) throws -> Bool {
    guard sort != nil else { return false }
    guard condition != nil else { return true }
    let store = try source.reading()
    defer { try? store.blocking.close() }
    do {
      _ = try store.blocking.rows(TableQuery(table).where(condition ?? "").limit(0))
      return true
    } catch {
      return false
    }
  }

  private func chosen(of table: TableDescription) throws -> [TableDescription.Property] {
    guard let columns else { return table.properties }
    return try columns.split(separator: ",").map { part in
      let name = part.trimmingCharacters(in: .whitespaces)
      guard let property = table.property(name) else {
        let names = table.properties.map(\.name).joined(separator: ", ")
        throw Failure("\(table.title) has no property \(name). It has \(names).")
      }
      return property
    }
  }
}
