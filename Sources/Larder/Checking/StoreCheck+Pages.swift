import GRDBSQLite

extension StoreCheck {
  /// The number of SQLite's messages to read for each table: a badly damaged file has as many as rows.
  private static let messageLimit = 1000

  func checkPages() throws {
    var isChecked = true
    var everywhere: [String] = []
    do {
      everywhere = try messages("PRAGMA main.integrity_check(\(Self.messageLimit))")
    } catch let error as StoreError where Self.concernsTable(error) {
      // SQLite checks none of the tables if one of them needs a function or a collation that isn't there.
      isChecked = false
    }
    guard !everywhere.isEmpty || !isChecked else { return }
    // The table is found by checking tables one by one rather than by parsing the message.
    var explained: Set<String> = []
    for table in try allTables() {
      // A name that is a number would be interpreted as a limit.
      guard Int(table) == nil else { continue }
      let model = definition(of: table)?.model
      do {
        for message in try messages("PRAGMA main.integrity_check(\(Quoting.name(table)))") {
          explained.insert(message)
          add(.damage, model: model, table: table, damage(of: "The table of \(model ?? table)", message))
        }
      } catch let error as StoreError where Self.concernsTable(error) {
        addUnreadable(table, model: model, error)
      }
    }
    for message in everywhere where !explained.contains(message) { add(.damage, damage(of: "The file", message)) }
  }

  private func damage(of place: String, _ message: String) -> String {
    """
    \(place) is damaged (\(message)). If only indexes are, store.sql("REINDEX") makes them anew; otherwise restore a backup, or save what can be \
    read with .recover of the sqlite3 command.
    """
  }

  /// Returns SQLite's messages without duplicates.
  private func messages(_ pragma: String) throws -> [String] {
    var messages: [String] = []
    var seen: Set<String> = []
    do {
      try forEachRow(pragma) { statement in
        let text = StoredColumn(statement.pointer, 0).text ?? ""
        for line in text.split(separator: "\n") where line != "ok" && !line.hasPrefix("*** in database") {
          // Those are found apart, with the rows.
          if line.hasPrefix(Self.failedCheck) { continue }
          let message = Self.withoutRowNumbers(line)
          if seen.insert(message).inserted { messages.append(message) }
        }
      }
    } catch let error as StoreError where Self.isDamage(error) {
      messages.append("it cannot be read to its end")
    }
    return messages
  }

  /// The row ID may be the key, which must not be shown.
  private static func withoutRowNumbers(_ line: Substring) -> String {
    var words: [Substring] = []
    for word in line.split(separator: " ") {
      let isNumber = word.allSatisfy { $0.isNumber || $0 == "-" }
      if isNumber, let last = words.last?.lowercased(), last == "row" || last == "rowid" { continue }
      words.append(word)
    }
    return words.joined(separator: " ")
  }
}
