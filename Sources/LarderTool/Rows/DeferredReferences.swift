import Foundation
import Larder

/// The new rows of an import into a table whose references SQLite checks at the end of the transaction.
///
/// SQLite then names no row, so what refers to nothing is found before.
struct DeferredReferences {
  /// The name of the table as SQL.
  private let table: String
  /// The lines of the rows by their numbers in the file.
  private var lines: [Int64: Int] = [:]

  /// Returns nil if SQLite checks each reference when it is written, or if rows have no numbers.
  init?(of name: String, on db: Transaction) throws {
    let rows = try db.sql("select sql from sqlite_master where type = 'table' and name = \(name)")
    guard let definition = rows.first?["sql"]?.text?.lowercased(), definition.contains("deferred"),
      definition.range(of: #"without\s+rowid"#, options: .regularExpression) == nil
    else { return nil }
    table = "\"\(name.replacingOccurrences(of: "\"", with: "\"\""))\""
  }

  /// Notes the row that was just inserted.
  mutating func note(line: Int, on db: Transaction) throws {
    guard let row = try db.sql("select last_insert_rowid() as number").first?["number"]?.integer else { return }
    lines[row] = line
  }

  /// Removes the new rows that refer to nothing, and those that are deleted or refer to nothing because of that.
  ///
  /// - Returns: Why each of them is refused, in the order of their lines.
  mutating func removeDangling(on db: Transaction) throws -> [RowFailure] {
    var failures: [RowFailure] = []
    while true {
      let rows = try db.sql(SQL(raw: "pragma main.foreign_key_check(\(table))"))
      var dangling: [Int64: String] = [:]
      for row in rows {
        guard let number = row["rowid"]?.integer, lines[number] != nil else { continue }
        dangling[number] = row["parent"]?.text ?? ""
      }
      if dangling.isEmpty { break }
      for (number, parent) in dangling {
        try db.sql(SQL(raw: "delete from \(table) where rowid = \(number)"))
        guard let line = lines.removeValue(forKey: number) else { continue }
        failures.append(
          RowFailure(line: line, "The row refers to a row of \(parent) that isn't there. Import that one before."))
      }
      for (number, line) in lines {
        guard try db.sql(SQL(raw: "select 1 from \(table) where rowid = \(number)")).isEmpty else { continue }
        lines[number] = nil
        failures.append(RowFailure(line: line, "The row refers to a row that is refused."))
      }
    }
    return failures.sorted { $0.line < $1.line }
  }
}
