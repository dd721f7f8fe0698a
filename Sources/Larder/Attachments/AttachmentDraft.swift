import Crypto
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Bytes on their way into the store: a temporary file and their SHA-256 so far. What is not placed goes away with the draft.
///
/// `@unchecked Sendable`: the verb that made it hands it from one step to the next, and waits for each. Only the syncing of its file goes on beside
/// them, which asks nothing of the draft.
final class AttachmentDraft: @unchecked Sendable {
  private let folder: AttachmentFolder
  /// The temporary file's path; nil once it has another name.
  private(set) var path: String?
  private(set) var file: AttachmentFile
  /// Says to those who clean up that somebody attaches.
  private let lock: AttachmentFile
  private var hash = SHA256()
  private var wholeDigest: String?
  /// How many bytes were written.
  private(set) var size = 0

  init(in folder: AttachmentFolder) throws {
    try folder.create()
    lock = try folder.lockFile(.staging)
    try lock.lockShared()
    self.folder = folder
    let path = folder.newTemporaryPath()
    file = try AttachmentFile(path, O_RDWR | O_CREAT | O_EXCL, mode: 0o444)
    self.path = path
    FaultPoint.temporaryCreated.reach()
  }

  deinit { removeTemporaryName() }

  /// Takes the temporary name away; what has another one by now stays.
  func removeTemporaryName() {
    if let path { unlink(path) }
    path = nil
  }

  /// Gives the file the name in the place of its temporary one, whatever is there.
  func rename(to target: String) throws {
    guard systemRename(try temporaryPath(), target) == 0 else { throw StoreError(systemCall: errno, "written") }
    path = nil
  }

  /// The path of the temporary file. One that had been named otherwise, and was deleted there, is written once more.
  func temporaryPath() throws -> String {
    if let path { return path }
    let copy = folder.newTemporaryPath()
    let target = try AttachmentFile(copy, O_RDWR | O_CREAT | O_EXCL, mode: 0o444)
    path = copy
    try file.forEachChunk { try target.write($0) }
    file = target
    return copy
  }

  /// A draft of all bytes at once, whose digest is computed while they are written.
  convenience init(in folder: AttachmentFolder, _ data: Data) throws {
    let digest = DigestJob(data)
    try self.init(in: folder)
    try data.withUnsafeBytes { try write($0) }
    wholeDigest = digest.value()
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws {
    try write(bytes)
    hash.update(bufferPointer: bytes)
  }

  func append(_ data: some ContiguousBytes) throws {
    try data.withUnsafeBytes { try append($0) }
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws {
    // Two parts, so that a process can end between them.
    let half = bytes.count / 2
    try file.write(UnsafeRawBufferPointer(rebasing: bytes[..<half]))
    FaultPoint.halfWritten.reach()
    try file.write(UnsafeRawBufferPointer(rebasing: bytes[half...]))
    size += bytes.count
  }

  /// The SHA-256 of what was written.
  func digest() -> String {
    FaultPoint.written.reach()
    return wholeDigest ?? hash.finalize().hexadecimal
  }
}

/// The C library's `rename`, which the method of the same name hides.
private func systemRename(_ source: String, _ target: String) -> Int32 { rename(source, target) }
