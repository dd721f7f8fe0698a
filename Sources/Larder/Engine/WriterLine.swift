import DequeModule

/// The line for the writer: whether it is in use, and the callers waiting for it, in order.
struct WriterLine {
  /// Whether a caller uses the writer.
  var isHeld = false
  var waiting = Deque<Waiter>()
  /// Whether new callers are refused because the store was closed.
  var isClosed = false
  /// Whether a check for commits of other processes is at the head of the line.
  var isLookingForCommits = false
  /// Whether single statements were waiting recently. If so, the next one gathers others.
  var isContended = false
  /// Whether a task gives others time to reach the line. It doesn't hold the writer meanwhile.
  var isGathering = false
  /// The number of single statements that ran alone since one last looked for others.
  var aloneCount = 0

  enum Waiter {
    /// Takes the writer, and releases it in the end.
    case exclusive(@Sendable () -> Void)
    /// Writes a single statement in the transaction of the caller that takes it from the line.
    case grouped(GroupedWrite)

    var isGrouped: Bool {
      if case .grouped = self { true } else { false }
    }
  }

  /// The next user of the writer.
  enum Next {
    case nobody
    case exclusive(@Sendable () -> Void)
    case group([GroupedWrite])
  }

  /// A task that saves in a loop never suspends while it is alone. After this many statements it lets other tasks run.
  static let aloneLimit = 128

  /// How a task begins that wants to write one statement.
  enum Entry {
    /// The writer was idle, and no other task came recently.
    case alone
    /// The writer is idle, and other tasks are about to come.
    case leader
    /// The writer is in use, or another task is gathering.
    case follower
  }

  /// Takes the writer for a single statement if it is idle and no others are about to come.
  mutating func takeAlone() -> Bool {
    guard !isHeld, !isGathering, !isContended, aloneCount < Self.aloneLimit else { return false }
    aloneCount += 1
    isHeld = true
    return true
  }

  /// Decides how a task begins that couldn't take the writer alone.
  ///
  /// - Parameter mayLead: Whether the task may gather others and commit for them.
  mutating func enter(mayLead: Bool) -> Entry {
    if isHeld || isGathering || !mayLead { return .follower }
    guard isContended || aloneCount >= Self.aloneLimit else {
      isHeld = true
      return .alone
    }
    aloneCount = 0
    isGathering = true
    return .leader
  }

  /// Removes and returns the single statements at the head of the line.
  mutating func popGroup() -> [GroupedWrite] {
    var group: [GroupedWrite] = []
    while case .grouped(let write) = waiting.first {
      group.append(write)
      waiting.removeFirst()
    }
    if !group.isEmpty { isContended = true }
    return group
  }

  /// Removes and returns the next caller, or marks the writer as idle.
  mutating func popNext() -> Next {
    let group = popGroup()
    if !group.isEmpty { return .group(group) }
    if case .exclusive(let turn) = waiting.popFirst() { return .exclusive(turn) }
    isHeld = false
    return .nobody
  }
}
