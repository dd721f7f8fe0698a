import Foundation
import Synchronization

/// The attachments of one open store, and what all its connections share about them.
final class AttachmentStorage: Sendable {
  let folder: AttachmentFolder
  /// Whether Larder manages the file's tables.
  let isManaged: Bool
  /// How long data without references stays, in seconds.
  let retention: Double
  private let clock: @Sendable () -> Date
  let leases = AttachmentLeases()
  let arrived = ArrivedAttachments()
  let checked: CheckedFiles
  private let isTemporary: Bool
  private let identity = Mutex<Identity?>(nil)
  private let isActive = Atomic<Bool>(false)
  private let listener = Listener<Void>()

  /// A locked file that tells other processes that this store is open. The system unlocks it when the process ends.
  private struct Identity {
    let name: String
    let file: AttachmentFile
  }

  /// - Parameters:
  ///   - path: The store's file, or nil for a store in memory, whose attachments are deleted with it.
  ///   - isReadOnly: Whether nothing is created, changed or deleted.
  ///   - retention: How long data without references stays, in seconds. That of a store in memory has no other file
  ///     that could refer to it.
  ///   - now: The clock.
  init(
    storePath path: String?, isManaged: Bool, isReadOnly: Bool = false, retention: Double,
    now: @escaping @Sendable () -> Date
  ) {
    isTemporary = path == nil
    checked = CheckedFiles(isKept: path != nil && isManaged && !isReadOnly)
    self.retention = path == nil ? 0 : max(0, retention)
    clock = now
    self.isManaged = isManaged
    folder =
      path.map { AttachmentFolder(ofStore: $0, isReadOnly: isReadOnly) }
      ?? AttachmentFolder(
        FileManager.default.temporaryDirectory.appending(component: "larder-\(UUID().uuidString)").path, ofStore: nil,
        isReadOnly: isReadOnly)
  }

  /// The time, in seconds since the reference date.
  var now: Double { clock().timeIntervalSinceReferenceDate }

  deinit { end() }

  /// Releases what this store keeps. The data of a store in memory is deleted, because no other process knows its
  /// folder.
  func end() {
    identity.withLock { identity in
      if let identity { unlink("\(folder.holders)/\(identity.name)") }
      identity = nil
    }
    if isTemporary { try? FileManager.default.removeItem(atPath: folder.path) }
  }

  // MARK: Who keeps bytes

  /// The name under which this store keeps data that no row refers to yet.
  func holder() throws -> String {
    try identity.withLock { identity in
      // Another process may have deleted the folder.
      if let identity, access("\(folder.holders)/\(identity.name)", F_OK) == 0 { return identity.name }
      let name = UUID().uuidString
      let partial = "\(folder.temporary)/\(name)"
      let file = try AttachmentFile(partial, O_RDWR | O_CREAT | O_EXCL, mode: folder.fileMode)
      // It gets the name that others look for only once it is locked.
      guard file.tryLock(isExclusive: true), rename(partial, "\(folder.holders)/\(name)") == 0 else {
        throw StoreError(systemCall: errno, "locked")
      }
      identity = Identity(name: name, file: file)
      return name
    }
  }

  /// The name, if this store keeps any data.
  var knownHolder: String? { identity.withLock { $0?.name } }

  /// Returns whether a store with that name is open in any process. Removes what a dead process has left.
  func isOpen(_ holder: String) -> Bool {
    if holder == knownHolder { return true }
    let path = "\(folder.holders)/\(holder)"
    guard UUID(uuidString: holder) != nil, let file = try? AttachmentFile(path, folder.isReadOnly ? O_RDONLY : O_RDWR)
    else { return false }
    guard file.tryLock(isExclusive: false) else { return true }
    if !folder.isReadOnly { unlink(path) }
    return false
  }

  /// Removes what stores that are no longer open have left.
  func forgetDeadHolders() {
    for name in AttachmentFolder.names(in: folder.holders) { _ = isOpen(name) }
  }

  // MARK: What is verified

  /// Records that placed data has been synced: what a power failure may still take back isn't recorded.
  func didSync(digest: String, _ placement: AttachmentFolder.Placement) {
    if let version = placement.version { checked.insert(placed: digest, version) }
  }

  // MARK: Who collects

  /// Records that the file counts attachments: from now on commits may release some.
  func activate() {
    guard !isActive.load(ordering: .relaxed) else { return }
    isActive.store(true, ordering: .relaxed)
    didChange()
  }

  /// Sets the closure that is called when a commit may have released an attachment.
  func onChange(_ body: @escaping @Sendable () -> Void) {
    listener.set(body)
    leases.onEnd(body)
  }

  /// Called after every commit. Without attachments, it only checks a flag.
  func didCommit() {
    if isActive.load(ordering: .relaxed) { didChange() }
  }

  private func didChange() {
    listener()
  }
}
