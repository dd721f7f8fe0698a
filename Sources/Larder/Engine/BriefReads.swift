/// How the reads of a statement went that ran on a task's own thread, from which follows where the next one runs.
///
/// Time alone doesn't tell a long read from one that was preempted on a busy machine. So one that was given up says
/// nothing yet; two in a row do, for a while, because data and the load of the machine change.
struct BriefReads {
  /// How many reads run elsewhere before the next one is tried.
  static let retryInterval = 64

  private var givenUp = 0
  private var remaining = 0

  /// Returns whether the next read runs on the task's own thread.
  mutating func begin() -> Bool {
    guard remaining > 0 else { return true }
    remaining -= 1
    return false
  }

  mutating func end() { givenUp = 0 }

  mutating func giveUp() {
    givenUp += 1
    if givenUp > 1 { remaining = Self.retryInterval }
  }
}
