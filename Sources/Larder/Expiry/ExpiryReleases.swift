import Synchronization

/// The expired rows that may have lost the references that kept them, as known to one connection.
///
/// Temporary triggers record which references this connection removes. What other connections did isn't known, so after
/// they commit all kept rows are tried again, some at a time.
final class ExpiryReleases {
  /// The connection owns this value, which is therefore never used after it.
  private unowned let connection: Connection
  private let heard = HeardReleases()
  /// What was recorded before the deletion that is being tried.
  private var earlier: [HeardReleases.Release] = []
  /// What the last sweep processed. If its transaction was rolled back, the next one does so again.
  private var recent: [HeardReleases.Release] = []
  private var links: [ReferenceLink] = []
  private var watched: [ReferenceLink] = []
  private var schemaVersion: Int64 = -1
  private var dataVersion: Int64 = -1
  /// The row ID after which the rows of each table have yet to be tried again; nil for a table that is done.
  private var cursors: [String: Int64] = [:]
  /// The tables with rows that something other than a reference keeps, with the time of the next attempt, by
  /// ``ExpiryClock/elapsed``.
  private var refused: [String: Double] = [:]

  init(_ connection: Connection) {
    self.connection = connection
  }

  /// The number of rows of a table to try again in one sweep.
  static let slice = 500
  /// The number of seconds after which refused rows are tried again.
  static let retryInterval = 600.0

  /// Makes sure that triggers record removed references, and releases rows that other connections may have released.
  ///
  /// - Parameter reviewsAll: Whether to release all of those rows at once.
  func prepare(reviewsAll: Bool) throws {
    let schema = try connection.schemaVersionOfFile
    let data = try number("PRAGMA data_version")
    if schema != schemaVersion {
      links = try ReferenceLink.all(in: connection)
      watched = ReferenceLink.keeping(connection.environment.tables.filter(\.expires).map(\.name), links)
    }
    let triggers = try number(
      "SELECT count(*) FROM temp.sqlite_master WHERE type = 'trigger' AND name LIKE '\(Self.prefix)%'")
    if schema != schemaVersion || triggers != Int64(2 * watched.count) { try install() }
    if schema != schemaVersion || data != dataVersion || triggers != Int64(2 * watched.count) {
      for table in connection.environment.tables where table.expires { cursors[table.name] = .min }
    }
    (schemaVersion, dataVersion) = (schema, data)
    let now = connection.environment.clock.elapsed()
    for (table, time) in refused where reviewsAll || time <= now {
      refused[table] = nil
      cursors[table] = .min
    }
    for table in connection.environment.tables where cursors[table.name] != nil {
      try release(of: table, limit: reviewsAll ? .max : Self.slice)
    }
    _ = try review(recent)
    recent = []
  }

  /// Releases the rows whose references were removed. Returns whether there were any.
  func review() throws -> Bool {
    let releases = earlier + heard.take()
    earlier = []
    recent += releases
    return try review(releases)
  }

  /// Returns expired rows that keep each other and that nothing else keeps: those of these rows that can go, and what
  /// must go with them.
  ///
  /// - Parameters:
  ///   - rows: The row IDs of rows of the table, each of which something keeps.
  ///   - span: The range of expiry dates.
  func groups(of rows: [Int64], in table: TableDefinition, _ span: ExpirySpan) throws -> [(TableDefinition, [Int64])] {
    var group = ExpiredGroup(connection, ReferenceLink.deciding(watched, links), span)
    return try group.rows(beginningWith: rows, of: table)
  }

  /// Calls the closure, which tries to delete rows. If it returns nil, its changes were undone, and the references that
  /// it removed are still there.
  func attempting<Result>(_ delete: () throws -> Result?) rethrows -> Result? {
    earlier += heard.take()
    let result = try delete()
    if result == nil { _ = heard.take() }
    return result
  }

  /// Records that something other than a reference keeps a row of the table.
  func noteRefusal(of table: TableDefinition) {
    guard refused[table.name] == nil else { return }
    refused[table.name] = connection.environment.clock.elapsed() + Self.retryInterval
  }

  private static let prefix = "\(ReservedNames.prefix)release_"

  private func number(_ sql: String) throws -> Int64 {
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    return try connection.step(statement, nil) ? StoredColumn(statement.pointer, 0).integer ?? -1 : -1
  }

  /// - Complexity: One index search, and an update of each released row.
  private func release(of table: TableDefinition, limit: Int) throws {
    let (name, row) = (Quoting.name(table.name), Quoting.name(table.rowIDColumn))
    let sql = "SELECT \(row) FROM main.\(name) WHERE \(Expiry.column) = ?1 AND \(row) > ?2 ORDER BY \(row) LIMIT ?3"
    let statement = try connection.statement(sql)
    try statement.bind([
      .value(.real(Expiry.kept)), .value(.integer(cursors[table.name] ?? .min)), .value(.integer(Int64(limit))),
    ])
    defer { statement.reset() }
    var rows: [Int64] = []
    while try connection.step(statement, nil) { rows += [StoredColumn(statement.pointer, 0).integer ?? 0] }
    statement.reset()
    cursors[table.name] = rows.count < limit ? nil : rows.last
    if !rows.isEmpty { try connection.setEnd(of: rows, of: table, to: Expiry.released) }
  }

  // MARK: References that go

  private func install() throws {
    let old = try connection.query(
      "SELECT name FROM temp.sqlite_master WHERE type = 'trigger' AND name LIKE '\(Self.prefix)%'")
    for name in old.compactMap({ $0["name"]?.text }) {
      try connection.change("DROP TRIGGER temp.\(Quoting.name(name))")
    }
    guard !watched.isEmpty else { return }
    heard.listen(on: connection)
    for (number, link) in watched.enumerated() {
      let columns = link.columns.map(Quoting.name)
      let values = columns.map { "OLD.\($0)" }.joined(separator: ", ")
      let isMoved = columns.map { "OLD.\($0) IS NOT NEW.\($0)" }.joined(separator: " OR ")
      let call = "BEGIN SELECT larder_release(\(number), \(values)); END"
      let table = "main.\(Quoting.name(link.table))"
      try connection.change("CREATE TEMP TRIGGER \(Self.prefix)\(number)_delete AFTER DELETE ON \(table) \(call)")
      try connection.change(
        "CREATE TEMP TRIGGER \(Self.prefix)\(number)_update AFTER UPDATE OF \(columns.joined(separator: ", ")) ON \(table) WHEN \(isMoved) \(call)"
      )
    }
  }

  private func review(_ releases: [HeardReleases.Release]) throws -> Bool {
    var seen: Set<ReferredRow> = []
    var hasReleased = false
    for release in releases where watched.indices.contains(release.link) {
      let link = watched[release.link]
      let row = ReferredRow(table: link.target, columns: link.targetColumns, values: release.values)
      if try review(row, &seen) { hasReleased = true }
    }
    return hasReleased
  }

  private struct ReferredRow: Hashable {
    let table: String
    let columns: [String]
    let values: [Value]
  }

  /// Releases the row, and the rows whose deletion would delete it.
  private func review(_ row: ReferredRow, _ seen: inout Set<ReferredRow>) throws -> Bool {
    guard !row.values.contains(where: \.isNull), seen.insert(row).inserted else { return false }
    let name = "main.\(Quoting.name(row.table))"
    let isRow = row.columns.enumerated().map { "\(Quoting.name($1)) = \(Quoting.parameter($0 + 1))" }.joined(
      separator: " AND ")
    let arguments = row.values.map { SQLWriter.Argument.value($0) }
    var hasReleased = false
    if let table = connection.environment.tables.first(where: { $0.expires && $0.name.isSameColumn(as: row.table) }) {
      let released = Quoting.parameter(arguments.count + 1)
      let kept = Quoting.parameter(arguments.count + 2)
      // The plus keeps SQLite from scanning all kept rows.
      let statement = try connection.statement(
        "UPDATE \(name) SET \(Expiry.column) = \(released) WHERE \(isRow) AND +\(Expiry.column) = \(kept)")
      try statement.bind(arguments + [.value(.real(Expiry.released)), .value(.real(Expiry.kept))])
      try connection.run(statement, context: ErrorContext(table))
      hasReleased = connection.changeCount > 0
    }
    for link in links where link.rule == "CASCADE" && link.table.isSameColumn(as: row.table) {
      let columns = link.columns.map(Quoting.name).joined(separator: ", ")
      let owners = try connection.query("SELECT \(columns) FROM \(name) WHERE \(isRow)", row.values)
      for owner in owners {
        let target = ReferredRow(table: link.target, columns: link.targetColumns, values: owner.map(\.value))
        if try review(target, &seen) { hasReleased = true }
      }
    }
    return hasReleased
  }
}

/// The removed references that triggers have recorded.
private final class HeardReleases: Sendable {
  struct Release: Hashable, Sendable {
    let link: Int
    let values: [Value]
  }

  private let releases = Mutex<Set<Release>>([])

  func listen(on connection: Connection) {
    let clock = connection.environment.clock
    ScalarFunction("larder_release", -1, isDeterministic: false) { [self] values in
      guard let link = values.first?.integer else { return .null }
      let release = Release(link: Int(link), values: Array(values.dropFirst()))
      if releases.withLock({ $0.insert(release).inserted }) { clock.noteRelease() }
      return .null
    }.register(on: connection.handle)
  }

  func take() -> [Release] {
    releases.withLock { releases in
      defer { releases.removeAll() }
      return Array(releases)
    }
  }
}

/// A foreign key in the file.
struct ReferenceLink: Hashable {
  let table: String
  let columns: [String]
  let target: String
  let targetColumns: [String]
  let rule: String

  /// Returns all foreign keys of the file.
  static func all(in connection: Connection) throws -> [ReferenceLink] {
    let tables = try connection.query("SELECT name FROM main.sqlite_master WHERE type = 'table'").compactMap {
      $0["name"]?.text
    }
    return try tables.flatMap { table in
      let rows = try connection.query("PRAGMA main.foreign_key_list(\(Quoting.name(table)))")
      return try Dictionary(grouping: rows) { $0["id"]?.integer ?? 0 }.sorted { $0.key < $1.key }.map { _, parts in
        let target: String = try parts[0].get("table")
        let columns = parts.sorted { ($0["seq"]?.integer ?? 0) < ($1["seq"]?.integer ?? 0) }
        let named = columns.compactMap { $0["to"]?.text }
        return ReferenceLink(
          table: table, columns: columns.compactMap { $0["from"]?.text }, target: target,
          targetColumns: named.count == columns.count ? named : try primaryKey(of: target, connection),
          rule: try parts[0].get("on_delete"))
      }
    }
  }

  private static func primaryKey(of table: String, _ connection: Connection) throws -> [String] {
    let rows = try connection.query("PRAGMA main.table_info(\(Quoting.name(table)))").filter {
      ($0["pk"]?.integer ?? 0) > 0
    }
    return rows.sorted { ($0["pk"]?.integer ?? 0) < ($1["pk"]?.integer ?? 0) }.compactMap { $0["name"]?.text }
  }

  /// Returns the foreign keys that can keep expired rows: those that deny a deletion, and those that cascade to where
  /// it is denied.
  static func keeping(_ tables: [String], _ links: [ReferenceLink]) -> [ReferenceLink] {
    var keeping: [ReferenceLink] = []
    var pending = tables
    while let table = pending.popLast() {
      for link in links where link.target.isSameColumn(as: table) && !keeping.contains(link) {
        var seen: Set<String> = []
        guard link.refuses || (link.rule == "CASCADE" && canRefuse(link.table, links, &seen)) else { continue }
        keeping.append(link)
        if link.rule == "CASCADE" { pending.append(link.table) }
      }
    }
    return keeping
  }

  /// Returns the foreign keys that keep expired rows, and those by which rules delete the rows that hold these.
  static func deciding(_ keeping: [ReferenceLink], _ links: [ReferenceLink]) -> [ReferenceLink] {
    var deciding = keeping
    var pending = Array(Set(keeping.map(\.table)))
    while let table = pending.popLast() {
      for link in links where link.rule == "CASCADE" && link.table.isSameColumn(as: table) && !deciding.contains(link) {
        deciding.append(link)
        pending.append(link.target)
      }
    }
    return deciding
  }

  private var refuses: Bool { rule == "RESTRICT" || rule == "NO ACTION" }

  /// Returns whether something can deny the deletion of the table's rows.
  private static func canRefuse(_ table: String, _ links: [ReferenceLink], _ seen: inout Set<String>) -> Bool {
    guard seen.insert(table.asciiLowercased).inserted else { return false }
    for link in links where link.target.isSameColumn(as: table) {
      if link.refuses || (link.rule == "CASCADE" && canRefuse(link.table, links, &seen)) { return true }
    }
    return false
  }
}
