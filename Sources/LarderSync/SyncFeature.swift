import Larder
import Synchronization

/// Sync as a feature of a store: it fits the tracking to the models when the store is opened.
final class SyncFeature: ModuleFeature {
  static let name = "LarderSync"

  static let heldValues = [(table: SyncTables.cells, column: "value"), (table: SyncTables.conflicts, column: "value")]

  /// Whether the opening that is under way has changed tables.
  private let isMigrated = Atomic<Bool>(false)

  init() {}

  func willMigrate(_ connection: ModuleConnection) throws {
    if try SyncTables.exist(connection) { try ReplicaFile(connection).identify() }
    try Tracker(connection).prepareMigration()
    isMigrated.store(true, ordering: .relaxed)
  }

  func didOpen(_ connection: ModuleConnection) throws {
    let tracker = Tracker(connection)
    let isCopy = try SyncTables.exist(connection) && ReplicaFile(connection).isCopy()
    if try isCopy || !tracker.isFit() { try fit(tracker) }
    // What fails stays noted for the next opening. A damaged file must be open to be repaired.
    do { _ = try tracker.judge() } catch is StoreError {}
    OpenedFile.of(connection).position = try ReplicaFile(connection).clock().now
  }

  private func fit(_ tracker: Tracker) throws {
    let connection = tracker.connection
    try connection.transaction {
      if try SyncTables.exist(connection) { try ReplicaFile(connection).identify() }
      try tracker.enable()
      try tracker.fit(isMigrated: isMigrated.load(ordering: .relaxed))
    }
  }

  func hasUnjudgedRows(inTable name: String, _ connection: ModuleConnection) throws -> Bool {
    try Tracker(connection).hasVisibleNotes(ofTable: name)
  }

  func didCreateCollection(_ name: String, _ connection: ModuleConnection) throws {
    if !CollectionArrival.of(connection).isUnderWay { try Tracker(connection).fit() }
  }

  func willRemoveCollection(_ name: String, _ connection: ModuleConnection) throws {
    if try SyncTables.exist(connection) { try Tracker(connection).removeCollection(name) }
  }

  func remedy(forMissingAttachment digest: String, _ connection: ModuleConnection) throws -> String? {
    try SyncTables.exist(connection) ? ReplicaFile(connection).remedy(forMissing: digest) : nil
  }
}
