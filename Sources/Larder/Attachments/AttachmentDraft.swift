import Crypto
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Data being written to the store: a temporary file and its digest so far. A draft that isn't placed is deleted when
/// it is released.
final class AttachmentDraft: Sendable {
  /// `@unchecked Sendable`: `SHA256` is a copy-on-write struct that just isn't marked as Sendable.
  private struct Hash: @unchecked Sendable {
    var value = SHA256()
  }

  private struct State {
    /// The temporary file's path; nil once it was renamed.
    var path: String?
    var file: AttachmentFile
    var hash = Hash()
    var wholeDigest: String?
    var size = 0
  }

  private let folder: AttachmentFolder
  /// Tells processes that clean up that data is being attached.
  private let lock: AttachmentFile
  private let state: Mutex<State>

  init(in folder: AttachmentFolder) throws {
    try folder.create()
    lock = try folder.lockFile(.staging)
    try lock.lockShared()
    self.folder = folder
    let path = folder.newTemporaryPath()
    state = Mutex(State(path: path, file: try AttachmentFile(path, O_RDWR | O_CREAT | O_EXCL, mode: folder.dataMode)))
    FaultPoint.temporaryCreated.reach()
  }

  deinit { removeTemporaryName() }

  var file: AttachmentFile { state.withLock { $0.file } }
  /// The number of bytes written.
  var size: Int { state.withLock { $0.size } }

  /// Removes the temporary name. A file that was renamed stays.
  func removeTemporaryName() {
    state.withLock { state in
      if let path = state.path { unlink(path) }
      state.path = nil
    }
  }

  /// Renames the temporary file, replacing an existing file.
  func rename(to target: String) throws {
    let path = try temporaryPath()
    try state.withLock { state in
      guard systemRename(path, target) == 0 else { throw StoreError(systemCall: errno, "written") }
      state.path = nil
    }
  }

  /// Returns the path of the temporary file. A file that had been renamed, and was then deleted, is written again.
  func temporaryPath() throws -> String {
    try state.withLock { state in
      if let path = state.path { return path }
      let copy = folder.newTemporaryPath()
      let target = try AttachmentFile(copy, O_RDWR | O_CREAT | O_EXCL, mode: folder.dataMode)
      state.path = copy
      try state.file.forEachChunk { try target.write($0) }
      state.file = target
      return copy
    }
  }

  /// Creates a draft of data that is complete; its digest is computed while it is written.
  convenience init(in folder: AttachmentFolder, _ data: Data) throws {
    let digest = DigestJob(data)
    try self.init(in: folder)
    try data.withUnsafeBytes { try write($0) }
    let value = digest.value()
    state.withLock { $0.wholeDigest = value }
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws {
    try write(bytes)
    var hash = state.withLock { $0.hash }
    hash.value.update(bufferPointer: bytes)
    state.withLock { [hash] in $0.hash = hash }
  }

  func append(_ data: some ContiguousBytes) throws {
    try data.withUnsafeBytes { try append($0) }
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws {
    let (file, count) = (file, bytes.count)
    // Written in two parts, so that tests can end the process between them.
    let half = count / 2
    try file.write(UnsafeRawBufferPointer(rebasing: bytes[..<half]))
    FaultPoint.halfWritten.reach()
    try file.write(UnsafeRawBufferPointer(rebasing: bytes[half...]))
    state.withLock { $0.size += count }
  }

  /// Returns the SHA-256 digest of what was written.
  func digest() -> String {
    FaultPoint.written.reach()
    return state.withLock { $0.wholeDigest ?? $0.hash.value.finalize().hexadecimal }
  }
}

/// The C function `rename`, which the method of the same name shadows.
private func systemRename(_ source: String, _ target: String) -> Int32 { rename(source, target) }
