import Foundation
import Larder

/// Changes whose time is further ahead than this device believes: the clock of the device that made them is wrong, or
/// that of this one.
///
/// If they were merged, the clock of this replica would follow theirs. So they wait, and are merged as soon as their time
/// is near enough.
struct WaitingChanges {
  private let file: ReplicaFile

  /// How far ahead of this device's clock a change may be.
  static let greatestLead: TimeInterval = 24 * 60 * 60

  init(_ file: ReplicaFile) {
    self.file = file
  }

  /// The latest time that a change may have now, packed as in ``Stamp/time``.
  func latestTime() throws -> Int64 {
    let limit = Int64(max(0, (Date().timeIntervalSince1970 + Self.greatestLead) * 1000)) << 16
    return max(limit, try file.clock().now)
  }

  /// Keeps a change until its time. One that came before is kept once.
  func add(_ state: RowState) throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    let data = try encoder.encode(state)
    try file.connection.run(
      "INSERT INTO \(SyncTables.waiting) (time, state) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
      [.integer(state.latestTime), .blob(data)])
  }

  func areDue() throws -> Bool {
    let arguments: [ReplicatedValue] = [.integer(try latestTime())]
    return try file.connection.finds("SELECT 1 FROM \(SyncTables.waiting) WHERE time <= ?1", arguments)
  }

  /// Returns changes whose time has come, and removes them, in a transaction of the caller's.
  ///
  /// - Parameter limit: The greatest number of changes.
  func take(atMost limit: Int) throws -> [RowState] {
    let found = try file.connection.rows(
      "SELECT time, state FROM \(SyncTables.waiting) WHERE time <= ?1 ORDER BY time, state LIMIT ?2",
      [.integer(try latestTime()), .integer(Int64(limit))]
    ) { ($0.integer(0), $0.bytes(1)) }
    for (time, state) in found {
      try file.connection.run(
        "DELETE FROM \(SyncTables.waiting) WHERE time = ?1 AND state = ?2",
        [.integer(time), .blob(state)])
    }
    return try found.map { try decoded($0.1) }
  }

  /// Returns all changes that wait, the nearest first.
  func all() throws -> [RowState] {
    try file.connection.rows("SELECT state FROM \(SyncTables.waiting) ORDER BY time", []) { $0.bytes(0) }.map(decoded)
  }

  func isEmpty() throws -> Bool { try !file.connection.finds("SELECT 1 FROM \(SyncTables.waiting)") }

  /// The time of the first write of each replica that waits, and that this file lacks.
  func firstWrites() throws -> [ReplicaID: Int64] {
    var first: [ReplicaID: Int64] = [:]
    var known: [ReplicaID: Int64] = try [file.own(): .max]
    // One after the other: many may wait, and each is a whole row.
    _ = try file.connection.rows("SELECT state FROM \(SyncTables.waiting) ORDER BY time", []) { row in
      let state = try decoded(row.bytes(0))
      let unknown = try state.stamps.filter { stamp in
        if let time = first[stamp.replica], time <= stamp.time { return false }
        let time = try known[stamp.replica] ?? file.knownTime(of: stamp.replica)
        known[stamp.replica] = time
        return stamp.time > time
      }
      if unknown.isEmpty { return }
      let stored = try file.row(state.rowKey)?.state.stamps ?? []
      for stamp in unknown where try !file.hasWrite(stamp, in: stored) {
        first[stamp.replica] = min(first[stamp.replica] ?? .max, stamp.time)
      }
    }
    return first
  }

  /// Removes the changes that meet a condition, and returns whether there were any.
  func remove(where condition: (RowState) throws -> Bool) throws -> Bool {
    let found = try file.connection.rows("SELECT time, state FROM \(SyncTables.waiting)", []) {
      row in
      (row.integer(0), row.bytes(1))
    }.filter { try condition(decoded($0.1)) }
    for (time, state) in found {
      try file.connection.run(
        "DELETE FROM \(SyncTables.waiting) WHERE time = ?1 AND state = ?2",
        [.integer(time), .blob(state)])
    }
    return !found.isEmpty
  }

  private func decoded(_ data: Data) throws -> RowState {
    do {
      return try PropertyListDecoder().decode(RowState.self, from: data)
    } catch {
      throw file.damaged
    }
  }
}

extension RowState {
  /// The stamps of all writes in the state, those of lost values among them.
  fileprivate var stamps: Set<Stamp> { Set([stamp, insertion] + writes + losses.map(\.stamp)) }

  /// The time of the latest write in the state.
  var latestTime: Int64 {
    (writes + losses.map(\.stamp)).reduce(max(stamp.time, insertion.time)) { max($0, $1.time) }
  }
}

extension ReplicaFile {
  /// The time up to which this replica has recorded to know all writes of another; below zero if it knows none.
  fileprivate func knownTime(of replica: ReplicaID) throws -> Int64 {
    guard let origin = try knownID(of: replica),
      let known = try lastKnowledge(of: clock().replica, over: origin, at: .max)
    else { return -1 }
    return min(known.since, known.upTo)
  }

  /// Returns whether a write of a row is in its state, or was overwritten in it.
  ///
  /// States are merged as a whole. One that has a write of someone who knew of another has that other one too, or what has
  /// replaced it.
  ///
  /// - Parameters:
  ///   - write: The stamp of the write.
  ///   - stored: The stamps of the state.
  fileprivate func hasWrite(_ write: Stamp, in stored: Set<Stamp>) throws -> Bool {
    if stored.contains(write) { return true }
    return try stored.contains { try $0.time >= write.time && knew($0, write) }
  }
}

extension StoreSync {
  /// Discards changes of a row that wait. They are gone here, and stay where they come from; whoever is to have them sends
  /// them again with the next change of the row.
  ///
  /// - Parameter change: One of ``waiting()``.
  /// - Throws: `StoreError` `.notFound` if it no longer waits; the errors of any write.
  public func discardWaiting(_ change: RowChange) async throws {
    try await store.writingModule { connection in
      try connection.transaction {
        let file = try ReplicaFile(connection)
        guard try WaitingChanges(file).remove(where: { RowChange($0) == change }) else {
          throw file.missing
        }
      }
    }
  }

  /// Returns the changes that were received and wait, because their time is more than a day ahead of this device's
  /// clock. They are merged with an exchange when their time is nearer, or the clock is set.
  ///
  /// - Throws: `StoreError` `.unsupported` if sync is off in the file; the errors of any read.
  public func waiting() async throws -> [RowChange] {
    try await store.readingModule { connection in
      let waiting = WaitingChanges(try ReplicaFile(connection))
      let limit = try waiting.latestTime()
      return try waiting.all().filter { $0.latestTime > limit }.map(RowChange.init)
    }
  }
}
