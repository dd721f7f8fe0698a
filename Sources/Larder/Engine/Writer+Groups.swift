import Dispatch
import Synchronization

/// Single statements that are written together: one transaction, and one wait for the disk, serves all tasks that save
/// at the same time.
extension Writer {
  /// The largest number of times that a task yields before it commits for all waiting tasks.
  private static let gatherLimit = 4

  /// Executes one statement: immediately if the writer is idle, otherwise together with others.
  func performStatement<Result: Sendable>(
    _ operation: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    let result = StatementResult<Result>()
    let keepingResult: @Sendable (Connection) throws -> Void = { connection in
      let value = try operation(connection)
      result.value.withLock { $0 = value }
    }
    try await performStatement(keepingResult) { GroupedWrite(keepingResult) }
    guard let value = result.value.withLock({ $0 }) else { throw CancellationError() }
    return value
  }

  /// Executes one statement: immediately if the writer is idle, otherwise together with others.
  ///
  /// - Parameters:
  ///   - direct: Executes the statement in the caller's task.
  ///   - prepare: Runs the program's code that the statement needs, in the caller's task, with its task-local values
  ///     and priority, and returns what executes the statement, possibly in another task. Only called if the statement
  ///     isn't executed directly.
  func performStatement(
    _ direct: (Connection) throws -> Void, preparing prepare: () throws -> GroupedWrite
  ) async throws {
    try Task.checkCancellation()
    if settings.runsInline, try takeIfAlone() {
      do {
        defer { releaseInline() }
        let connection = try connection()
        connection.setBusyTimeout(0)
        return try committing(connection) { try direct(connection) }
      } catch let error as StoreError where error.code == .busy {
        // Another process has the lock: wait for it on the writer's queue.
      }
    }
    let write = try ThreadHoldings.encoding(for: self, prepare)
    if settings.runsInline {
      switch try enter() {
      case .alone: return try await lead(write, [])
      case .leader: return try await gather(write)
      case .follower: break
      }
    }
    try await line(up: write)
  }

  /// - Parameter isAdmitted: Whether the statement came before the store was closed.
  private func line(up write: GroupedWrite, isAdmitted: Bool = false) async throws {
    try await write.wait {
      if let limit = settings.waitLimit { write.expire(after: limit, with: Self.overdue(limit)) }
      do {
        try enqueue(.grouped(write), isAdmitted: isAdmitted)
      } catch {
        write.fail(error)
      }
    }
  }

  /// Takes the writer if it is idle and no others are about to come.
  private func takeIfAlone() throws -> Bool {
    try line.withLock { line in
      if line.isClosed { throw StoreError.closed }
      return line.takeAlone()
    }
  }

  private func enter() throws -> WriterLine.Entry {
    // A gathering task delays others until it is scheduled again, which a task of low priority may not be for long.
    let mayLead = Task.currentPriority >= .medium
    return try line.withLock { line in
      if line.isClosed { throw StoreError.closed }
      return line.enter(mayLead: mayLead)
    }
  }

  /// Lets other ready tasks reach the line, and commits their statements with this one on this thread. When many tasks
  /// save at once, no thread waits for another.
  ///
  /// The writer stays available meanwhile: calls that block all of the pool's threads must not wait for a task that
  /// needs one of them.
  private func gather(_ own: GroupedWrite) async throws {
    await letOthersCome()
    let followers = line.withLock { line -> [GroupedWrite]? in
      line.isGathering = false
      // A blocking call took the writer; it will pass it on to those waiting.
      if line.isHeld { return nil }
      line.isHeld = true
      let group = line.popGroup()
      // If no other task came, the next one doesn't have to wait for others.
      line.isContended = !group.isEmpty
      return group
    }
    guard let followers else { return try await line(up: own, isAdmitted: true) }
    try await lead(own, followers)
  }

  /// Yields until the line stops growing.
  private func letOthersCome() async {
    var length = 0
    for _ in 0..<Self.gatherLimit {
      await Task.yield()
      let newLength = line.withLock { $0.waiting.count }
      if newLength == length { return }
      length = newLength
    }
  }

  /// Writes this statement and those of the others, while holding the writer.
  private func lead(_ own: GroupedWrite, _ followers: [GroupedWrite]) async throws {
    let started = followers.filter { $0.start() }
    let remaining = write(Task.isCancelled ? started : [own] + started, waits: false)
    if remaining.isEmpty {
      release()
      for write in started { write.answer() }
      return try own.check()
    }
    // Another process has the lock: wait for it on the writer's queue.
    await withCheckedContinuation { continuation in
      queue.async {
        _ = self.write(remaining, waits: true)
        self.release()
        for write in started { write.answer() }
        continuation.resume()
      }
    }
    try own.check()
  }

  /// Releases the writer after a statement on a caller's thread. Statements that lined up meanwhile are committed on
  /// the same thread, once.
  private func releaseInline() {
    guard !needsCheckpoint else { return release() }
    let group: [GroupedWrite]
    switch line.withLock({ $0.popNext() }) {
    case .nobody: return
    case .exclusive(let turn): return turn()
    case .group(let writes): group = writes
    }
    let started = group.filter { $0.start() }
    let remaining = write(started, waits: false)
    if remaining.isEmpty {
      release()
      for write in started { write.answer() }
    } else {
      queue.async {
        _ = self.write(remaining, waits: true)
        self.release()
        for write in started { write.answer() }
      }
    }
  }

  /// Executes the statements on the writer's queue, releases the writer, and returns to each caller.
  func runAndRelease(_ writes: [GroupedWrite]) {
    // A call that was cancelled while waiting never starts.
    let started = writes.filter { $0.start() }
    _ = write(started, waits: true)
    release()
    for write in started { write.answer() }
  }

  /// Executes the statements in one transaction. One that fails is undone alone. If the transaction as a whole fails,
  /// each is executed in its own.
  ///
  /// - Parameter waits: Whether to wait for another process that has the lock, for the busy timeout in total.
  /// - Returns: The statements that are still to be executed, because another process has the lock.
  private func write(_ writes: [GroupedWrite], waits: Bool) -> [GroupedWrite] {
    let connection: Connection
    do {
      connection = try self.connection()
    } catch {
      for write in writes { write.execute { _ in throw error } }
      return []
    }
    let deadline = ContinuousClock.now + (waits ? settings.busyTimeout : .zero)
    if writes.count > 1 {
      connection.setBusyTimeout(waits ? busyTimeout : 0)
      do {
        try committing(connection) {
          try connection.transaction {
            for write in writes {
              write.execute { operation in try operation(connection) }
              // For example, a full disk has ended the whole transaction.
              try connection.checkTransaction()
            }
          }
        }
        return []
      } catch let error as StoreError where error.code == .busy {
        guard waits else { return writes }
        // Waiting again for each statement would help no one.
        for write in writes { write.execute { _ in throw error } }
        return []
      } catch {
        // Nothing of the group was committed.
      }
    }
    return writeOneByOne(writes, connection, until: waits ? deadline : nil)
  }

  /// - Parameter deadline: How long to wait for another process; nil if the caller waits.
  private func writeOneByOne(
    _ writes: [GroupedWrite], _ connection: Connection, until deadline: ContinuousClock.Instant?
  ) -> [GroupedWrite] {
    for (position, write) in writes.enumerated() {
      connection.setBusyTimeout(deadline.map { ($0 - .now).milliseconds } ?? 0)
      write.execute { operation in try committing(connection) { try operation(connection) } }
      if deadline == nil, write.isBusy { return Array(writes[position...]) }
    }
    return []
  }
}

/// What a statement that isn't a save returns. If it is executed again, the last result counts.
private final class StatementResult<Value: Sendable>: Sendable {
  let value = Mutex<Value?>(nil)
}
