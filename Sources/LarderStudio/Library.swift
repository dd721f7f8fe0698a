import HTTPTypes
import Larder

/// What the routes share: the store, and who works on it.
struct Library: Sendable {
  let store: Store
  let name: String
  let isWritable: Bool
  let home: Studio.Link?
  let pending: PendingChanges
  let sessions: Sessions
  let console: SQLConsole

  init(store: Store, name: String, isWritable: Bool, home: Studio.Link?, pending: PendingChanges) {
    self.store = store
    self.name = name
    self.isWritable = isWritable
    self.home = home
    self.pending = pending
    sessions = Sessions(store: store)
    console = SQLConsole(store: store, isWritable: isWritable)
  }

  /// Throws if nothing may be written.
  func requireWritable() throws {
    guard isWritable else {
      throw Refusal(.forbidden, "This store is open for reading alone. Start the studio so that it may write.")
    }
  }
}
