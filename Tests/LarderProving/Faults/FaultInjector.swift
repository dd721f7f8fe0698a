import Foundation
import Larder

/// What makes the n-th call fail.
protocol FaultInjector: Sendable {
  /// Fails the n-th call from now on; the calls are those on files below the folder.
  func arm(at number: Int, below folder: URL)
  func disarm()
  /// How many calls were failed since the last arming.
  var failures: Int { get }
  /// How many calls were made since the last arming.
  var calls: Int { get }
  /// What the first call that failed was.
  var firstFailure: String { get }
  /// Codes that errors may have besides the usual ones.
  var codes: Set<StoreError.Code> { get }
  /// Whether files that should go could not be removed.
  var keepsFiles: Bool { get }
}

extension FaultInjector {
  var codes: Set<StoreError.Code> { [] }
  var keepsFiles: Bool { false }
}

/// Fails calls of SQLite's connections.
struct ConnectionFaults: FaultInjector {
  let kind: FaultVFS.Failure
  let persists: Bool
  /// Whether calls on SQLite's temporary files fail too. They have no path: those of all stores of the process fail.
  let includesTemporaryFiles: Bool

  private var failing: FaultVFS.Calls {
    switch kind {
    case .inputOutput: .all
    case .full: .space
    case .short: [.read, .write]
    case .busy: [.lock, .sharedMemoryLock]
    }
  }

  func arm(at number: Int, below folder: URL) {
    FaultVFS.confine(to: folder, includesTemporaryFiles: includesTemporaryFiles)
    FaultVFS.arm(failing, at: number, kind, persists: persists)
  }

  func disarm() { FaultVFS.disarm() }
  var failures: Int { FaultVFS.failures }
  var calls: Int { FaultVFS.count(failing) }
  var firstFailure: String { FaultVFS.firstFailure }
}
