internal import Foundation

/// A document that was deleted and can be brought back.
public struct DeletedDocument: Sendable, Hashable {
  /// The name that it had.
  public let name: String
  let trashName: String
}

extension DocumentFolder {
  private var trash: String { path + "/" + Self.trashName }

  /// Moves a document into the folder's trash in one step.
  ///
  /// Throws ``ArchiveError`` `.notFound` where it is gone already. Costs a rename; no part is touched.
  @discardableResult
  public func delete(_ document: DocumentPackage) throws -> DeletedDocument {
    try locked {
      if !fileSystem.isFolder(trash) { try fileSystem.makeFolder(trash, access: fileSystem.access(forFolderIn: path)) }
      // The identifier has 36 letters; what follows the point after it is the name.
      let deleted = DeletedDocument(name: document.name, trashName: "\(UUID().uuidString).\(document.name)")
      try fileSystem.rename(path(of: document.name), to: trash + "/" + deleted.trashName)
      try fileSystem.syncFolder(trash)
      try fileSystem.syncFolder(path)
      return deleted
    }
  }

  /// The documents in the trash, ordered by name; touches none.
  ///
  /// Throws ``ArchiveError`` of the file system. Reads the names in the trash once.
  public func deletedDocuments() throws -> [DeletedDocument] {
    guard fileSystem.isFolder(trash) else { return [] }
    let names = try fileSystem.names(in: trash).map(\.name).filter { $0.utf8.count > 37 }
    return names.map { DeletedDocument(name: String($0.dropFirst(37)), trashName: $0) }.sorted { ($0.name, $0.trashName) < ($1.name, $1.trashName) }
  }

  /// Brings a deleted document back under its name.
  ///
  /// Throws ``ArchiveError`` `.notFound` where the trash was emptied, and `.invalidName` where another document has the name now. Costs a rename.
  @discardableResult
  public func restore(_ deleted: DeletedDocument) throws -> DocumentPackage {
    try PartName.check(deleted.name)
    return try locked {
      guard fileSystem.isFolder(trash) else { throw ArchiveError(.notFound, "The trash was emptied. Restore the document from a copy.") }
      guard try place(trash + "/" + deleted.trashName, as: deleted.name) else {
        throw ArchiveError(.invalidName, "Another document has the name of the deleted one. Delete that first.")
      }
      try fileSystem.syncFolder(path)
      return DocumentPackage(name: deleted.name, folder: self)
    }
  }

  /// Deletes what is in the trash for good.
  ///
  /// Throws ``ArchiveError`` of the file system; what was deleted before the error stays deleted. O(files in the trash).
  public func emptyTrash() throws {
    try locked {
      guard fileSystem.isFolder(trash) else { return }
      try fileSystem.remove(trash)
      try fileSystem.syncFolder(path)
    }
  }
}
