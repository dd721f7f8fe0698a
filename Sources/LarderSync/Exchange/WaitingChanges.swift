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

  /// Returns the changes whose time has come, and removes them, in a transaction of the caller's.
  func take() throws -> [RowState] {
    let arguments: [ReplicatedValue] = [.integer(try latestTime())]
    let found = try file.connection.rows(
      "SELECT state FROM \(SyncTables.waiting) WHERE time <= ?1 ORDER BY time", arguments
    ) { $0.bytes(0) }
    if found.isEmpty { return [] }
    try file.connection.run("DELETE FROM \(SyncTables.waiting) WHERE time <= ?1", arguments)
    return try found.map(decoded)
  }

  /// Returns all changes that wait, the nearest first.
  func all() throws -> [RowState] {
    try file.connection.rows("SELECT state FROM \(SyncTables.waiting) ORDER BY time", []) { $0.bytes(0) }.map(decoded)
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
  /// The time of the latest write in the state.
  var latestTime: Int64 {
    (writes + losses.map(\.stamp)).reduce(max(stamp.time, insertion.time)) { max($0, $1.time) }
  }
}

extension StoreSync {
  /// Returns the changes that were received and wait, because their time is more than a day ahead of this device's
  /// clock. They are merged with an exchange when their time is nearer, or the clock is set.
  ///
  /// - Throws: `StoreError` `.unsupported` if sync is off in the file; the errors of any read.
  public func waiting() async throws -> [RowChange] {
    try await store.readingModule { try WaitingChanges(try ReplicaFile($0)).all().map(RowChange.init) }
  }
}
