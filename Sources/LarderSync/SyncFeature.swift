import Larder

/// Sync as a feature of a store: it fits the tracking to the models when the store is opened.
final class SyncFeature: ModuleFeature {
  static let name = "LarderSync"

  static let heldValues = [(table: SyncTables.cells, column: "value"), (table: SyncTables.conflicts, column: "value")]

  init() {}

  func willMigrate(_ connection: ModuleConnection) throws {
    try Tracker(connection).prepareMigration()
  }

  func didOpen(_ connection: ModuleConnection) throws {
    let tracker = Tracker(connection)
    if try tracker.isFit() { return }
    try connection.transaction {
      try tracker.enable()
      try tracker.fit()
    }
  }

  func didCreateCollection(_ name: String, _ connection: ModuleConnection) throws {
    try Tracker(connection).fit()
  }

  func willRemoveCollection(_ name: String, _ connection: ModuleConnection) throws {
    if try SyncTables.exist(connection) { try Tracker(connection).removeCollection(name) }
  }

  func remedy(forMissingAttachment digest: String, _ connection: ModuleConnection) throws -> String? {
    try SyncTables.exist(connection) ? ReplicaFile(connection).remedy(forMissing: digest) : nil
  }
}
