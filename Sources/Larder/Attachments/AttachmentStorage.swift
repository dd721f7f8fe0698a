import Foundation
import Synchronization

/// Where one open store keeps the bytes of attachments, and what all its connections share about them.
final class AttachmentStorage: Sendable {
  let folder: AttachmentFolder
  /// Whether the file's tables are Larder's to change.
  let isManaged: Bool
  let leases = AttachmentLeases()
  let checked = CheckedFiles()
  private let isTemporary: Bool
  private let identity = Mutex<Identity?>(nil)
  private let isActive = Atomic<Bool>(false)
  private let listener = Listener<Void>()

  /// By what other processes know that this store is open: a locked file, unlocked by the system when the process ends.
  private struct Identity {
    let name: String
    let file: AttachmentFile
  }

  /// - Parameters:
  ///   - path: The store's file, or nil for a store in memory, whose attachments go with it.
  ///   - isReadOnly: Whether nothing is created, changed or deleted.
  init(storePath path: String?, isManaged: Bool, isReadOnly: Bool = false) {
    isTemporary = path == nil
    self.isManaged = isManaged
    folder = AttachmentFolder(
      path.map(AttachmentFolder.path(ofStore:)) ?? FileManager.default.temporaryDirectory.appending(component: "larder-\(UUID().uuidString)").path,
      isReadOnly: isReadOnly)
  }

  deinit { end() }

  /// Gives up what this store keeps; the bytes of a store in memory go with it, because nobody else knows of their folder.
  func end() {
    identity.withLock { identity in
      if let identity { unlink("\(folder.holders)/\(identity.name)") }
      identity = nil
    }
    if isTemporary { try? FileManager.default.removeItem(atPath: folder.path) }
  }

  // MARK: Who keeps bytes

  /// The name under which this store keeps bytes that no row names yet.
  func holder() throws -> String {
    try identity.withLock { identity in
      // Somebody may have taken the folder away.
      if let identity, access("\(folder.holders)/\(identity.name)", F_OK) == 0 { return identity.name }
      let name = UUID().uuidString
      let partial = "\(folder.temporary)/\(name)"
      let file = try AttachmentFile(partial, O_RDWR | O_CREAT | O_EXCL)
      // Others find it under its name only once it is locked.
      guard file.tryLock(isExclusive: true), rename(partial, "\(folder.holders)/\(name)") == 0 else { throw StoreError(systemCall: errno, "locked") }
      identity = Identity(name: name, file: file)
      return name
    }
  }

  /// The name, where this store keeps something.
  var knownHolder: String? { identity.withLock { $0?.name } }

  /// Whether the store of that name is open, in whatever process. What a dead one has left is removed.
  func isOpen(_ holder: String) -> Bool {
    if holder == knownHolder { return true }
    let path = "\(folder.holders)/\(holder)"
    guard UUID(uuidString: holder) != nil, let file = try? AttachmentFile(path, folder.isReadOnly ? O_RDONLY : O_RDWR) else { return false }
    guard file.tryLock(isExclusive: false) else { return true }
    if !folder.isReadOnly { unlink(path) }
    return false
  }

  /// Removes what stores that are open no longer have left.
  func forgetDeadHolders() {
    for name in AttachmentFolder.names(in: folder.holders) { _ = isOpen(name) }
  }

  // MARK: Who collects

  /// Says that the file counts attachments: from now on commits may let some go.
  func activate() {
    guard !isActive.load(ordering: .relaxed) else { return }
    isActive.store(true, ordering: .relaxed)
    didChange()
  }

  /// Sets who hears that something may have been let go.
  func onChange(_ body: @escaping @Sendable () -> Void) {
    listener.set(body)
    leases.onEnd(body)
  }

  /// Called after every commit; costs a look at a flag in a store without attachments.
  func didCommit() {
    if isActive.load(ordering: .relaxed) { didChange() }
  }

  private func didChange() {
    listener()
  }
}
