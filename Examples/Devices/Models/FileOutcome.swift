/// What reading a sync file has done.
struct FileOutcome: Encodable, Sendable {
  /// The number of rows that have changed.
  let rows: Int
  /// Whether an earlier file is missing.
  let leavesGap: Bool
}
