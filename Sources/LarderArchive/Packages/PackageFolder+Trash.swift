public import Foundation

/// A package in the trash, which can be restored.
public struct DeletedPackage: Sendable, Hashable {
  /// The name of the package.
  public let name: String
  let trashName: String
}

extension PackageFolder {
  private var trash: String { path + "/" + Self.trashName }

  /// Atomically moves a package to the folder's trash.
  ///
  /// - Parameter package: The package.
  /// - Returns: The deleted package, which can be restored.
  /// - Throws: ``ArchiveError`` `.notFound` if it is already deleted.
  /// - Complexity: One rename; no part is read.
  @discardableResult
  public func delete(_ package: DocumentPackage) throws -> DeletedPackage {
    try locked {
      if !fileSystem.isFolder(trash) { try fileSystem.makeFolder(trash, access: fileSystem.access(forFolderIn: path)) }
      // The UUID has 36 letters; the name follows the point after it.
      let deleted = DeletedPackage(name: package.name, trashName: "\(UUID().uuidString).\(package.name)")
      try fileSystem.rename(path(of: package.name), to: trash + "/" + deleted.trashName)
      try fileSystem.syncFolder(trash)
      try fileSystem.syncFolder(path)
      return deleted
    }
  }

  /// Returns the packages in the trash, ordered by name.
  ///
  /// - Returns: The deleted packages.
  /// - Throws: ``ArchiveError`` with errors of the file system.
  /// - Complexity: Reads the names in the trash once.
  public func deletedPackages() throws -> [DeletedPackage] {
    guard fileSystem.isFolder(trash) else { return [] }
    let names = try fileSystem.names(in: trash).map(\.name).filter { $0.utf8.count > 37 }
    return names.map { DeletedPackage(name: String($0.dropFirst(37)), trashName: $0) }.sorted {
      ($0.name, $0.trashName) < ($1.name, $1.trashName)
    }
  }

  /// Restores a deleted package under its name.
  ///
  /// - Parameter deleted: The deleted package.
  /// - Returns: The restored package.
  /// - Throws: ``ArchiveError`` `.notFound` if the trash was emptied, and `.invalidName` if another package has the
  ///   name now.
  /// - Complexity: One rename.
  @discardableResult
  public func restore(_ deleted: DeletedPackage) throws -> DocumentPackage {
    try PartName.check(deleted.name)
    return try locked {
      guard fileSystem.isFolder(trash) else {
        throw ArchiveError(.notFound, "The trash was emptied. Restore the package from a copy.")
      }
      guard try place(trash + "/" + deleted.trashName, as: deleted.name) else {
        throw ArchiveError(.invalidName, "Another package has the name of the deleted one. Delete that first.")
      }
      try fileSystem.syncFolder(path)
      return DocumentPackage(name: deleted.name, folder: self)
    }
  }

  /// Returns the folder of a deleted package, for a list of what is in the trash.
  ///
  /// - Parameter deleted: The deleted package.
  /// - Returns: The URL of its folder. Nothing verifies the files there, and once the package is restored or deleted for
  ///   good, there is no such folder.
  public func url(of deleted: DeletedPackage) -> URL {
    URL(filePath: trash + "/" + deleted.trashName, directoryHint: .isDirectory)
  }

  /// Permanently deletes one package in the trash.
  ///
  /// - Parameter deleted: The deleted package.
  /// - Throws: ``ArchiveError`` `.notFound` if it isn't in the trash any more, and errors of the file system.
  /// - Complexity: O(*n*), where *n* is the number of its files.
  public func remove(_ deleted: DeletedPackage) throws {
    try locked {
      guard fileSystem.isFolder(trash + "/" + deleted.trashName) else {
        throw ArchiveError(.notFound, "The package is not in the trash any more. It was restored, or deleted for good.")
      }
      try fileSystem.remove(trash + "/" + deleted.trashName)
      try fileSystem.syncFolder(trash)
    }
  }

  /// Permanently deletes the packages in the trash.
  ///
  /// - Throws: ``ArchiveError`` with errors of the file system. What was deleted before the error stays deleted.
  /// - Complexity: O(*n*), where *n* is the number of files in the trash.
  public func emptyTrash() throws {
    try locked {
      guard fileSystem.isFolder(trash) else { return }
      try fileSystem.remove(trash)
      try fileSystem.syncFolder(path)
    }
  }
}
