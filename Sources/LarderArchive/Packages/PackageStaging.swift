internal import Foundation

/// A hidden folder in which a package is prepared, to be moved to its place atomically.
///
/// It is locked while its creator lives, so that cleaning up only deletes what a crash has left.
struct PackageStaging: ~Copyable {
  static let prefix = ".larder-staging-"

  let path: String
  let fileSystem: FileSystem
  /// The folder itself, open and locked.
  let lock: FileSystem.Lock

  /// - Parameter access: Who may read and write the package.
  init(in folder: String, access: FileSystem.Access, _ fileSystem: FileSystem) throws {
    // A cleanup may delete the folder before it is locked; then another one is created.
    for _ in 0..<100 {
      let path = folder + "/" + Self.prefix + UUID().uuidString
      try fileSystem.makeFolder(path, access: access)
      if let lock = fileSystem.tryLock(folder: path) {
        self.path = path
        self.fileSystem = fileSystem
        self.lock = lock
        return
      }
    }
    throw ArchiveError(
      .inputOutput, "A folder to make the package in could not be locked. Check that the file system knows flock.")
  }

  /// The package being changed.
  struct Old {
    /// The open folder.
    let folder: Int32
    /// The list of parts; nil if it can't be read.
    let manifest: PackageManifest?
  }

  /// Deletes what crashes have left in a folder of packages, and returns their number.
  static func clean(_ folder: String, _ fileSystem: FileSystem) throws -> Int {
    var count = 0
    for entry in try fileSystem.names(in: folder) where entry.name.hasPrefix(prefix) {
      let path = folder + "/" + entry.name
      guard let lock = fileSystem.tryLock(folder: path) else { continue }
      try fileSystem.remove(path)
      _ = consume lock
      count += 1
    }
    return count
  }
}
