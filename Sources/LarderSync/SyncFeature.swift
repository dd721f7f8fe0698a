import Larder

/// Sync as a feature of a store: it fits the tracking to the models when the store is opened.
final class SyncFeature: ModuleFeature {
  static let name = "LarderSync"

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
}
