import Crypto
import GRDBSQLite

extension StoreCheck {
  /// Missing or damaged data, whose references are yet to be found.
  private struct Problem {
    let kind: StoreReport.Finding.Kind
    var isExplained = false
  }

  /// The number of attachments to look up at a time. A longer read would keep the write-ahead log from being emptied
  /// while files are read.
  private static let pageSize = 256

  func checkAttachments() throws {
    // A file that is deleted meanwhile would look missing.
    let reading = try storage.folder.lockForReading()
    defer { withExtendedLifetime(reading) {} }
    var problems: [String: Problem] = [:]
    var last = ""
    while true {
      var page: [(digest: String, size: Int)] = []
      try forEachRow(
        "SELECT digest, size FROM main.\(AttachmentTable.name) WHERE digest > ?1 AND uses > 0 AND size >= 0 ORDER BY digest LIMIT \(Self.pageSize)",
        [.text(last)]
      ) { statement in
        page.append((StoredColumn(statement.pointer, 0).text ?? "", Int(sqlite3_column_int64(statement.pointer, 1))))
      }
      for (digest, size) in page {
        try connection.checkInterruption()
        guard let kind = try problem(digest, size) else { continue }
        if problems.values.count(where: { $0.kind == kind }) + report.counts[kind, default: 0] < limit {
          problems[digest] = Problem(kind: kind)
        } else {
          add(kind, "")
        }
      }
      guard page.count == Self.pageSize, let end = page.last else { break }
      last = end.digest
    }
    try findRows(&problems)
    for problem in problems.values.sorted(by: { $0.kind.rawValue < $1.kind.rawValue }) where !problem.isExplained {
      add(problem.kind, Self.message("A row", problem.kind))
    }
  }

  private func problem(_ digest: String, _ size: Int) throws -> StoreReport.Finding.Kind? {
    guard Attachment.isDigest(digest) else { return .damagedAttachment }
    guard storage.folder.content(of: digest) != .absent else { return .missingAttachment }
    guard let file = try? storage.folder.open(digest), file.size == size else { return .damagedAttachment }
    var hash = SHA256()
    do {
      try file.forEachChunk { bytes in
        try connection.checkInterruption()
        hash.update(bufferPointer: bytes)
      }
    } catch let error as StoreError where error.code == .inputOutput {
      return .damagedAttachment
    }
    return hash.finalize().hexadecimal == digest ? nil : .damagedAttachment
  }

  /// Finds a row for each of the problems, and rows that refer to unregistered data.
  private func findRows(_ problems: inout [String: Problem]) throws {
    for column in try AttachmentColumn.all(connection) where !column.isLoose {
      let definition = definition(of: column.table)
      let keys = try keys(of: column.table)
      let names = keys.map { "t.\(Quoting.name($0))" }
      let isKnown = "EXISTS (SELECT 1 FROM main.\(AttachmentTable.name) WHERE digest = j.atom)"
      let sql = column.rows((["j.atom", isKnown] + names).joined(separator: ", "))
      var found = problems
      try forEachRow(sql) { statement in
        let digest = StoredColumn(statement.pointer, 0).text ?? ""
        let isKnown = sqlite3_column_int(statement.pointer, 1) != 0
        let problem = found[digest]
        guard !isKnown || problem?.isExplained == false else { return }
        found[digest]?.isExplained = true
        let kind = problem?.kind ?? .missingAttachment
        report.add(kind, limit: limit) {
          var key: [String: Value] = [:]
          for (position, name) in keys.enumerated() {
            key[name] = StoredColumn(statement.pointer, Int32(position) + 2).value
          }
          let property = definition?.column(column.name)?.property ?? column.name
          return StoreReport.Finding(
            kind, model: definition?.model, property: property, table: column.table, key: key,
            Self.message("\(definition?.model ?? column.table).\(property) of a row", kind))
        }
      }
      problems = found
    }
  }

  /// The key columns of a table.
  private func keys(of table: String) throws -> [String] {
    if try Catalogue.exists(in: connection), let entry = try Catalogue.entry(of: table, in: connection) {
      return entry.columns.filter(\.isKey).map(\.name)
    }
    return ["key"]
  }

  private static func message(_ place: String, _ kind: StoreReport.Finding.Kind) -> String {
    let state =
      kind == .missingAttachment ? "whose bytes are not there" : "whose bytes are not those that were attached"
    return
      "\(place) names an attachment \(state). Attach the bytes again, or restore the attachments of a backup; verifyAttachments() lists all."
  }
}
