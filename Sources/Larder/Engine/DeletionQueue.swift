/// The rows of one table that wait to be deleted, one by one.
///
/// Temporary triggers keep every deletion from happening and add its row to the queue, except for the first row of the
/// queue. So the deletion of a row by a delete rule leads to no further deletions.
struct DeletionQueue {
  /// The table's name in the file.
  let table: String
  private let name: String
  /// The names of the columns that identify a row, as SQL.
  private let keys: [String]

  private static let number = "number"

  /// Returns queues for the tables in which delete rules may lead from row to row without end.
  static func all(for connection: Connection) throws -> [DeletionQueue] {
    var cascades: [String: Set<String>] = [:]
    for key in try ForeignKey.all(in: connection) where key.deleteRule == "CASCADE" {
      cascades[key.parent.asciiLowercased, default: []].insert(key.child.asciiLowercased)
    }
    let reached = DeletionGraph.reached(by: cascades, from: Array(cascades.keys))
    return try reached.filter { $0.value.contains($0.key) }.keys.sorted().compactMap {
      try DeletionQueue($0, connection)
    }
  }

  private init?(_ table: String, _ connection: Connection) throws {
    let columns = try connection.query("PRAGMA main.table_xinfo(\(Quoting.name(table)))")
    let names = columns.compactMap { $0["name"]?.text }
    let info = try connection.query("PRAGMA main.table_list(\(Quoting.name(table)))").first
    let rowID = ["rowid", "oid", "_rowid_"].first { name in !names.contains { $0.isSameColumn(as: name) } }
    if info?["wr"] == 0, let rowID {
      keys = [rowID]
    } else {
      let primary = columns.filter { ($0["pk"]?.integer ?? 0) > 0 }
      keys = primary.compactMap { $0["name"]?.text.map(Quoting.name) }
    }
    guard !keys.isEmpty else { return nil }
    self.table = table
    name = "\(ReservedNames.prefix)deletions_\(UnambiguousName([table] + keys))"
  }

  // MARK: SQL

  private var list: String { keys.joined(separator: ", ") }
  private var values: [String] { keys.indices.map { "value\($0)" } }
  private var first: String {
    "(SELECT \(values.joined(separator: ", ")) FROM temp.\(Quoting.name(name)) ORDER BY \(Self.number) LIMIT 1)"
  }

  /// The table stays when the queue is empty: SQLite can't drop it while another statement is in the middle of its rows.
  private var createTable: String {
    let values = values.joined(separator: ", ")
    return
      "CREATE TEMP TABLE IF NOT EXISTS \(Quoting.name(name)) (\(Self.number) INTEGER PRIMARY KEY, \(values), UNIQUE (\(values)))"
  }

  private var createTrigger: String {
    let row = keys.map { "OLD.\($0)" }.joined(separator: ", ")
    return """
      CREATE TEMP TRIGGER \(trigger) BEFORE DELETE ON main.\(Quoting.name(table)) WHEN (\(row)) IS NOT \(first) BEGIN \
      INSERT OR IGNORE INTO \(Quoting.name(name)) (\(values.joined(separator: ", "))) VALUES (\(row)); \
      SELECT RAISE(IGNORE); END
      """
  }

  private var trigger: String { Quoting.name("\(name)_trigger") }

  // MARK: Work

  /// Begins to keep deletions from happening.
  func begin(on connection: Connection) throws {
    try connection.change(createTable)
    try connection.change(createTrigger)
  }

  /// Lets deletions happen again.
  func end(on connection: Connection) throws {
    try connection.change("DROP TRIGGER temp.\(trigger)")
  }

  func count(on connection: Connection) throws -> Int {
    let row = try connection.query("SELECT count(*) AS count FROM temp.\(Quoting.name(name))").first
    return Int(row?["count"]?.integer ?? 0)
  }

  /// Deletes the first row. Returns false if the queue is empty.
  func deleteFirst(on connection: Connection) throws -> Bool {
    try connection.run(try connection.statement("DELETE FROM main.\(Quoting.name(table)) WHERE (\(list)) = \(first)"))
    try connection.run(
      try connection.statement(
        "DELETE FROM temp.\(Quoting.name(name)) WHERE \(Self.number) = (SELECT min(\(Self.number)) FROM temp.\(Quoting.name(name)))"
      ))
    return connection.changeCount > 0
  }
}
