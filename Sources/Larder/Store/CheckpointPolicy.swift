/// When the write-ahead log goes back into the file, and how long that may wait for readers.
///
/// A passive checkpoint disturbs nobody, but the log starts over only when no reader uses it. Readers that overlap without end keep it growing, so
/// from some size on the writer waits for those who read at that moment; new ones do not delay it, because they read the file itself as soon as all
/// of the log is in it. How long it waits doubles with each attempt in vain, and the next one comes when the log has grown by a quarter, and past
/// ``reportedBytes`` to its double: a reader that takes minutes holds the writer up for a small part of them. Source: <https://www.sqlite.org/c3ref/wal_checkpoint_v2.html>.
struct CheckpointPolicy {
  enum Mode: Sendable {
    /// Moves what nobody reads from, and waits for nobody.
    case passive
    /// Waits for readers, so that the next commit begins the log anew.
    case restart
    /// As `restart`, and gives the log's space on the disk back.
    case truncate
  }

  /// The number of pages at which SQLite itself would move them back into the file.
  static let interval: Int32 = 1000
  /// What a log that is used again may keep on the disk, and the size from which on the space is given back when the store is idle.
  static let keptBytes: Int64 = 4 << 20
  /// From this size on the writer waits for readers.
  static let restartBytes: Int64 = 16 << 20
  /// From this size on the log's space is given back as well.
  static let truncateBytes: Int64 = 32 << 20
  /// From this size on, and at each doubling, a log that cannot be emptied is reported.
  static let reportedBytes: Int64 = 64 << 20
  /// How long the first attempt that waits does so, in milliseconds.
  private static let firstPatience: Int32 = 100

  private let bytesPerPage: Int64
  /// The longest wait, in milliseconds.
  private let longestPatience: Int32
  private var patience = Self.firstPatience
  /// The size of the log at which the next attempt is due, and its size when it was last looked at, in pages.
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

  /// Whether a checkpoint is due at this size of the log.
  mutating func isDue(_ pages: Int32) -> Bool {
    // The log began anew.
    if pages < lastSeen { dueAt = Self.interval }
    lastSeen = pages
    return pages >= dueAt
  }

  /// How the checkpoint is done at this size, and how long it may wait, in milliseconds.
  func attempt(_ pages: Int32) -> (mode: Mode, patience: Int32) {
    switch bytes(pages) {
    case ..<Self.restartBytes: (.passive, 0)
    case ..<Self.truncateBytes: (.restart, patience)
    default: (.truncate, patience)
    }
  }

  /// The log is empty, or the next commit begins it anew.
  mutating func didEmpty() {
    patience = Self.firstPatience
    dueAt = Self.interval
    lastSeen = 0
    reportedAt = 0
  }

  /// The log keeps its pages.
  mutating func didNotEmpty(_ pages: Int32, _ mode: Mode) {
    if mode != .passive { patience = min(patience * 2, longestPatience) }
    let growth = bytes(pages) < Self.reportedBytes ? pages / 4 : pages
    dueAt = pages.addingReportingOverflow(max(Self.interval, mode == .passive ? 0 : growth)).partialValue
    if dueAt < pages { dueAt = .max }
  }

  /// Whether a log of this size that cannot be emptied is to be reported.
  mutating func isWorthReporting(_ pages: Int32) -> Bool {
    guard bytes(pages) >= max(Self.reportedBytes, reportedAt * 2) else { return false }
    reportedAt = bytes(pages)
    return true
  }
}
