internal import Synchronization

/// The number of values of one keyed archive that may still be requested, and the user info that they get.
///
/// Values are counted for each reference before anything is built. But a closure or an `init(from:)` may request an
/// object, an array or a dictionary several times, and so may each of the values inside, which would double the time
/// with each level.
final class KeyedContext: Sendable {
  let userInfo: [CodingUserInfoKey: any Sendable]
  private let rest: Atomic<Int>

  /// The number of times that a value may be requested again, for all values of an archive.
  private static let attempts = 8

  init(_ limits: Archive.Limits, userInfo: [CodingUserInfoKey: any Sendable]) {
    self.userInfo = userInfo
    rest = Atomic(1000 + Self.attempts * min(limits.count, Int.max / 16))
  }

  /// Throws ``ArchiveError`` `.limitExceeded`.
  func spend(_ count: Int = 1) throws {
    guard rest.subtract(count, ordering: .relaxed).newValue >= 0 else {
      throw ArchiveError(
        .limitExceeded,
        "The values of the archive are asked for again and again. Decode each once, or raise Archive.Limits.count.")
    }
    try StackBounds.current.check()
  }
}
