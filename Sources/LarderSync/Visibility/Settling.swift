import Larder

/// Computes what programs have made visible or invisible by writing, or new models by coming, for some rows at a time.
///
/// The tables show what programs have written, and keep all rules. So what is computed for some of the rows sees the others as
/// they are now, and each step leaves tables that keep all rules. If a later step changes the outcome of a row, its region
/// grows to the rows that this affects, whether or not they have had their turn.
///
/// ```
/// 1. the rows that have changed, in the order of their changes      a transaction for each part; the clock says where it is
/// 2. the rows that aren't visible, or hide something                in the transaction that goes on with the outcome
/// ```
///
/// What a changed row was before isn't known any longer: everything may return that its old values kept away, so all of the
/// second group have a turn. What went with a deleted row returns with that row alone.
struct Settling {
  /// The number of rows that have their turn together. What is connected with them is computed with them.
  static let standardSize = 500
  /// About how many bytes of values they have at most, unless a single row has more.
  private static let greatestSize = 16 << 20

  private let chunkSize: Int
  /// The rows that were computed with others, and whose turn is still to come.
  private var computed: Set<Int64> = []
  /// What the clock said after the last step; nil before the first.
  private var reached: (settled: Int64, now: Int64)?

  /// - Parameter chunkSize: The number of rows that have their turn together.
  init(by chunkSize: Int = standardSize) {
    self.chunkSize = chunkSize
  }

  /// Computes the changed rows in transactions of its own, if they are more than have their turn together. What is left is
  /// for ``ReplicaFile/settle()``.
  ///
  /// Others write in between. If the process ends, or the task is cancelled, what was computed stays, and the next call goes
  /// on from there.
  static func prepare(_ connection: ModuleConnection) throws {
    guard try SyncTables.exist(connection) else { return }
    let hasMany = """
      SELECT 1 FROM \(SyncTables.rows) WHERE position > (SELECT abs(settled) FROM \(SyncTables.clock)) \
      LIMIT 1 OFFSET \(standardSize)
      """
    guard try connection.finds(hasMany) else { return }
    var settling = Settling()
    var hasMore = true
    while hasMore {
      hasMore = try connection.transaction {
        try Tracker(connection).upgrade()
        // Another process may have changed what is tracked since the last transaction.
        return try settling.computeNext(try ReplicaFile(connection))
      }
    }
  }

  // MARK: Rows that have changed

  /// Computes the next changed rows, in a transaction of the caller's, and records up to where it has come.
  ///
  /// - Returns: Whether there are more.
  mutating func computeNext(_ file: ReplicaFile) throws -> Bool {
    let clock = try file.clock()
    guard try file.needsSettling() else { return false }
    // Others have written between two transactions, perhaps to rows that were computed already.
    if clock.settled != reached?.settled || clock.now != reached?.now { computed = [] }
    let rows = try file.connection.rows(
      """
      SELECT id, position FROM \(SyncTables.rows) WHERE position > ?1 AND position <= ?2 AND status <> 6 \
      ORDER BY position LIMIT ?3
      """, [.integer(abs(clock.settled)), .integer(clock.now), .integer(Int64(chunkSize))]
    ) { row in (id: row.integer(0), position: row.integer(1)) }
    if rows.isEmpty { return false }
    let count = try compute(rows.map { $0.id }, file)
    // Before the end, because the rows that aren't visible have had no turn yet.
    let position = min(rows[count - 1].position, clock.now - 1)
    let next = clock.settled > 0 ? position : -position
    try file.connection.run("UPDATE \(SyncTables.clock) SET settled = ?1", [.integer(next)])
    reached = (settled: next, now: clock.now)
    return next != clock.settled && (count < rows.count || rows.count == chunkSize)
  }

  // MARK: Rows that aren't visible

  /// Computes the rows that aren't visible or hide something, in a transaction of the caller's, and records that everything
  /// up to now is settled.
  mutating func finish(_ file: ReplicaFile) throws {
    let clock = try file.clock()
    guard clock.settled < clock.now else { return }
    if try file.needsSettling() {
      computed = []
      for part in Part.allCases where clock.settled <= 0 || part != .gone { try compute(part, file) }
    }
    try file.connection.run("UPDATE \(SyncTables.clock) SET settled = now")
  }

  /// The rows that aren't visible, or hide something. Each part is read in the order of a partial index.
  enum Part: CaseIterable {
    /// Deleted rows to which others refer by `.deny`.
    case resurrected
    /// Rows that a rule keeps from being visible.
    case missed
    /// Rows that went with a deleted one. With the same models they return with that one alone.
    case gone
    /// Visible rows of which a value is hidden, or a counter is out of its range.
    case hidden

    /// The query for the rows after one, of which it gets the number of the table, the second value of the key, and the
    /// number; and for how many. It has the number first, and then the other two.
    var query: String {
      let rows = SyncTables.rows
      return switch self {
      case .resurrected:
        """
        SELECT id, table_id, 0 FROM \(rows) WHERE \(SyncTables.isResurrected) AND (table_id, id) > (?1, ?3) \
        ORDER BY table_id, id LIMIT ?4
        """
      case .gone:
        """
        SELECT id, table_id, key2 FROM \(rows) WHERE \(SyncTables.isSetAside) AND status = 7 \
        AND (table_id, key2, id) > (?1, ?2, ?3) ORDER BY table_id, key2, id LIMIT ?4
        """
      case .missed:
        """
        SELECT id, table_id, key2 FROM \(rows) WHERE \(SyncTables.isMissed) AND (table_id, key2, id) > (?1, ?2, ?3) \
        ORDER BY table_id, key2, id LIMIT ?4
        """
      case .hidden:
        """
        SELECT row, 0, 0 FROM \(SyncTables.cells) WHERE held >= \(Holding.hidden.rawValue) AND row > ?3 \
        GROUP BY row ORDER BY row LIMIT ?4
        """
      }
    }
  }

  private mutating func compute(_ part: Part, _ file: ReplicaFile) throws {
    var last = (row: Int64(0), table: Int64(0), key: ReplicatedValue.integer(0))
    while true {
      let rows = try file.connection.rows(
        part.query, [.integer(last.table), last.key, .integer(last.row), .integer(Int64(chunkSize))]
      ) { row in (row: row.integer(0), table: row.integer(1), key: row.value(2)) }
      if rows.isEmpty { return }
      let count = try compute(rows.map { $0.row }, file)
      last = rows[count - 1]
    }
  }

  // MARK: Computing

  /// Computes rows, in a transaction of the caller's.
  ///
  /// - Parameter rows: The numbers of the rows.
  mutating func compute(all rows: [Int64], _ file: ReplicaFile) throws {
    var rest = rows[...]
    while !rest.isEmpty { rest = rest.dropFirst(try compute(Array(rest.prefix(chunkSize)), file)) }
  }

  /// Computes rows with what is connected with them, and writes the outcome.
  ///
  /// - Parameter rows: The numbers of the rows.
  /// - Returns: How many of them had their turn: not all if they are large.
  private mutating func compute(_ rows: [Int64], _ file: ReplicaFile) throws -> Int {
    let region = VisibilityRegion(file)
    var (count, size) = (0, 0)
    while count < rows.count, size <= Self.greatestSize {
      let id = rows[count]
      count += 1
      if computed.contains(id) { continue }
      guard let row = try file.row(id) else { continue }
      size += row.state.size
      region.join(row)
    }
    if !region.members.isEmpty {
      try file.applying {
        try region.solve()
        try file.write(region)
      }
    }
    for member in region.members.values {
      if let id = member.old?.id { computed.insert(id) }
    }
    computed.subtract(rows.prefix(count))
    return count
  }
}

extension ReplicaFile {
  /// Whether something was written, or models have changed, since it was computed which rows are visible, so that this can
  /// be different now. As long as every row is visible, their own rules have kept it so.
  func needsSettling() throws -> Bool {
    let clock = try clock()
    if clock.settled >= clock.now { return false }
    if clock.settled <= 0 { return true }
    return try connection.finds("SELECT 1 FROM \(SyncTables.rows) WHERE \(SyncTables.isSetAside) LIMIT 1")
      || connection.finds("SELECT 1 FROM \(SyncTables.rows) WHERE \(SyncTables.isResurrected) LIMIT 1")
      || connection.finds("SELECT 1 FROM \(SyncTables.cells) WHERE held >= \(Holding.hidden.rawValue) LIMIT 1")
  }

  /// Computes what the writes of this program and of others, or new models, have made visible since the last exchange, in a
  /// transaction of the caller's.
  ///
  /// It holds some of the rows at a time, and those that are connected with them.
  func settle() throws {
    var settling = Settling()
    while try settling.computeNext(self) {}
    try settling.finish(self)
  }
}
