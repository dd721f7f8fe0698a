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

  init(store: Store) {
    self.store = store
  }

  /// Returns the session of a window.
  ///
  /// - Throws: `Refusal` if the request names none, or if too many windows have unsaved changes.
  func session(for request: Request) throws -> Session {
    let name = try request.required(Self.parameter)
    guard (1...64).contains(name.utf8.count) else { throw Refusal(.badRequest, "The session has no valid name.") }
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

  private func forgetOldest() throws {
    guard let oldest = order.first(where: { sessions[$0]?.hasChanges == false }) else {
      throw Refusal(.serviceUnavailable, "\(Self.limit) windows have unsaved changes. Save or discard those of one.")
    }
    order.removeAll { $0 == oldest }
    sessions[oldest] = nil
  }
}
