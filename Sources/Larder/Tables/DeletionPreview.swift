/// What the deletion of a row would do to others, by the delete rules.
public struct DeletionPreview: Sendable, Hashable {
  /// Rows of one table that a rule reaches by one of its references.
  public struct Reach: Sendable, Hashable {
    /// The table.
    public let table: String
    /// The property that refers to a row that would be deleted.
    public let property: String
    /// The number of rows.
    public let count: Int
  }

  /// The number of rows that would be deleted in each table, the row itself among them.
  public internal(set) var deleted: [String: Int] = [:]
  /// The rows that would stay without a reference.
  public internal(set) var cleared: [Reach] = []
  /// The rows because of which nothing would be deleted.
  public internal(set) var denied: [Reach] = []
  /// Whether all rows were looked at. After ``limit`` rows nobody looks further.
  public internal(set) var isComplete = true

  /// The number of deleted rows after which the preview ends.
  public static let limit = 10_000
}

extension StoreReader {
  /// Returns what the deletion of a row would do, without doing it.
  ///
  /// - Parameters:
  ///   - key: The values of the key's properties, in their order.
  ///   - table: The name of the table, or of the model.
  /// - Returns: The preview.
  /// - Throws: ``StoreError`` `.notFound` if no row has the key, and the codes of any read.
  /// - Complexity: A look-up by an index for each relationship of each row that would be deleted.
  public func deletionPreview(ofRowWith key: [Value], in table: String) throws -> DeletionPreview {
    try _read { access in
      try access.connection.inOneView { try access.connection.deletionPreview(of: key, in: table) }
    }
  }
}

extension Store {
  /// Returns what the deletion of a row would do, without doing it.
  ///
  /// - Parameters:
  ///   - key: The values of the key's properties, in their order.
  ///   - table: The name of the table, or of the model.
  /// - Returns: The preview.
  /// - Throws: ``StoreError`` `.notFound` if no row has the key, and the codes of any read.
  public func deletionPreview(ofRowWith key: [Value], in table: String) async throws -> DeletionPreview {
    try await reading { connection in try connection.inOneView { try connection.deletionPreview(of: key, in: table) } }
  }
}

/// The rows that a deletion reaches.
private struct DeletionReach {
  struct Row: Hashable {
    let table: String
    let key: [Value]
  }

  struct Place: Hashable {
    let table: String
    let property: String
  }

  var deleted: Set<Row> = []
  /// The rows whose deletion still has to be followed.
  var waiting: [Row] = []
  var cleared: [Place: Set<Row>] = [:]
  var denied: [Place: Set<Row>] = [:]

  mutating func delete(_ row: Row) {
    if deleted.insert(row).inserted { waiting.append(row) }
  }

  /// Returns the rows that aren't deleted themselves, by table and property.
  func staying(_ rows: [Place: Set<Row>]) -> [DeletionPreview.Reach] {
    rows.compactMap { place, rows in
      let count = rows.subtracting(deleted).count
      return count > 0 ? DeletionPreview.Reach(table: place.table, property: place.property, count: count) : nil
    }.sorted { ($0.table, $0.property) < ($1.table, $1.property) }
  }
}

extension Connection {
  fileprivate func deletionPreview(of key: [Value], in name: String) throws -> DeletionPreview {
    let table = try description(of: name)
    var tables = [table.name: table]
    var reach = DeletionReach()
    reach.delete(DeletionReach.Row(table: table.name, key: try storedKey(of: table, key)))
    var preview = DeletionPreview()
    while let row = reach.waiting.popLast() {
      guard reach.deleted.count <= DeletionPreview.limit else {
        preview.isComplete = false
        break
      }
      let table = try tables[row.table] ?? description(of: row.table)
      for relationship in table.relationships where relationship.kind == .toMany {
        let other = try tables[relationship.target] ?? description(of: relationship.target)
        tables[relationship.target] = other
        try follow(relationship, of: row, in: table, to: other, &reach)
      }
    }
    for row in reach.deleted { preview.deleted[row.table, default: 0] += 1 }
    preview.cleared = reach.staying(reach.cleared)
    preview.denied = reach.staying(reach.denied)
    return preview
  }

  private func follow(
    _ relationship: TableDescription.Relationship, of row: DeletionReach.Row, in table: TableDescription,
    to other: TableDescription, _ reach: inout DeletionReach
  ) throws {
    guard case .reference(let column) = relationship.rows, let property = other.property(column) else { return }
    let referring = try referringKeys(relationship, column, row, table, other)
    let rows = referring.map { DeletionReach.Row(table: other.name, key: $0) }
    let place = DeletionReach.Place(table: other.name, property: property.name)
    switch relationship.deleteRule {
    case .cascade: for row in rows { reach.delete(row) }
    case .nullify: reach.cleared[place, default: []].formUnion(rows)
    default: reach.denied[place, default: []].formUnion(rows)
    }
  }

  /// Returns the keys of the rows whose column refers to the row.
  private func referringKeys(
    _ relationship: TableDescription.Relationship, _ column: String, _ row: DeletionReach.Row,
    _ table: TableDescription, _ other: TableDescription
  ) throws -> [[Value]] {
    let keys = other.key.isEmpty ? [other.rowID].compactMap { $0 } : other.key.map(\.column)
    guard !keys.isEmpty, !row.key.isEmpty else { return [] }
    let isKey = table.key.enumerated().map { "\(Quoting.name($1.column)) IS \(Quoting.parameter($0 + 1))" }
    let sql = """
      SELECT \(keys.map(Quoting.name).joined(separator: ", ")) FROM \(Quoting.name(other.name)) \
      WHERE \(Quoting.name(column)) = (SELECT \(Quoting.name(relationship.key)) FROM \(Quoting.name(table.name)) \
      WHERE \(isKey.joined(separator: " AND ")))
      """
    return try rows(SQL(raw: sql, arguments: row.key)).map { row in row.map(\.value) }
  }
}
