/// Decides when to move the write-ahead log into the file, and how long that may wait for readers.
///
/// A passive checkpoint disturbs no one, but the log only starts over when no reader uses it. Readers that overlap
/// without end let it grow, so from a certain size on the writer waits for the current readers. New readers don't
/// extend the wait, because they read the file itself once all of the log is in it.
///
/// The wait doubles with each failed attempt. The next attempt comes when the log has grown by a quarter, or, past
/// ``reportedBytes``, to twice its size, so a reader that takes minutes only delays the writer for a small part of
/// them. Source: <https://www.sqlite.org/c3ref/wal_checkpoint_v2.html>.
struct CheckpointPolicy {
  enum Mode: Sendable {
    /// Moves the pages that no reader needs, and waits for no one.
    case passive
    /// Waits for readers, so that the next commit starts the log over.
    case restart
    /// Like `restart`, and truncates the log.
    case truncate
  }

  /// The number of pages at which SQLite's automatic checkpoint would run.
  static let interval: Int32 = 1000
  /// The size that a reused log may keep on disk, and above which it is truncated when the store is idle.
  static let keptBytes: Int64 = 4 << 20
  /// The size from which the writer waits for readers.
  static let restartBytes: Int64 = 16 << 20
  /// The size from which the log is also truncated.
  static let truncateBytes: Int64 = 32 << 20
  /// The size from which a log that can't be emptied is reported, and again each time it doubles.
  static let reportedBytes: Int64 = 64 << 20
  /// How long the first attempt waits, in milliseconds.
  private static let firstPatience: Int32 = 100

  private let bytesPerPage: Int64
  /// The longest wait, in milliseconds.
  private let longestPatience: Int32
  private var patience = Self.firstPatience
  /// The size of the log, in pages, at which the next attempt is due, and its size at the last attempt.
  private var dueAt = Self.interval
  private var lastSeen: Int32 = 0
  private var reportedAt: Int64 = 0

  /// - Parameters:
  ///   - pageSize: The size of a page of the file, in bytes.
  ///   - longestPatience: The longest time that the writer waits for readers, in milliseconds.
  init(pageSize: Int64, longestPatience: Int32) {
    // Each page has a header of 24 bytes in the log: https://www.sqlite.org/fileformat2.html#walformat.
    bytesPerPage = pageSize + 24
    self.longestPatience = max(longestPatience, Self.firstPatience)
  }

  func bytes(_ pages: Int32) -> Int64 { Int64(pages) * bytesPerPage }

  /// Returns whether a checkpoint is due at this size of the log.
  mutating func isDue(_ pages: Int32) -> Bool {
    // The log has started over.
    if pages < lastSeen { dueAt = Self.interval }
    lastSeen = pages
    return pages >= dueAt
  }

  /// Returns the mode of the checkpoint at this size, and how long it may wait, in milliseconds.
  func attempt(_ pages: Int32) -> (mode: Mode, patience: Int32) {
    switch bytes(pages) {
    case ..<Self.restartBytes: (.passive, 0)
    case ..<Self.truncateBytes: (.restart, patience)
    default: (.truncate, patience)
    }
  }

  /// Called when the log is empty, or the next commit starts it over.
  mutating func didEmpty() {
    patience = Self.firstPatience
    dueAt = Self.interval
    lastSeen = 0
    reportedAt = 0
  }

  /// Called when the log keeps its pages.
  mutating func didNotEmpty(_ pages: Int32, _ mode: Mode) {
    if mode != .passive { patience = min(patience * 2, longestPatience) }
    let growth = bytes(pages) < Self.reportedBytes ? pages / 4 : pages
    dueAt = pages.addingReportingOverflow(max(Self.interval, mode == .passive ? 0 : growth)).partialValue
    if dueAt < pages { dueAt = .max }
  }

  /// Returns whether a log of this size that can't be emptied should be reported.
  mutating func isWorthReporting(_ pages: Int32) -> Bool {
    guard bytes(pages) >= max(Self.reportedBytes, reportedAt * 2) else { return false }
    reportedAt = bytes(pages)
    return true
  }
}
