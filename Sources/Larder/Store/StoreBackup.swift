import Foundation
import GRDBSQLite

/// Copies of a store: `VACUUM INTO`, which writes one consistent state to a new file while others read and write.
enum StoreBackup {
  /// Writes the copy under a name of its own, and gives it its place when it is whole: what is at that place is a backup or not there.
  /// When this returns, the copy is on the disk under its name, also after a power cut.
  ///
  /// - Parameters:
  ///   - skipsMissing: Whether attachments whose bytes are missing or damaged are left out; otherwise they are an error.
  ///   - sync: How the disk is waited for.
  static func write(
    _ connection: Connection, to location: some StoreLocation, skipsMissing: Bool = false, sync: FileSync = .system
  ) throws {
    let path = location.storePath
    let partial = "\(path).\(UUID().uuidString).partial"
    guard !FileManager.default.fileExists(atPath: path) else { throw alreadyThere }
    let attachments = try AttachmentBackup(of: connection.environment.attachments.folder, partial: partial)
    defer {
      // A journal is left where SQLite could not play it back: on a full disk, say.
      for suffix in ["", "-journal", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: partial + suffix) }
      attachments?.removePartial()
    }
    try copy(connection, to: partial)
    try attachments?.copy(skipsMissing: skipsMissing)
    // SQLite syncs what it copies as the store's connections do, which depends on their settings.
    try sync.file(partial)
    FaultPoint.backupCopied.reach()
    let placed = try attachments?.place(beside: path) ?? false
    var isNamed = false
    do {
      try place(copy: partial, at: path)
      isNamed = true
      try? FileManager.default.removeItem(atPath: partial)
      // The names of the copy and of the folder with its attachments.
      try sync.folder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    } catch {
      if isNamed { try? FileManager.default.removeItem(atPath: path) }
      if placed { attachments?.remove(beside: path) }
      throw error
    }
  }

  private static func place(copy partial: String, at path: String) throws {
    do {
      // Unlike a move, a link never takes the place of a file that came meanwhile.
      try FileManager.default.linkItem(atPath: partial, toPath: path)
    } catch {
      guard !FileManager.default.fileExists(atPath: path) else { throw alreadyThere }
      try place(partial, at: path)
    }
  }

  static let alreadyThere = StoreError(
    .duplicate, "There is already a file at the backup's path. Choose another name, or remove that file first.")

  /// For file systems that have no links.
  private static func place(_ partial: String, at path: String) throws {
    do {
      try FileManager.default.moveItem(atPath: partial, toPath: path)
    } catch {
      throw StoreError(.inputOutput, "The finished backup could not be given its name (\(error)). Check the folder, then try again.")
    }
  }

  /// A connection to memory would make the copy in memory too.
  private static func fileURI(_ path: String) -> String {
    let system = sqlite3_vfs_find(nil).flatMap { $0.pointee.zName }.map { String(cString: $0) }
    return URL(fileURLWithPath: path).absoluteString + (system.map { "?vfs=\($0)" } ?? "")
  }

  private static func copy(_ connection: Connection, to path: String) throws {
    var writer = SQLWriter()
    writer.write("VACUUM INTO ")
    writer.bind(.text(connection.isInMemory ? fileURI(path) : path))
    do {
      // SQLite compiles the indexes of the copy by the tables' names, which must not mean views of the same names.
      try connection.withoutShadows { _ = try connection.using(writer, nil) { try connection.step($0, nil) } }
    } catch let error as StoreError where error.code == .unsupported {
      // SQLite says so too where it cannot learn how large the new file is.
      throw StoreError(.inputOutput, "The copy could not be begun (\(error.message)). Check the disk, then try again.")
    }
  }
}
