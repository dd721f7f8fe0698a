internal import Foundation

/// A document in the trash, which can be restored.
public struct DeletedDocument: Sendable, Hashable {
  /// The name of the document.
  public let name: String
  let trashName: String
}

extension DocumentFolder {
  private var trash: String { path + "/" + Self.trashName }

  /// Atomically moves a document to the folder's trash.
  ///
  /// - Parameter document: The document.
  /// - Returns: The deleted document, which can be restored.
  /// - Throws: ``ArchiveError`` `.notFound` if it is already deleted.
  /// - Complexity: One rename; no part is read.
  @discardableResult
  public func delete(_ document: DocumentPackage) throws -> DeletedDocument {
    try locked {
      if !fileSystem.isFolder(trash) { try fileSystem.makeFolder(trash, access: fileSystem.access(forFolderIn: path)) }
      // The UUID has 36 letters; the name follows the point after it.
      let deleted = DeletedDocument(name: document.name, trashName: "\(UUID().uuidString).\(document.name)")
      try fileSystem.rename(path(of: document.name), to: trash + "/" + deleted.trashName)
      try fileSystem.syncFolder(trash)
      try fileSystem.syncFolder(path)
      return deleted
    }
  }

  /// Returns the documents in the trash, ordered by name.
  ///
  /// - Returns: The deleted documents.
  /// - Throws: ``ArchiveError`` with errors of the file system.
  /// - Complexity: Reads the names in the trash once.
  public func deletedDocuments() throws -> [DeletedDocument] {
    guard fileSystem.isFolder(trash) else { return [] }
    let names = try fileSystem.names(in: trash).map(\.name).filter { $0.utf8.count > 37 }
    return names.map { DeletedDocument(name: String($0.dropFirst(37)), trashName: $0) }.sorted {
      ($0.name, $0.trashName) < ($1.name, $1.trashName)
    }
  }

  /// Restores a deleted document under its name.
  ///
  /// - Parameter deleted: The deleted document.
  /// - Returns: The restored document.
  /// - Throws: ``ArchiveError`` `.notFound` if the trash was emptied, and `.invalidName` if another document has the
  ///   name now.
  /// - Complexity: One rename.
  @discardableResult
  public func restore(_ deleted: DeletedDocument) throws -> DocumentPackage {
    try PartName.check(deleted.name)
    return try locked {
      guard fileSystem.isFolder(trash) else {
        throw ArchiveError(.notFound, "The trash was emptied. Restore the document from a copy.")
      }
      guard try place(trash + "/" + deleted.trashName, as: deleted.name) else {
        throw ArchiveError(.invalidName, "Another document has the name of the deleted one. Delete that first.")
      }
      try fileSystem.syncFolder(path)
      return DocumentPackage(name: deleted.name, folder: self)
    }
  }

  /// Permanently deletes the documents in the trash.
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
