import Crypto
import Foundation
import Larder

/// Deletions are kept for a while, so that replicas that were away learn of them, and then forgotten.
///
/// A row that comes back afterwards is recognized by a digest of its key, and deleted once more: whoever had it learns of
/// the deletion then. What others say to know decides nothing, so nobody can make a row disappear that was never deleted.
/// A row that is inserted here with such a key counts on from the deletion, which others may still have.
extension ReplicaFile {
  /// 90 days, in milliseconds.
  static let standardRetention: Int64 = 90 * 24 * 60 * 60 * 1000

  /// How long deletions are kept, in milliseconds.
  func retention() throws -> Int64 {
    try connection.first("SELECT retention FROM \(SyncTables.clock)") { $0.integer(0) } ?? Self.standardRetention
  }

  /// The position of the last deletion that was forgotten; zero if none was.
  func forgotten() throws -> Int64 {
    try connection.first("SELECT forgotten FROM \(SyncTables.clock)") { $0.integer(0) } ?? 0
  }

  /// When deletions were forgotten, in milliseconds since 1970; zero if they never were.
  func lastForgotten() throws -> Int64 {
    try connection.first("SELECT forgotten_at FROM \(SyncTables.clock)") { $0.integer(0) } ?? 0
  }

  /// Whether this replica has begun to take everything from another one anew, and was interrupted.
  func isStartingAfresh(with replica: ReplicaID) throws -> Bool {
    try connection.finds(
      "SELECT 1 FROM \(SyncTables.replicas) WHERE replica = ?1 AND starts_afresh = 1", [.blob(replica.bytes)])
  }

  func setStartingAfresh(_ isStarting: Bool, with replica: ReplicaID) throws {
    try connection.run(
      "UPDATE \(SyncTables.replicas) SET starts_afresh = ?2 WHERE id = ?1",
      [.integer(try id(of: replica)), .integer(isStarting ? 1 : 0)])
  }

  static var tooLate: StoreError {
    StoreError(
      .notFound, ofModel: nil,
      "The recipient was away for longer than this replica keeps deletions, so rows that were deleted here would stay there. Let it call exchange(with:): it starts afresh, and keeps what it had not sent. setRetention(_:) keeps deletions for longer."
    )
  }

  // MARK: Forgetting

  /// The rows that were deleted before a time, packed as in ``Stamp/time``, and of whose deletion this replica has known
  /// since before that time.
  func deletions(before time: Int64) throws -> [Int64] {
    try connection.rows(
      """
      SELECT id FROM \(SyncTables.rows) WHERE (status = 1 OR status > 1 AND status <> 6 AND length % 2 = 0) \
      AND deletion_time < ?1 AND position < ?1
      """, [.integer(time)]
    ) { $0.integer(0) }
  }

  /// Forgets deleted rows with those that went with them, except where someone may still want one of them back: because
  /// it is in conflict, or because a row refers to it that is visible or missed.
  ///
  /// - Returns: How many were forgotten.
  func forget(_ deletions: some Sequence<Int64>) throws -> Int {
    var count = 0
    for id in deletions {
      guard let deleted = try row(id), !deleted.state.isThere, let gone = try gone(with: deleted)
      else { continue }
      for row in gone {
        guard let id = row.id else { continue }
        for table in [SyncTables.cells, SyncTables.counters, SyncTables.conflicts] {
          try connection.run("DELETE FROM \(table) WHERE row = ?1", [.integer(id)])
        }
        try connection.run("DELETE FROM \(SyncTables.rows) WHERE id = ?1", [.integer(id)])
        let length = row.state.causalLength + row.state.causalLength % 2
        try noteForgotten(row.rowKey, length, row.state.isThere ? deleted.state.stamp : row.state.stamp)
        try connection.run(
          "UPDATE \(SyncTables.clock) SET forgotten = max(forgotten, ?1)", [.integer(row.position)])
      }
      count += 1
    }
    return count
  }

  /// A deleted row and those that went with it; nil if someone may still want one of them back.
  private func gone(with deleted: StoredRow) throws -> [StoredRow]? {
    var (gone, seen, next) = ([StoredRow](), Set([deleted.rowKey]), 0)
    gone.append(deleted)
    while next < gone.count {
      let row = gone[next]
      next += 1
      guard !row.isVisible, try conflicts(of: row).isEmpty, try visibleReferrers(of: row.rowKey).isEmpty else {
        return nil
      }
      for referrer in try setAsideReferrers(of: row.rowKey) where !seen.contains(referrer.rowKey) {
        guard referrer.status == .cascaded else { return nil }
        let references = references(of: referrer, to: row.rowKey)
        if references.contains(where: { $0.isEssential && $0.rule != .deny }) {
          seen.insert(referrer.rowKey)
          gone.append(referrer)
        } else if references.contains(where: { $0.rule == .deny }) {
          // It went with another row, and needs this one if it returns.
          return nil
        }
      }
    }
    return gone
  }

  private func references(of referrer: StoredRow, to rowKey: RowKey) -> [ModuleTable.Reference] {
    guard let table = table(referrer.state.table) else { return [] }
    return table.description.references.filter { target(of: $0, in: referrer.state, table) == rowKey }
  }

  // MARK: Recognizing

  /// Of several deletions of a row, the latest time and the greatest length are kept.
  private func noteForgotten(_ rowKey: RowKey, _ length: Int64, _ deletion: Stamp) throws {
    let key = rowKey.key.indices.map { "?\($0 + 6)" }
    try connection.run(
      """
      INSERT INTO \(SyncTables.forgotten) (digest, time, replica, length, table_id, row_key) \
      VALUES (?1, ?2, ?3, ?4, ?5, \(SyncTables.keyText(key))) ON CONFLICT (digest) DO UPDATE SET \
      time = max(time, excluded.time), length = max(length, excluded.length), \
      replica = CASE WHEN excluded.time >= time THEN excluded.replica ELSE replica END, \
      table_id = excluded.table_id, row_key = excluded.row_key WHERE length > 0 OR excluded.time >= time
      """,
      [
        .blob(rowKey.digest), .integer(deletion.time), .integer(try id(of: deletion.replica)), .integer(length),
        .integer(try tableID(of: rowKey.table, keyCount: rowKey.key.count)),
      ] + rowKey.key)
    hasForgottenRows = true
  }

  /// The causal length with which a row begins that this replica doesn't have: greater than that of its deletion, if that was
  /// forgotten.
  func firstLength(of rowKey: RowKey) throws -> Int64 {
    let forgotten = try connection.first(
      "SELECT length FROM \(SyncTables.forgotten) WHERE digest = ?1", [.blob(rowKey.digest)]
    ) { $0.integer(0) }
    return (forgotten ?? 0) + 1
  }

  /// Returns the state of a row whose deletion this replica has forgotten, deleted as it was; nil if it has deleted no such
  /// row, or the row was inserted afterwards.
  ///
  /// The deletion has its old stamp: a new one would say that its author knew what was written since, and rows that refer
  /// to this one would go with it.
  ///
  /// - Parameter state: The state that has come, of a row that this replica doesn't have.
  func deletedAgain(_ state: RowState) throws -> RowState? {
    guard hasForgottenRows, state.isThere else { return nil }
    let found = try connection.first(
      "SELECT time, replica, length FROM \(SyncTables.forgotten) WHERE digest = ?1", [.blob(state.rowKey.digest)]
    ) { (time: $0.integer(0), replica: $0.integer(1), length: $0.integer(2)) }
    guard let found else { return nil }
    // Who has forgotten the row as well, and inserts it anew, counts from the beginning.
    if state.insertion.time > found.time { return nil }
    // An earlier version of the package has remembered the time alone.
    let isKnown = found.length > 0
    if isKnown, state.causalLength > found.length { return nil }
    let deletion = RowState(
      table: state.table, key: state.key, causalLength: state.causalLength + 1,
      stamp: isKnown ? try stamp(found.time, found.replica) : try newStamp(),
      insertion: state.insertion, properties: [])
    return deletion.merging(state).adding(try losses(of: deletion, and: state))
  }

  /// Whether a replica has said, or others of it, that it knows of a write.
  func knows(_ replica: ReplicaID, of stamp: Stamp) throws -> Bool {
    guard let knower = try knownID(of: replica), let origin = try knownID(of: stamp.replica) else { return false }
    return try lastKnowledge(of: knower, over: origin, at: .max).map { min($0.since, $0.upTo) >= stamp.time } ?? false
  }
}

extension RowKey {
  /// 16 bytes that name the row.
  fileprivate var digest: Data {
    var hash = SHA256()
    func update(_ number: Int) {
      withUnsafeBytes(of: Int64(number).littleEndian) { hash.update(bufferPointer: $0) }
    }
    func update(_ tag: Int, _ bytes: Data) {
      update(tag)
      update(bytes.count)
      hash.update(data: bytes)
    }
    update(0, Data(table.utf8))
    for value in key {
      switch value {
      case .null: update(1, Data())
      case .integer(let number): update(2, withUnsafeBytes(of: number.littleEndian) { Data($0) })
      case .real(let number):
        update(3, withUnsafeBytes(of: number.bitPattern.littleEndian) { Data($0) })
      case .text(let bytes): update(4, bytes)
      case .blob(let bytes): update(5, bytes)
      }
    }
    return Data(hash.finalize().prefix(16))
  }
}

extension StoreSync {
  /// Returns how long this replica keeps deletions: 90 days, unless ``setRetention(_:)`` was called.
  ///
  /// - Throws: `StoreError` `.unsupported` if sync is off in the file; the errors of any read.
  public func retention() async throws -> Duration {
    .milliseconds(try await store.readingModule { try ReplicaFile($0).retention() })
  }

  /// Sets how long this replica keeps deletions. A replica that is away for longer starts afresh when it returns.
  ///
  /// - Parameter retention: The time; not negative.
  /// - Throws: `StoreError` `.invalidValue` for a negative time, `.unsupported` if sync is off in the file; the errors of
  ///   any write.
  public func setRetention(_ retention: Duration) async throws {
    let (seconds, attoseconds) = retention.components
    let milliseconds = seconds.multipliedReportingOverflow(by: 1000)
    guard seconds >= 0, attoseconds >= 0 else {
      throw StoreError(.invalidValue, ofModel: nil, "Deletions can't be kept for a negative time. Pass a positive one.")
    }
    let value = milliseconds.overflow ? Int64.max : milliseconds.partialValue
    try await store.writingModule { connection in
      try connection.transaction {
        _ = try ReplicaFile(connection)
        try connection.run("UPDATE \(SyncTables.clock) SET retention = ?1", [.integer(value)])
      }
    }
  }

  /// Forgets the deletions that are older than the retention. An exchange does it once a day, on both sides.
  ///
  /// Deleted rows that are in conflict stay, and so do those that another row refers to.
  ///
  /// - Returns: How many deletions were forgotten.
  /// - Throws: `StoreError` `.unsupported` if sync is off in the file; the errors of any write.
  /// - Complexity: One pass over what is known of rows. Deletions are forgotten in transactions of bounded size.
  @discardableResult
  public func forgetDeletions() async throws -> Int {
    try await forgetDeletions(at: Date())
  }

  /// - Parameter now: The time on the wall.
  func forgetDeletions(at now: Date) async throws -> Int {
    try await store.writingModule { connection in
      let milliseconds = Int64(now.timeIntervalSince1970 * 1000)
      try Settling.prepare(connection)
      let found = try connection.transaction { () throws -> [Int64] in
        let file = try ReplicaFile(connection)
        try Tracker(connection).upgrade()
        try file.settle()
        for notes in [SyncTables.replaced, SyncTables.deleting] { try connection.run("DELETE FROM \(notes)") }
        try connection.run("UPDATE \(SyncTables.clock) SET forgotten_at = ?1", [.integer(milliseconds)])
        let limit = milliseconds.subtractingReportingOverflow(try file.retention())
        if limit.overflow || limit.partialValue <= 0 { return [] }
        return try file.deletions(before: limit.partialValue << 16)
      }
      var (count, rest) = (0, found[...])
      while !rest.isEmpty {
        let chunk = rest.prefix(Self.batchSize)
        rest = rest.dropFirst(Self.batchSize)
        count += try connection.transaction { try ReplicaFile(connection).forget(chunk) }
      }
      return count
    }
  }

  /// Forgets deletions, and parts of attachments that nobody waits for, if that was done more than a day ago.
  ///
  /// - Parameter last: When it was done, in milliseconds since 1970.
  func forgetDeletionsDaily(after last: Int64) async throws {
    let now = Date()
    guard now.timeIntervalSince1970 * 1000 - Double(last) > 24 * 60 * 60 * 1000 else { return }
    _ = try await forgetDeletions(at: now)
    let awaited = try await store.readingModule { try ReplicaFile($0).awaitedDigests() }
    try await store.removeArrivals(before: now - 24 * 60 * 60) { awaited.contains($0) }
  }
}
