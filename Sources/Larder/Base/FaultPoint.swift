import Synchronization

/// The steps of attaching and collecting at which a test can end the process. In programs that set none, each step only
/// checks a flag.
package enum FaultPoint: String, CaseIterable, Sendable {
  case temporaryCreated, halfWritten, written, placed, synced, folderSynced, registering, registered
  case checkpointed, unlinked, rowForgotten, collected
  case backupFileCopied, backupCopied, backupPlaced

  private static let isArmed = Atomic<Bool>(false)
  private static let handler = Listener<FaultPoint>()

  /// Sets the closure that is called at each step.
  package static func observe(_ body: (@Sendable (FaultPoint) -> Void)?) {
    handler.set(body)
    isArmed.store(body != nil, ordering: .relaxed)
  }

  /// Whether a test observes the steps.
  static var areObserved: Bool { isArmed.load(ordering: .relaxed) }

  func reach() {
    guard Self.isArmed.load(ordering: .relaxed) else { return }
    Self.handler(self)
  }
}
