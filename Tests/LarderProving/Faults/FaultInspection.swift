import Foundation
import Larder

/// What the files of a store say, and whether they are whole.
enum FaultInspection {
  /// All rows and all statements of the schema, a line each, in an order that does not depend on how they came there.
  ///
  /// What is Larder's own bookkeeping about attachments that nobody uses is left out, for it is tidied up at any time;
  /// so is what is written to see that the store goes on. What sync keeps has the times of its writes, and the bytes of its
  /// attachments may come later than the rows.
  ///
  /// - Parameter query: Executes a statement and returns its first column.
  static func dump(_ query: (String) throws -> [String]) throws -> [String] {
    var lines = try query(
      """
      select type || ' ' || name || ': ' || sql from main.sqlite_master \
      where sql is not null and name not like '%larder_attachment%' and name not like 'sqlite_%' order by 1
      """)
    let tables = try query(
      "select name from main.sqlite_master where type = 'table' and name not like 'sqlite_%' order by 1")
    let virtual = try query(
      "select name from main.sqlite_master where type = 'table' and sql like 'create virtual%' order by 1")
    let isSynced = tables.contains { $0.hasPrefix(syncPrefix) }
    for table in tables
    where table != "Probe" && !table.hasPrefix("_larder_attachment_") && !table.hasPrefix(syncPrefix)
      && !virtual.contains(where: { table == $0 || table.hasPrefix($0 + "_") })
    {
      let columns = try query("select name from pragma_table_info(\(text(table))) order by cid")
        .filter { table != "_larder_attachments" || $0 != "version" && !($0 == "size" && isSynced) }
      let line = columns.map { "quote(\(name($0)))" }.joined(separator: " || ', ' || ")
      let conditions = [
        table == "_larder_attachments" ? "uses > 0" : nil,
        // Rows whose time has come are not there, and are removed at any time.
        columns.contains("_expires")
          ? "(_expires is null or _expires > \(FaultSample.now.timeIntervalSinceReferenceDate))" : nil,
      ]
      let condition = conditions.compactMap { $0 }.map { " where " + $0 }.first ?? ""
      lines += try query("select \(line) from main.\(name(table))\(condition) order by 1").map { "\(table): \($0)" }
    }
    return lines
  }

  private static let syncPrefix = "_larder_sync_"

  static func dump(_ store: Store) throws -> [String] {
    try store.blocking.read { db in
      try dump { sql in try db.sql(SQL(raw: sql)).map { $0.first?.value.text ?? "NULL" } }
    }
  }

  /// The dump of a file that no store has open; empty if it is not there.
  static func dump(_ file: URL) throws -> [String] {
    guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else { return [] }
    let database = try FaultDatabase(file)
    return try dump { try database.column($0) }
  }

  /// What the file's own checks find.
  static func integrity(_ file: URL) throws -> [String] {
    let database = try FaultDatabase(file)
    let integrity = try database.column("pragma integrity_check").filter { $0 != "ok" }
    return integrity
      + (try database.column("select \"table\" || ' refers to a row of ' || parent from pragma_foreign_key_check"))
  }

  /// What Larder's own checks find in an open store.
  static func check(_ store: Store) throws -> [String] {
    var problems = try store.blocking.verifyDerived().map(\.description)
    let attachments = try store.blocking.verifyAttachments()
    let awaited = try awaited(store)
    problems += attachments.missing.filter { !awaited.contains($0.digest) }.map {
      "the bytes of attachment \($0.digest) are missing"
    }
    problems += attachments.damaged.map { "the bytes of attachment \($0.digest) are damaged" }
    let indexes = try store.blocking.sql(
      "select name from main.sqlite_master where sql like 'create virtual table%fts5%'"
    ).compactMap {
      $0.first?.value.text
    }
    for index in indexes {
      do {
        try store.blocking.sql(
          SQL(raw: "insert into \(name(index)) (\(name(index)), rank) values ('integrity-check', 1)"))
      } catch {
        problems.append("the full-text index \(index) does not fit its table (\(error))")
      }
    }
    return problems
  }

  /// The digests of attachments that rows of other replicas name, and that have not come.
  private static func awaited(_ store: Store) throws -> Set<String> {
    guard try !store.blocking.sql("select 1 from main.sqlite_master where name = '_larder_sync_attachments'").isEmpty
    else { return [] }
    return Set(
      try store.blocking.sql("select digest from _larder_sync_attachments where position is null").compactMap {
        $0.first?.value.text
      })
  }

  /// Files that something unfinished has left behind.
  static func leftovers(_ place: FaultPlace) -> [String] {
    place.keepsFiles ? [] : place.names.filter { $0.contains(".partial") }.map { "\($0) was left behind" }
  }

  /// Whether a backup is whole and holds a state of the store.
  static func backup(_ copy: URL, of store: URL) throws -> [String] {
    var problems = try integrity(copy).map { "the backup: \($0)" }
    if try dump(copy) != dump(store) { problems.append("the backup holds other rows than the store") }
    return problems
  }

  private static func name(_ text: String) -> String { "\"" + text.replacing("\"", with: "\"\"") + "\"" }
  private static func text(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }
}

extension Value {
  fileprivate var text: String? {
    if case .text(let text) = self { text } else { nil }
  }
}
