import HTTPTypes
import Hummingbird
import Larder

/// The windows that are open, each with unsaved changes of its own.
actor Sessions {
  /// The greatest number of windows that are kept.
  private static let limit = 64
  /// The name of the address's parameter that tells windows apart.
  private static let parameter = "session"

  private let store: Store
  private var sessions: [String: Session] = [:]
  /// The names of the sessions, those that were asked last at the end.
  private var order: [String] = []
  /// What reads for windows that have changed nothing yet. It never has changes.
  private let unchanged: Session

  init(store: Store) {
    self.store = store
    unchanged = Session(store: store)
  }

  /// Returns what reads for a window: its session, or the one of all windows that have changed nothing.
  ///
  /// - Throws: `Refusal` if the request names no window.
  func reader(for request: Request) throws -> Session {
    let name = try name(in: request)
    guard let session = sessions[name] else { return unchanged }
    order.removeAll { $0 == name }
    order.append(name)
    return session
  }

  /// Returns the session of a window, in which it changes something.
  ///
  /// - Throws: `Refusal` if the request names none, or if too many windows have unsaved changes.
  func session(for request: Request) throws -> Session {
    let name = try name(in: request)
    order.removeAll { $0 == name }
    if let session = sessions[name] {
      order.append(name)
      return session
    }
    if sessions.count >= Self.limit { try forgetOldest() }
    let session = Session(store: store)
    sessions[name] = session
    order.append(name)
    return session
  }

  private func name(in request: Request) throws -> String {
    let name = try request.required(Self.parameter)
    guard (1...64).contains(name.utf8.count) else { throw Refusal(.badRequest, "The session has no valid name.") }
    return name
  }

  private func forgetOldest() throws {
    guard let oldest = order.first(where: { sessions[$0]?.hasChanges == false }) else {
      throw Refusal(.serviceUnavailable, "\(Self.limit) windows have unsaved changes. Save or discard those of one.")
    }
    order.removeAll { $0 == oldest }
    sessions[oldest] = nil
  }
}
