import Larder

/// What was done to a table without sync hearing of it: by a program that rebuilt the table, or that wrote while triggers
/// were switched off.
public struct UntrackedChange: Sendable, Hashable {
  /// The name of the table; for a collection of documents, its name in the exchange.
  public let table: String
  /// The name of the model; nil for a collection of documents.
  public let model: String?
  /// Whether a trigger is missing that records writes to the table. Until it is made anew, nothing that is written is
  /// sent.
  public internal(set) var lacksTriggers = false
  /// The number of rows that are in the table, and that no other replica gets.
  public internal(set) var unknownRows = 0
  /// The number of rows that other replicas have or get, and that aren't in the table.
  public internal(set) var missingRows = 0

  init(table: String, model: String?) {
    self.table = table
    self.model = model
  }

  var isEmpty: Bool { !lacksTriggers && unknownRows == 0 && missingRows == 0 }
}

extension UntrackedChange: CustomStringConvertible {
  /// What is wrong and what to do, without stored values.
  public var description: String {
    let faults = [
      lacksTriggers ? "triggers that record its writes are missing" : nil,
      unknownRows > 0 ? "\(unknownRows) rows are here that sync doesn't know of" : nil,
      missingRows > 0 ? "\(missingRows) rows are gone without sync knowing it" : nil,
    ]
    return
      "\(model ?? table): \(faults.compactMap { $0 }.joined(separator: ", ")). Call store.sync.recordUntrackedChanges(), or `larder repair`, and what is in the table now is what other replicas get."
  }
}

extension StoreSync {
  /// Returns what was done to the file without sync hearing of it. Nothing is changed.
  ///
  /// - Returns: One element for each table that isn't as sync knows it.
  /// - Throws: `StoreError` `.unsupported` if sync is off in the file; the errors of any read.
  /// - Complexity: One pass over the keys of all rows.
  public func untrackedChanges() async throws -> [UntrackedChange] {
    try await store.readingModule { connection in
      _ = try ReplicaFile(connection)
      return try Tracker(connection).untrackedChanges().map(\.change)
    }
  }

  /// Records what was done to the file without sync hearing of it as changes of this replica, made now: rows that came are
  /// insertions, and rows that are gone are deletions. Triggers that are missing are made anew.
  ///
  /// Opening a file with sync does this for tables that were rebuilt.
  ///
  /// - Returns: What was recorded; the next ``untrackedChanges()`` finds nothing.
  /// - Throws: `StoreError` `.unsupported` if sync is off in the file; the errors of any write.
  /// - Complexity: One pass over the keys of all rows. All rows of the tables concerned are sent once more.
  @discardableResult
  public func recordUntrackedChanges() async throws -> [UntrackedChange] {
    try await store.writingModule { connection in
      _ = try ReplicaFile(connection)
      return try connection.transaction { try Tracker(connection).recordUntrackedChanges() }
    }
  }
}
