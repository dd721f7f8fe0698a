import DequeModule

/// Who holds the writer, and who waits for it, in the order in which they came.
struct WriterLine {
  /// Whether somebody uses the writer.
  var isHeld = false
  var waiting = Deque<Waiter>()
  /// Whether those who come are refused, because the store was closed.
  var isClosed = false
  /// Whether a look for commits of other processes stands at the head of the line.
  var isLookingForCommits = false
  /// Whether single statements stood in line lately: then the next one gathers others.
  var isContended = false
  /// Whether a task gives others the time to reach the line; it does not hold the writer meanwhile.
  var isGathering = false
  /// How many single statements ran alone since one looked for others.
  var aloneCount = 0

  enum Waiter {
    /// Takes over the writer, and releases it in the end.
    case exclusive(@Sendable () -> Void)
    /// Writes a single statement in the transaction of whoever takes it out of the line.
    case grouped(any GroupedWrite)

    var isGrouped: Bool {
      if case .grouped = self { true } else { false }
    }
  }

  /// Who uses the writer next.
  enum Next {
    case nobody
    case exclusive(@Sendable () -> Void)
    case group([any GroupedWrite])
  }

  /// A task that saves in a loop never suspends while it is alone: after so many statements it lets other tasks run.
  static let aloneLimit = 32

  /// How a task that wants to write one statement begins.
  enum Entry {
    /// The writer was free, and nobody else came lately.
    case alone
    /// The writer is free, and others are about to come.
    case leader
    /// The writer is in use, or another task gathers.
    case follower
  }

  /// Takes the writer for a single statement where it is free and no others are about to come.
  mutating func takeAlone() -> Bool {
    guard !isHeld, !isGathering, !isContended, aloneCount < Self.aloneLimit else { return false }
    aloneCount += 1
    isHeld = true
    return true
  }

  /// Decides how a task begins that could not take the writer alone.
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

  /// Takes the single statements at the head of the line.
  mutating func popGroup() -> [any GroupedWrite] {
    var group: [any GroupedWrite] = []
    while case .grouped(let write) = waiting.first {
      group.append(write)
      waiting.removeFirst()
    }
    if !group.isEmpty { isContended = true }
    return group
  }

  /// Takes whoever is next, or leaves the writer free.
  mutating func popNext() -> Next {
    let group = popGroup()
    if !group.isEmpty { return .group(group) }
    if case .exclusive(let turn) = waiting.popFirst() { return .exclusive(turn) }
    isHeld = false
    return .nobody
  }
}
