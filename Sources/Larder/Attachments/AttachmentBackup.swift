import Foundation
internal import GRDB

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Copies the attachments that the rows of a backup refer to. Nothing is collected while it exists.
///
/// The files are copied rather than linked, so that damage to a file doesn't damage its backup.
final class AttachmentBackup: FeatureBackup {
  private let source: AttachmentFolder
  private let target: AttachmentFolder
  private let copyPath: String
  private let lock: AttachmentFile?
  private let environment: StoreEnvironment

  /// Returns nil for a store that never had an attachment. If its folder is missing, copying throws for the first row
  /// that refers to one.
  ///
  /// - Parameter partial: The temporary path of the backup of the store's file.
  init?(of source: AttachmentFolder, _ connection: Connection, partial: String) throws {
    guard try source.exists || AttachmentTable(connection).exists() else { return nil }
    let environment = connection.environment
    self.source = source
    self.environment = StoreEnvironment(features: environment.features, isManaged: environment.isManaged)
    copyPath = partial
    target = AttachmentFolder(ofStore: partial)
    lock = try source.lockForReading()
  }

  /// Copies the files that the finished backup refers to, and verifies them.
  func copy(skipsMissing: Bool) throws {
    let connection = try openCopy()
    guard try AttachmentTable(connection).exists() else { return }
    // Unsaved attachments aren't part of the backup.
    try connection.transaction {
      try connection.change("DELETE FROM \(AttachmentTable.leases)")
      try connection.change("DELETE FROM \(AttachmentTable.name) WHERE uses <= 0")
      // They are those of the store's files.
      if try AttachmentTable(connection).hasFiles() { try connection.change("DELETE FROM \(AttachmentTable.files)") }
    }
    var versions: [String: FileVersion] = [:]
    for row in try connection.query("SELECT digest FROM \(AttachmentTable.name) WHERE size >= 0 ORDER BY digest") {
      try connection.checkInterruption()
      guard let digest = row["digest"]?.text, Attachment.isDigest(digest) else { continue }
      do {
        versions[digest] = try copy(digest)
      } catch let error as StoreError where skipsMissing && (error.code == .notFound || error.code == .corrupt) {
        // The store didn't have it either.
      }
      FaultPoint.backupFileCopied.reach()
    }
    if !versions.isEmpty { _ = try connection.transaction { try AttachmentTable(connection).save(versions) } }
  }

  private func openCopy() throws -> Connection {
    do {
      return try Connection(path: copyPath, configuration: GRDB.Configuration(), environment: environment)
    } catch let error as DatabaseError {
      throw StoreError(error)
    }
  }

  /// Copies a file, and returns the version of the copy if it is known to have the data.
  private func copy(_ digest: String) throws -> FileVersion? {
    let file = try source.open(digest)
    let draft = try AttachmentDraft(in: target)
    try file.forEachChunk { try draft.append($0) }
    guard draft.digest() == digest else { throw StoreError.damagedAttachment }
    return try target.place(draft, digest).version
  }

  /// Moves the files to their place beside the backup. Returns false if there are none. Throws `.duplicate` if the
  /// place is taken.
  func place(beside path: String) throws -> Bool {
    guard target.exists else { return false }
    let folder = AttachmentFolder.path(ofStore: path)
    guard rename(target.path, folder) == 0 else {
      throw errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR
        ? StoreBackup.alreadyThere : StoreError(systemCall: errno, "renamed")
    }
    FaultPoint.backupPlaced.reach()
    return true
  }

  func remove(beside path: String) { Self.remove(beside: path) }

  static func remove(beside path: String) {
    try? FileManager.default.removeItem(atPath: AttachmentFolder.path(ofStore: path))
  }

  func removePartial() {
    try? FileManager.default.removeItem(atPath: target.path)
  }
}
