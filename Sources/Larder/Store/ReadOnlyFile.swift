import Foundation
import GRDBSQLite

/// The file of a store that is opened read-only.
struct ReadOnlyFile {
  private let path: String

  /// - Throws: `.unsupported` for a store in memory, `.notFound`, `.notAStore` for a folder.
  init(_ path: String?) throws {
    guard let path else {
      throw StoreError(
        .unsupported, "A store in memory begins empty, so there is nothing to read. Open it with access: .readWrite.")
    }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw StoreError(
        .notFound,
        "There is no file \(URL(fileURLWithPath: path).lastPathComponent) to read. Check the path, or open it with access: .readWrite to create it."
      )
    }
    guard !isFolder.boolValue else {
      throw StoreError(.notAStore, "The store's path is a folder. Give the path of a file in it.")
    }
    self.path = path
  }

  /// Opens the file. If SQLite can't maintain the index of its write-ahead log beside it, opens it as immutable.
  /// Source: <https://www.sqlite.org/wal.html#read_only_databases>.
  ///
  /// - Parameter open: Opens a connection; its argument says whether to open the file as immutable.
  /// - Returns: The connection, and whether it opened the file as immutable.
  /// - Throws: ``StoreError`` `.readOnly` if the file, or its log, can't be read.
  func opening(_ open: (_ isImmutable: Bool) throws -> Connection) throws -> (Connection, isImmutable: Bool) {
    do {
      return (try open(false), false)
    } catch let error as StoreError where error.code == .readOnly {
      try checkIsWhole()
      return (try open(true), true)
    }
  }

  /// Throws unless the file itself has all commits and can be read.
  private func checkIsWhole() throws {
    guard FileManager.default.isReadableFile(atPath: path) else {
      throw StoreError(.readOnly, "The store's file may not be read. Give this user read access to it.")
    }
    guard !hasContent(path + "-wal"), !hasContent(path + "-journal") else {
      throw StoreError(
        .readOnly,
        "Beside the store's file is a log of SQLite's that is not emptied, and this user may not write to the folder, without which the log cannot be read. Give write access to the folder, or open and close the store once as a user who has it."
      )
    }
    guard sqlite3_compileoption_used("USE_URI") != 0 else {
      throw StoreError(
        .readOnly,
        "This user may not write to the store's folder, and this SQLite was built without URIs, which it then needs. Give write access to the folder."
      )
    }
  }

  private func hasContent(_ path: String) -> Bool {
    // A file that can't be examined may have contents.
    guard FileManager.default.fileExists(atPath: path) else { return false }
    return ((try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.intValue ?? 1) > 0
  }
}

extension Store.Configuration {
  /// Throws `.unsupported` for a number out of range.
  func check() throws {
    for (name, size) in [("cacheSize", cacheSize), ("mmapSize", mmapSize)] where (size ?? 0) < 0 {
      throw StoreError(
        .unsupported, "Store.Configuration.\(name) is negative. Give a number of bytes, or nil for SQLite's own.")
    }
  }
}
