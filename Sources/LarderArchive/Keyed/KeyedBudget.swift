internal import Synchronization

/// How many more objects of one keyed archive may be built, and how deep.
///
/// Values are counted for each place that holds them before anything is built. But a closure or an `init(from:)` may ask for an object as one type and then as
/// another, and so in each of the objects inside: that would double the time with each level.
final class KeyedBudget: Sendable {
  private let rest: Atomic<Int>

  /// An object may be asked for as one thing and then as another; this often, for all objects of an archive.
  private static let attempts = 8

  init(_ limits: Archive.Limits) {
    rest = Atomic(1000 + Self.attempts * min(limits.count, Int.max / 16))
  }

  /// Throws ``ArchiveError`` `.limitExceeded`.
  func spend() throws {
    guard rest.subtract(1, ordering: .relaxed).newValue >= 0 else {
      throw ArchiveError(
        .limitExceeded, "The objects of the archive are asked for again and again. Decode each once, or raise Archive.Limits.count.")
    }
    try StackBounds.current.check()
  }
}
