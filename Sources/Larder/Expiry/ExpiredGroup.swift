/// A search for expired rows that keep each other, and that nothing else keeps.
///
/// A reference that denies deletions keeps the row to which it refers, unless its own row goes as well: because that has
/// expired too, or because a delete rule deletes it with another row that goes. So the search follows references
/// backwards, from the rows that are tried to all that refer to them; and forwards, from those that haven't expired to
/// the rows with which a rule deletes them. What a remaining row refers to remains; the rest can be deleted together.
///
/// ```
/// A ◀── B ◀── C      all have expired: they go, in whatever batches they are tried
/// └───────────▲
///
/// A ◀── B ◀── c ──▷ A      c hasn't expired, and goes with A
/// ```
struct ExpiredGroup {
  private struct Row: Hashable {
    /// The position of the table in ``tables``.
    let table: Int
    let number: Int64
  }

  private struct Node {
    /// Whether the row has expired.
    var hasExpired: Bool
    var remains = false
    /// Whether the rows that refer to the row were looked up.
    var isFollowed = false
    /// Whether the rows with which a delete rule deletes the row were looked up.
    var isTraced = false
    /// The rows that this one keeps while it remains.
    var targets: [Row] = []
    /// The rows that are deleted with this one.
    var members: [Row] = []
  }

  /// A table that the references lead to.
  private struct Table {
    let name: String
    /// The SQL name of the row ID; nil if the table has none.
    let row: String?
    let definition: TableDefinition?
    /// The references to the table.
    let links: [ReferenceLink]
    /// The references of the table by which rules delete its rows.
    let owners: [ReferenceLink]
  }

  private let connection: Connection
  private let links: [ReferenceLink]
  private let span: ExpirySpan
  private var tables: [Table] = []
  private var nodes: [Row: Node] = [:]
  /// The rows that haven't expired, and are yet to be traced.
  private var untraced: [Row] = []

  /// - Parameters:
  ///   - links: The references that can keep expired rows, and those by which rules delete the rows that keep them.
  ///   - span: The range of expiry dates whose rows may be deleted.
  init(_ connection: Connection, _ links: [ReferenceLink], _ span: ExpirySpan) {
    self.connection = connection
    self.links = links
    self.span = span
  }

  /// Returns the rows of such groups that have expired, by their tables.
  ///
  /// - Parameter rows: The row IDs of the rows to begin with.
  /// - Complexity: A few statements for each level of references, and memory for the rows that refer to these and those
  ///   that go with them, up to the first ones that remain.
  mutating func rows(beginningWith rows: [Int64], of table: TableDefinition) throws -> [(TableDefinition, [Int64])] {
    let start = try position(of: table.name)
    var level = rows.map { Row(table: start, number: $0) }
    for row in level { nodes[row] = Node(hasExpired: true, isFollowed: true) }
    while !level.isEmpty {
      try connection.checkInterruption()
      level = try follow(level)
    }
    keepOthers()
    let going = nodes.filter { !$0.value.remains && $0.value.hasExpired }.keys
    return Dictionary(grouping: going, by: \.table).sorted { $0.key < $1.key }.compactMap { table, rows in
      tables[table].definition.map { ($0, rows.map(\.number).sorted()) }
    }
  }

  private mutating func position(of name: String) throws -> Int {
    if let known = tables.firstIndex(where: { $0.name.isSameColumn(as: name) }) { return known }
    tables.append(
      Table(
        name: name, row: try TableState.read(name, from: connection)?.rowNumber,
        definition: connection.environment.tables.first { $0.expires && $0.name.isSameColumn(as: name) },
        links: links.filter { $0.target.isSameColumn(as: name) },
        owners: links.filter { $0.rule == "CASCADE" && $0.table.isSameColumn(as: name) }))
    return tables.count - 1
  }

  /// Notes what refers to the rows, and returns the rows that may go as well.
  private mutating func follow(_ rows: [Row]) throws -> [Row] {
    var next: [Row] = []
    for (table, rows) in Dictionary(grouping: rows, by: \.table).sorted(by: { $0.key < $1.key }) {
      for link in tables[table].links { next += try follow(link, to: table, rows.map(\.number)) }
    }
    while !untraced.isEmpty {
      let rows = Dictionary(grouping: untraced, by: \.table).sorted { $0.key < $1.key }
      untraced = []
      for (table, rows) in rows {
        for link in tables[table].owners { next += try trace(link, of: table, rows.map(\.number)) }
      }
    }
    return next
  }

  /// Notes with which rows a rule deletes the rows, and returns those that have expired.
  private mutating func trace(_ link: ReferenceLink, of table: Int, _ numbers: [Int64]) throws -> [Row] {
    let owner = try position(of: link.target)
    let (source, target) = (tables[table], tables[owner])
    guard let sourceRow = source.row, let targetRow = target.row else { return [] }
    let sql = """
      SELECT j.value AS source, t.\(targetRow) AS target, (\(hasExpired("t", target))) IS TRUE AS expired \
      FROM json_each(?1) AS j CROSS JOIN main.\(Quoting.name(source.name)) AS c ON c.\(sourceRow) = j.value \
      CROSS JOIN main.\(Quoting.name(target.name)) AS t ON \(isSame(link))
      """
    var next: [Row] = []
    for found in try connection.query(sql, arguments(numbers, target)) {
      let member = Row(table: table, number: try found.get("source"))
      let row = Row(table: owner, number: try found.get("target"))
      add(row, hasExpired: found["expired"] == 1)
      guard nodes[row]?.members.contains(member) == false else { continue }
      nodes[row]?.members.append(member)
      nodes[member]?.targets.append(row)
      // Both go only if nothing keeps them.
      for row in [row, member] where nodes[row]?.isFollowed == false {
        guard row == member || nodes[row]?.hasExpired == true else { continue }
        nodes[row]?.isFollowed = true
        next.append(row)
      }
    }
    return next
  }

  private func isSame(_ link: ReferenceLink) -> String {
    zip(link.columns, link.targetColumns).map { "c.\(Quoting.name($0)) = t.\(Quoting.name($1))" }
      .joined(separator: " AND ")
  }

  /// The condition that a row has expired, of which ``arguments(_:_:)`` are the arguments.
  private func hasExpired(_ alias: String, _ table: Table) -> String {
    let end = "\(alias).\(Expiry.column)"
    return table.definition == nil ? "FALSE" : "\(end) IN (?4, ?5) OR (\(end) > ?2 AND \(end) <= ?3)"
  }

  private func arguments(_ numbers: [Int64], _ table: Table) -> [Value] {
    let list = Value.text("[\(numbers.map(String.init).joined(separator: ","))]")
    let ends = [span.after, span.until, Expiry.kept, Expiry.released].map(Value.real)
    return [list] + (table.definition == nil ? [] : ends)
  }

  /// Adds a row unless it is known.
  private mutating func add(_ row: Row, hasExpired: Bool) {
    guard nodes[row] == nil else { return }
    nodes[row] = Node(hasExpired: hasExpired, isTraced: !hasExpired)
    if !hasExpired { untraced.append(row) }
  }

  private mutating func follow(_ link: ReferenceLink, to table: Int, _ numbers: [Int64]) throws -> [Row] {
    let child = try position(of: link.table)
    let (source, target) = (tables[child], tables[table])
    guard let targetRow = target.row else { return [] }
    // Rows of a table in which nothing expires or is deleted by a rule remain: that there is one is enough.
    let canGo =
      source.definition != nil || links.contains { $0.rule == "CASCADE" && $0.table.isSameColumn(as: link.table) }
    let rows = "FROM json_each(?1) AS j CROSS JOIN main.\(Quoting.name(target.name)) AS t ON t.\(targetRow) = j.value"
    let children = "main.\(Quoting.name(source.name)) AS c"
    guard canGo, let sourceRow = source.row else {
      let sql = "SELECT j.value AS target \(rows) WHERE EXISTS (SELECT 1 FROM \(children) WHERE \(isSame(link)))"
      for row in try connection.query(sql, [arguments(numbers, source)[0]]) {
        nodes[Row(table: table, number: try row.get("target"))]?.remains = true
      }
      return []
    }
    let sql =
      "SELECT j.value AS target, c.\(sourceRow) AS source, (\(hasExpired("c", source))) IS TRUE AS expired \(rows) CROSS JOIN \(children) ON \(isSame(link))"
    return try connection.query(sql, arguments(numbers, source)).compactMap { found in
      let row = Row(table: child, number: try found.get("source"))
      return note(
        row, hasExpired: found["expired"] == 1, Row(table: table, number: try found.get("target")),
        isMember: link.rule == "CASCADE")
    }
  }

  /// Notes that a row refers to another. Returns the row if it may go, and what refers to it is yet to be looked up.
  private mutating func note(_ row: Row, hasExpired: Bool, _ target: Row, isMember: Bool) -> Row? {
    add(row, hasExpired: hasExpired)
    nodes[row]?.targets.append(target)
    if isMember { nodes[target]?.members.append(row) }
    guard hasExpired || isMember, nodes[row]?.isFollowed == false else { return nil }
    nodes[row]?.isFollowed = true
    return row
  }

  /// Marks the rows that remain: those that nothing deletes, and from row to row what they refer to.
  private mutating func keepOthers() {
    var remaining = nodes.filter(\.value.remains).map(\.key)
    repeat {
      while let row = remaining.popLast() {
        for target in nodes[row]?.targets ?? [] where nodes[target]?.remains == false {
          nodes[target]?.remains = true
          remaining.append(target)
        }
      }
      var going = nodes.filter { $0.value.hasExpired && !$0.value.remains }.map(\.key)
      var seen = Set(going)
      while let row = going.popLast() {
        for member in nodes[row]?.members ?? [] where nodes[member]?.remains == false {
          if seen.insert(member).inserted { going.append(member) }
        }
      }
      remaining = nodes.filter { !$0.value.remains && !seen.contains($0.key) }.map(\.key)
      for row in remaining { nodes[row]?.remains = true }
    } while !remaining.isEmpty
  }
}
