import Larder

extension ReplicaFile {
  /// The columns of metadata that ``metadata(_:)`` reads.
  private static let columns =
    "id, table_id, length, time, replica, deletion_time, deletion_replica, position, source, status"

  private struct Metadata {
    let id: Int64
    let table: Int64
    let key: [ReplicatedValue]
    let length: Int64
    let insertion: Stamp
    let stamp: Stamp
    let position: Int64
    let source: Int64?
    let status: RowStatus
  }

  private var selection: String { ([Self.columns] + SyncTables.keys(keyCount)).joined(separator: ", ") }

  private func metadata(_ row: StatementRow) throws -> Metadata {
    let insertion = try stamp(row.integer(3), row.integer(4))
    let deletion = try row.optionalInteger(5).map { try stamp($0, row.integer(6)) }
    guard let status = RowStatus(rawValue: row.integer(9)) else { throw damaged }
    let table = row.integer(1)
    let key = (0..<Swift.min(keyCount, try name(table).keyCount)).map { row.value(Int32(10 + $0)) }
    return Metadata(
      id: row.integer(0), table: table, key: key, length: row.integer(2), insertion: insertion,
      stamp: deletion ?? insertion, position: row.integer(7), source: row.optionalInteger(8), status: status)
  }

  /// Returns the row; nil if it was never heard of.
  func row(_ rowKey: RowKey) throws -> StoredRow? {
    guard let table = try knownTableID(of: rowKey.table), rowKey.key.count <= keyCount else { return nil }
    let found = try connection.first(
      "SELECT \(selection) FROM \(SyncTables.rows) WHERE \(keyCondition)", arguments(table, rowKey.key), metadata)
    return try found.map(stored)
  }

  /// Returns the row with these metadata.
  func row(_ id: Int64) throws -> StoredRow? {
    try connection.first("SELECT \(selection) FROM \(SyncTables.rows) WHERE id = ?1", [.integer(id)], metadata).map(
      stored)
  }

  /// Returns the status of a row, and its number; nil if it was never heard of.
  func status(_ rowKey: RowKey) throws -> (id: Int64, status: RowStatus, isThere: Bool)? {
    guard let table = try knownTableID(of: rowKey.table), rowKey.key.count <= keyCount else { return nil }
    return try connection.first(
      "SELECT id, status, length FROM \(SyncTables.rows) WHERE \(keyCondition)", arguments(table, rowKey.key)
    ) { row in
      guard let status = RowStatus(rawValue: row.integer(1)) else { throw damaged }
      return (row.integer(0), status, row.integer(2) % 2 == 1)
    }
  }

  private func knownTableID(of name: String) throws -> Int64? {
    try table(name)?.id ?? Tracker(connection).tableID(of: name)
  }

  /// Returns rows that changed after a position, in the order of their changes.
  ///
  /// - Parameters:
  ///   - position: The position after which they changed.
  ///   - end: The last position.
  ///   - limit: The greatest number of rows.
  ///   - recipient: The number of a replica; what came from it as it is, is left out.
  func rows(
    after position: Int64, upTo end: Int64, limit: Int, exceptFrom recipient: Int64? = nil
  ) throws -> [StoredRow] {
    let found = try connection.rows(
      """
      SELECT \(selection) FROM \(SyncTables.rows) WHERE position > ?1 AND position <= ?2 AND status <> 6 \
      AND source IS NOT ?3 ORDER BY position LIMIT ?4
      """,
      [.integer(position), .integer(end), recipient.map { .integer($0) } ?? .integer(-1), .integer(Int64(limit))],
      metadata)
    return try found.map(stored)
  }

  /// Returns the rows whose metadata meet a condition.
  func rows(where condition: String) throws -> [StoredRow] {
    try connection.rows("SELECT \(selection) FROM \(SyncTables.rows) WHERE \(condition)", [], metadata).map(stored)
  }

  // MARK: Values

  struct Cell {
    let length: Int64
    let stamp: Stamp
    let isHeld: Bool
    let value: ReplicatedValue

    /// Whether nobody has written the property: the row comes from a model that lacks it.
    var isAbsent: Bool { stamp.time == 0 }
  }

  private func stored(_ metadata: Metadata) throws -> StoredRow {
    let table = self.table(metadata.table)
    var cells: [Int64: Cell] = [:]
    let sql = """
      SELECT property, length, time, replica, held, value FROM \(SyncTables.cells) \
      WHERE row = ?1 AND held <> \(Holding.excess.rawValue)
      """
    for (property, cell) in try connection.rows(
      sql, [.integer(metadata.id)],
      { row in
        (
          row.integer(0),
          Cell(
            length: row.integer(1), stamp: try stamp(row.integer(2), row.integer(3)), isHeld: row.integer(4) != 0,
            value: row.value(5))
        )
      })
    { cells[property] = cell }
    var properties: [PropertyState] = []
    var hidden: Set<String> = []
    var shownValues: [ReplicatedValue] = []
    let insertionLength = metadata.length - 1 + metadata.length % 2
    if CollectionName.collection(try name(metadata.table).name) != nil {
      let row = RowState(
        table: "", key: [], causalLength: metadata.length, stamp: metadata.stamp, insertion: metadata.insertion,
        properties: [])
      var shown: [String: ReplicatedValue]?
      if let table, metadata.status == .visible {
        guard let values = try values(of: metadata.key, in: table) else { throw damaged }
        shown = Dictionary(zip(table.properties.map(\.column.name), values)) { $1 }
      }
      properties = try documentProperties(of: row, shown: shown, in: metadata.table, cells)
      cells = [:]
    } else if let table, metadata.status == .visible {
      // A row that is gone although nobody has recorded it was deleted without triggers.
      guard let values = try values(of: metadata.key, in: table) else { throw damaged }
      for (property, value) in zip(table.properties, values) {
        let cell = cells.removeValue(forKey: property.id)
        let isAbsent = cell.map { $0.isAbsent } ?? (metadata.insertion.time <= property.absentUntil)
        shownValues.append(property.isCounter || isAbsent || cell?.isHeld == true ? value : .null)
        if property.isCounter || isAbsent { continue }
        if cell?.isHeld == true { hidden.insert(property.name) }
        properties.append(
          PropertyState(
            name: property.name, value: cell.flatMap { $0.isHeld ? $0.value : nil } ?? value,
            stamp: cell?.stamp ?? metadata.insertion, causalLength: cell?.length ?? insertionLength))
      }
    }
    if !cells.isEmpty {
      for property in try self.properties(of: metadata.table) {
        guard let cell = cells[property.id], !cell.isAbsent else { continue }
        properties.append(
          PropertyState(name: property.name, value: cell.value, stamp: cell.stamp, causalLength: cell.length))
      }
    }
    properties.sort { $0.name < $1.name }
    let state = RowState(
      table: try name(metadata.table).name, key: metadata.key, causalLength: metadata.length, stamp: metadata.stamp,
      insertion: metadata.insertion, properties: properties,
      contributions: try contributions(of: metadata.id, metadata.table, since: insertionLength),
      losses: try losses(of: metadata.id, metadata.table))
    return StoredRow(
      id: metadata.id, state: state.withoutRepeatedLosses, status: metadata.status, hidden: hidden, shown: shownValues,
      position: metadata.position, source: metadata.source)
  }

  /// The values of the table's row, in the order of its properties; nil if there is none.
  private func values(of key: [ReplicatedValue], in table: TrackedTable) throws -> [ReplicatedValue]? {
    try connection.first(selectionOfValues(table), key) { row in
      table.properties.indices.map { row.value(Int32($0)) }
    }
  }
}
