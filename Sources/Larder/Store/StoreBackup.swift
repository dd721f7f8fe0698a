import Foundation
import GRDBSQLite

/// Copies a store with `VACUUM INTO`, which writes one consistent state to a new file while others read and write.
enum StoreBackup {
  /// Writes the copy under a temporary name, and moves it to its place when it is complete: a file at that place is
  /// always a whole backup. When this returns, the copy has reached the disk and survives a power failure.
  ///
  /// - Parameters:
  ///   - skipsMissing: Whether attachments whose contents are missing or damaged are left out; otherwise they are an
  ///     error.
  ///   - sync: How to wait for the disk.
  static func write(
    _ connection: Connection, to location: some StoreLocation, skipsMissing: Bool = false, sync: FileSync = .system
  ) throws {
    let path = location.storePath
    if let refusal = StorePath.refusal(of: path, "backup") { throw refusal }
    let partial = "\(path).\(UUID().uuidString).partial"
    guard !FileManager.default.fileExists(atPath: path) else { throw alreadyThere }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard FileManager.default.fileExists(atPath: folder) else {
      throw StoreError(
        .notFound, "There is no folder at \(folder) to write the backup to. Create it, or choose another path.")
    }
    var parts: [any FeatureBackup] = []
    defer {
      // A journal is left if SQLite couldn't roll it back, for example on a full disk.
      for suffix in ["", "-journal", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: partial + suffix) }
      for part in parts { part.removePartial() }
    }
    try connection.environment.features.forEach { feature in
      if let part = try feature.beginBackup(of: connection, partial: partial) { parts.append(part) }
    }
    try create(partial, like: connection.filePath)
    try copy(connection, to: partial)
    for part in parts { try part.copy(skipsMissing: skipsMissing) }
    // SQLite syncs the copy as the store's connections are configured to, which may be not at all.
    try sync.file(partial)
    FaultPoint.backupCopied.reach()
    var placed: [any FeatureBackup] = []
    var isNamed = false
    do {
      for part in parts where try part.place(beside: path) { placed.append(part) }
      try place(copy: partial, at: path)
      isNamed = true
      try? FileManager.default.removeItem(atPath: partial)
      // The directory entries of the copy and of the folder with its attachments.
      try sync.folder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    } catch {
      if isNamed { try? FileManager.default.removeItem(atPath: path) }
      for part in placed { part.remove(beside: path) }
      throw error
    }
  }

  /// Creates the empty file that the copy is written to, as accessible as the store's file.
  private static func create(_ partial: String, like path: String?) throws {
    guard let path, let attributes = try? FileManager.default.attributesOfItem(atPath: path),
      let mode = attributes[.posixPermissions] as? Int
    else { return }
    let isCreated = FileManager.default.createFile(
      atPath: partial, contents: nil, attributes: [.posixPermissions: mode & 0o666 | 0o600])
    if !isCreated {
      // SQLite says why it cannot be created.
      try? FileManager.default.removeItem(atPath: partial)
    }
  }

  private static func place(copy partial: String, at path: String) throws {
    do {
      // Unlike a move, a link never replaces a file that was created meanwhile.
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
      throw StoreError(
        .inputOutput, "The finished backup could not be given its name (\(error)). Check the folder, then try again.")
    }
  }

  /// Returns a URI, because a connection in memory would otherwise create the copy in memory too.
  private static func fileURI(_ path: String) -> String {
    let system = sqlite3_vfs_find(nil).flatMap { $0.pointee.zName }.map { String(cString: $0) }
    return URL(fileURLWithPath: path).absoluteString + (system.map { "?vfs=\($0)" } ?? "")
  }

  private static func copy(_ connection: Connection, to path: String) throws {
    var writer = SQLWriter()
    writer.write("VACUUM INTO ")
    writer.bind(.text(connection.isInMemory ? fileURI(path) : path))
    do {
      // SQLite compiles the copy's indexes by the tables' names, which must not resolve to a context's views of the
      // same names.
      try connection.environment.features.withoutViews(connection) {
        _ = try connection.using(writer, nil) { try connection.step($0, nil) }
      }
    } catch let error as StoreError where error.code == .unsupported {
      // SQLite also reports this if it can't determine the size of the new file.
      throw StoreError(.inputOutput, "The copy could not be begun (\(error.message)). Check the disk, then try again.")
    }
  }
}
