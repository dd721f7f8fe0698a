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
    /// The temporary file's path; nil if it has none, or was renamed.
    var path: String?
    /// Whether the file has no name at all yet.
    var isUnnamed = false
    var placed: FileVersion?
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
    if let file = try folder.unnamedFile() {
      state = Mutex(State(isUnnamed: true, file: file))
    } else {
      let path = folder.newTemporaryPath()
      state = Mutex(State(path: path, file: try AttachmentFile(path, O_RDWR | O_CREAT | O_EXCL, mode: folder.dataMode)))
    }
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

  /// Whether this process can give files without a name one: it needs the folder of its descriptors. Source: open(2).
  static let canLinkUnnamed = access("/proc/self/fd", X_OK) == 0

  /// Gives a file without a name its first one. Returns false if the file has a name, or doesn't get this one.
  func linkUnnamed(to target: String) -> Bool {
    state.withLock { state in
      guard state.isUnnamed else { return false }
      let draft = state.file.backdate()
      guard Self.link(state.file, to: target) else { return false }
      state.isUnnamed = false
      if let draft, let placed = state.file.regularVersion, placed.hasContents(of: draft), placed.size == state.size {
        state.placed = placed
      }
      return true
    }
  }

  /// The version of the placed file, if it has the data of the draft: nobody else could change it before it was placed,
  /// and who does since makes another version (``AttachmentFile/backdate()``).
  var placedVersion: FileVersion? { state.withLock { $0.placed } }

  private static func link(_ file: AttachmentFile, to target: String) -> Bool {
    linkat(AT_FDCWD, "/proc/self/fd/\(file.descriptor)", AT_FDCWD, target, AT_SYMLINK_FOLLOW) == 0
  }

  /// Renames the temporary file, replacing an existing file.
  func rename(to target: String) throws {
    let path = try temporaryPath()
    try state.withLock { state in
      guard systemRename(path, target) == 0 else { throw StoreError(systemCall: errno, "written") }
      state.path = nil
    }
  }

  /// Returns the path of the temporary file. A file that had been renamed, and was then deleted, is written again, and
  /// so is one that can't get a name.
  func temporaryPath() throws -> String {
    try state.withLock { state in
      if let path = state.path { return path }
      let copy = folder.newTemporaryPath()
      if state.isUnnamed, Self.link(state.file, to: copy) {
        (state.path, state.isUnnamed) = (copy, false)
        return copy
      }
      let target = try AttachmentFile(copy, O_RDWR | O_CREAT | O_EXCL, mode: folder.dataMode)
      state.path = copy
      try state.file.forEachChunk { try target.write($0) }
      (state.file, state.isUnnamed, state.placed) = (target, false, nil)
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
    // Tests can end the process between two parts.
    let half = FaultPoint.areObserved ? count / 2 : 0
    if half > 0 { try file.write(UnsafeRawBufferPointer(rebasing: bytes[..<half])) }
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
