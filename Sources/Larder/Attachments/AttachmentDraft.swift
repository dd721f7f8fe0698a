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

/// Bytes on their way into the store: a temporary file and their SHA-256 so far. What is not placed goes away with the draft.
final class AttachmentDraft: Sendable {
  /// `@unchecked Sendable`: `SHA256` is a struct that copies what it refers to before it changes it, and is only not marked as such.
  private struct Hash: @unchecked Sendable {
    var value = SHA256()
  }

  private struct State {
    /// The temporary file's path; nil once it has another name.
    var path: String?
    var file: AttachmentFile
    var hash = Hash()
    var wholeDigest: String?
    var size = 0
  }

  private let folder: AttachmentFolder
  /// Says to those who clean up that somebody attaches.
  private let lock: AttachmentFile
  private let state: Mutex<State>

  init(in folder: AttachmentFolder) throws {
    try folder.create()
    lock = try folder.lockFile(.staging)
    try lock.lockShared()
    self.folder = folder
    let path = folder.newTemporaryPath()
    state = Mutex(State(path: path, file: try AttachmentFile(path, O_RDWR | O_CREAT | O_EXCL, mode: 0o444)))
    FaultPoint.temporaryCreated.reach()
  }

  deinit { removeTemporaryName() }

  var file: AttachmentFile { state.withLock { $0.file } }
  /// How many bytes were written.
  var size: Int { state.withLock { $0.size } }

  /// Takes the temporary name away; what has another one by now stays.
  func removeTemporaryName() {
    state.withLock { state in
      if let path = state.path { unlink(path) }
      state.path = nil
    }
  }

  /// Gives the file the name in the place of its temporary one, whatever is there.
  func rename(to target: String) throws {
    let path = try temporaryPath()
    try state.withLock { state in
      guard systemRename(path, target) == 0 else { throw StoreError(systemCall: errno, "written") }
      state.path = nil
    }
  }

  /// The path of the temporary file. One that had been named otherwise, and was deleted there, is written once more.
  func temporaryPath() throws -> String {
    try state.withLock { state in
      if let path = state.path { return path }
      let copy = folder.newTemporaryPath()
      let target = try AttachmentFile(copy, O_RDWR | O_CREAT | O_EXCL, mode: 0o444)
      state.path = copy
      try state.file.forEachChunk { try target.write($0) }
      state.file = target
      return copy
    }
  }

  /// A draft of all bytes at once, whose digest is computed while they are written.
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
    // Two parts, so that a process can end between them.
    let half = count / 2
    try file.write(UnsafeRawBufferPointer(rebasing: bytes[..<half]))
    FaultPoint.halfWritten.reach()
    try file.write(UnsafeRawBufferPointer(rebasing: bytes[half...]))
    state.withLock { $0.size += count }
  }

  /// The SHA-256 of what was written.
  func digest() -> String {
    FaultPoint.written.reach()
    return state.withLock { $0.wholeDigest ?? $0.hash.value.finalize().hexadecimal }
  }
}

/// The C library's `rename`, which the method of the same name hides.
private func systemRename(_ source: String, _ target: String) -> Int32 { rename(source, target) }
