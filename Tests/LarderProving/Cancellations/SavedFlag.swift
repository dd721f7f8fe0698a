import Synchronization

/// Whether a save inside of a task was acknowledged.
final class SavedFlag: Sendable {
  private let flag = Atomic<Bool>(false)

  var isSaved: Bool {
    get { flag.load(ordering: .acquiring) }
    set { flag.store(newValue, ordering: .releasing) }
  }
}
