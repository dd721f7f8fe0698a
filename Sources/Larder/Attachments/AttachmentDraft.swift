import Crypto
import Foundation

/// Bytes on their way into the store: a temporary file and their SHA-256 so far. What is not placed goes away with the draft.
///
/// `@unchecked Sendable`: the verb that made it hands it from one step to the next, and waits for each.
final class AttachmentDraft: @unchecked Sendable {
  let path: String
  let file: AttachmentFile
  /// Says to those who clean up that somebody attaches.
  private let lock: AttachmentFile
  private var hash = SHA256()
  /// How many bytes were written.
  private(set) var size = 0

  init(in folder: AttachmentFolder) throws {
    try folder.create()
    lock = try folder.lockFile(.staging)
    try lock.lockShared()
    path = "\(folder.temporary)/\(UUID().uuidString)"
    file = try AttachmentFile(path, O_RDWR | O_CREAT | O_EXCL, mode: 0o444)
    FaultPoint.temporaryCreated.reach()
  }

  deinit { unlink(path) }

  func append(_ bytes: UnsafeRawBufferPointer) throws {
    // Two parts, so that a process can end between them.
    let half = bytes.count / 2
    try file.write(UnsafeRawBufferPointer(rebasing: bytes[..<half]))
    FaultPoint.halfWritten.reach()
    try file.write(UnsafeRawBufferPointer(rebasing: bytes[half...]))
    hash.update(bufferPointer: bytes)
    size += bytes.count
  }

  func append(_ data: some ContiguousBytes) throws {
    try data.withUnsafeBytes { try append($0) }
  }

  /// The SHA-256 of what was written.
  func digest() -> String {
    FaultPoint.written.reach()
    return hash.finalize().hexadecimal
  }
}
