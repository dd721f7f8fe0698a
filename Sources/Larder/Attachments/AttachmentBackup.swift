import Foundation
internal import GRDB

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Copies the bytes that the rows of a store's copy name. Nothing is collected while it is there.
///
/// They are copied and not linked: what damages a file is not to damage its backup.
final class AttachmentBackup {
  private let source: AttachmentFolder
  private let target: AttachmentFolder
  private let copyPath: String
  private let lock: AttachmentFile?

  /// Nil for a store that never had an attachment.
  ///
  /// - Parameter partial: Where the copy of the store's file will be until it is whole.
  init?(of source: AttachmentFolder, partial: String) throws {
    guard source.exists else { return nil }
    self.source = source
    copyPath = partial
    target = AttachmentFolder(AttachmentFolder.path(ofStore: partial))
    lock = try source.lockForReading()
  }

  /// Copies what the finished copy of the store's file names, and checks it on the way.
  func copy(skipsMissing: Bool) throws {
    let connection = try openCopy()
    guard try AttachmentTable.exists(connection) else { return }
    // What nobody has saved is no part of the backup.
    try connection.transaction {
      try connection.change("DELETE FROM \(AttachmentTable.leases)")
      try connection.change("DELETE FROM \(AttachmentTable.name) WHERE uses <= 0")
    }
    for row in try connection.query("SELECT digest FROM \(AttachmentTable.name) ORDER BY digest") {
      try connection.checkInterruption()
      guard let digest = row["digest"]?.text, Attachment.isDigest(digest) else { continue }
      do {
        try copy(digest)
      } catch let error as StoreError where skipsMissing && (error.code == .notFound || error.code == .corrupt) {
        // The store had not got it either.
      }
      FaultPoint.backupFileCopied.reach()
    }
  }

  private func openCopy() throws -> Connection {
    do {
      return try Connection(path: copyPath, configuration: GRDB.Configuration(), environment: StoreEnvironment())
    } catch let error as DatabaseError {
      throw StoreError(error)
    }
  }

  private func copy(_ digest: String) throws {
    let file = try source.open(digest)
    let draft = try AttachmentDraft(in: target)
    try file.forEachChunk { try draft.append($0) }
    guard draft.digest() == digest else { throw StoreError.damagedAttachment }
    try target.place(draft, digest)
  }

  /// Gives the bytes their place beside that of the copy; false if there are none. Throws `.duplicate` where something is there.
  func place(beside path: String) throws -> Bool {
    guard target.exists else { return false }
    let folder = AttachmentFolder.path(ofStore: path)
    guard rename(target.path, folder) == 0 else {
      throw errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR ? StoreBackup.alreadyThere : StoreError(systemCall: errno, "renamed")
    }
    FaultPoint.backupPlaced.reach()
    return true
  }

  func remove(beside path: String) {
    try? FileManager.default.removeItem(atPath: AttachmentFolder.path(ofStore: path))
  }

  func removePartial() {
    try? FileManager.default.removeItem(atPath: target.path)
  }
}
