import Foundation

/// Copies of a store: `VACUUM INTO`, which writes one consistent state to a new file while others read and write.
enum StoreBackup {
  static func write(_ connection: Connection, to location: some StoreLocation) throws {
    let path = location.storePath
    guard !FileManager.default.fileExists(atPath: path) else {
      throw StoreError(.duplicate, "There is already a file at the backup's path. Choose another name, or remove that file first.")
    }
    var writer = SQLWriter()
    writer.write("VACUUM INTO ")
    writer.bind(.text(path))
    do {
      _ = try connection.using(writer, nil) { try connection.step($0, nil) }
    } catch {
      try? FileManager.default.removeItem(atPath: path)
      throw error
    }
  }
}
