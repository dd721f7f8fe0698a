import Larder

/// The rows of which the values decide whether a program can show them.
///
/// Whoever sets such a row aside, or shows it without knowing its model, notes it. A program with other types that opens the file
/// decides about the noted rows anew.
extension Tracker {
  /// The number of noted rows that are read, and decided about in one transaction.
  private static let chunkSize = 500

  /// Lets the rows that aren't visible be computed anew.
  func unsettle() throws { try connection.run("UPDATE \(SyncTables.clock) SET settled = -abs(settled)") }

  /// Computes the noted rows that this program's types decide about otherwise, in transactions of its own.
  ///
  /// A row that can't be read or written, because the file is damaged or a trigger of the program forbids it, stays noted and
  /// keeps no other from its turn.
  ///
  /// - Returns: The first error of a row.
  /// - Throws: The errors of any write that each row would meet.
  /// - Complexity: Proportional to the number of noted rows of the models that this program declares.
  func judge() throws -> StoreError? {
    var failure: StoreError?
    try forEachChunk { table, rows, file in
      let decidable = try rows.filter { row in try attempt({ try verdict(row, file) }, &failure) ?? .stays != .stays }
      if decidable.isEmpty { return true }
      do {
        try decide(table, decidable)
      } catch let error as StoreError where !error.concernsAllRows {
        for row in decidable { _ = try attempt({ try decide(table, [row]) }, &failure) }
      }
      return true
    }
    return failure
  }

  /// Whether this program's types decide otherwise about a noted row. It only reads, and leaves out what it can't read.
  func hasDueRows() throws -> Bool {
    guard try hasTable(SyncTables.unjudged) else { return false }
    var (isDue, ignored) = (false, StoreError?.none)
    try forEachChunk { _, rows, file in
      isDue = try rows.contains { row in try attempt({ try verdict(row, file) }, &ignored) == .isDue }
      return !isDue
    }
    return isDue
  }

  /// What the closure returns, or nil if it fails because of a row; `failure` becomes the error then, if it has none.
  private func attempt<Result>(_ body: () throws -> Result, _ failure: inout StoreError?) throws -> Result? {
    do {
      return try body()
    } catch let error as StoreError where !error.concernsAllRows {
      failure = failure ?? error
      return nil
    }
  }

  /// Hands over the noted rows of each table of the program's models, some at a time, until the closure returns false.
  private func forEachChunk(_ body: (Int64, [Int64], ReplicaFile) throws -> Bool) throws {
    let file = try ReplicaFile(connection)
    for table in file.tables where !table.isDescribed && !table.isCollection {
      var rows = try noted(table.id, after: .min)
      while let last = rows.last {
        guard try body(table.id, rows, file) else { return }
        rows = try noted(table.id, after: last)
      }
    }
  }

  private func noted(_ table: Int64, after row: Int64) throws -> [Int64] {
    try connection.rows(
      "SELECT row FROM \(SyncTables.unjudged) WHERE table_id = ?1 AND row > ?2 ORDER BY row LIMIT \(Self.chunkSize)",
      [.integer(table), .integer(row)]
    ) { $0.integer(0) }
  }

  private enum Verdict {
    /// The row can't be read, and isn't visible.
    case stays
    /// The row can be read and is visible, or is there no longer.
    case isSettled
    /// The row has to be computed.
    case isDue
  }

  private func verdict(_ id: Int64, _ file: ReplicaFile) throws -> Verdict {
    guard let row = try file.row(id), let table = file.table(row.state.table) else { return .isSettled }
    let isComplete = file.isComplete(row.state, table)
    return row.isVisible == isComplete ? isComplete ? .isSettled : .stays : .isDue
  }

  /// Computes the rows that are due, in a transaction. A row that must stay away for another reason isn't noted any longer.
  private func decide(_ table: Int64, _ rows: [Int64]) throws {
    try connection.transaction {
      let file = try ReplicaFile(connection)
      var due: [Int64] = []
      for id in rows {
        let verdict = try verdict(id, file)
        if verdict == .isDue { due.append(id) }
        if verdict == .stays { continue }
        try connection.run(
          "DELETE FROM \(SyncTables.unjudged) WHERE table_id = ?1 AND row = ?2", [.integer(table), .integer(id)])
      }
      var settling = Settling()
      // Whoever can't be read is noted again.
      try settling.compute(all: due, file)
    }
  }

  /// Whether visible rows of a table are noted.
  func hasVisibleNotes(ofTable name: String) throws -> Bool {
    guard try SyncTables.exist(connection), try hasTable(SyncTables.unjudged) else { return false }
    return try connection.finds(
      """
      SELECT 1 FROM \(SyncTables.unjudged) AS noted JOIN \(SyncTables.rows) AS known ON known.id = noted.row
        WHERE noted.table_id = (SELECT id FROM \(SyncTables.tables) WHERE name = ?1) AND known.status = 0 LIMIT 1
      """, [.init(name)])
  }
}

extension StoreError {
  /// Whether it comes from the file as a whole, its disk or its lock, and not from a row.
  fileprivate var concernsAllRows: Bool {
    [.busy, .suspended, .diskFull, .readOnly, .inputOutput, .closed].contains(code)
  }
}
