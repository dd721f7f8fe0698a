import Dispatch
import Synchronization

/// Single statements that are written together: one transaction, and one wait for the disk, serves all tasks that save at the same time.
extension Writer {
  /// So many times at most a task lets others run before it commits for all of them.
  private static let gatherLimit = 4

  /// Executes one statement: at once where the writer is free, together with others where it is not.
  func performStatement<Result: Sendable>(_ operation: @escaping @Sendable (Connection) throws -> Result) async throws -> Result {
    try await performStatement(preparing: {}, operation) { connection, _ in try operation(connection) }
  }

  /// Executes one statement: at once where the writer is free, together with others where it is not.
  ///
  /// - Parameters:
  ///   - prepare: Makes what the statement needs from code of the program. It runs in the caller's task, with the task's own values and priority.
  ///   - direct: Executes the statement in the caller's task; what it needs was not prepared.
  ///   - operation: Executes the statement, possibly in another task, with what was prepared.
  func performStatement<Prepared: Sendable, Result: Sendable>(
    preparing prepare: () throws -> Prepared, _ direct: (Connection) throws -> Result,
    _ operation: @escaping @Sendable (Connection, Prepared) throws -> Result
  ) async throws -> Result {
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
    let prepared = try ThreadHoldings.encoding(for: self, prepare)
    let write = StatementWrite { try operation($0, prepared) }
    if settings.runsInline {
      switch try enter() {
      case .alone: return try await lead(write, [])
      case .leader: return try await gather(write)
      case .follower: break
      }
    }
    return try await line(up: write)
  }

  /// - Parameter isAdmitted: Whether the statement came before the store was closed, if it was.
  private func line<Result: Sendable>(up write: StatementWrite<Result>, isAdmitted: Bool = false) async throws -> Result {
    try await write.job.result {
      if let limit = settings.waitLimit { write.job.expire(after: limit, with: Self.overdue(limit)) }
      do {
        try enqueue(.grouped(write), isAdmitted: isAdmitted)
      } catch {
        write.job.fail(error)
      }
    }
  }

  /// Takes the writer where it is free and no others are about to come.
  private func takeIfAlone() throws -> Bool {
    try line.withLock { line in
      if line.isClosed { throw StoreError.closed }
      return line.takeAlone()
    }
  }

  private func enter() throws -> WriterLine.Entry {
    // Whoever gathers keeps others waiting until it is scheduled again, which a task of low priority may not be for long.
    let mayLead = Task.currentPriority >= .medium
    return try line.withLock { line in
      if line.isClosed { throw StoreError.closed }
      return line.enter(mayLead: mayLead)
    }
  }

  /// Lets the other tasks that are ready reach the line, and commits their statements with this one, on this thread: with many tasks
  /// saving at once no thread waits for another.
  ///
  /// The writer stays free meanwhile: calls that block all of the pool's threads must not wait for a task that needs one of them.
  private func gather<Result: Sendable>(_ own: StatementWrite<Result>) async throws -> Result {
    await letOthersCome()
    let followers = line.withLock { line -> [any GroupedWrite]? in
      line.isGathering = false
      // A call that blocks its thread took the writer; it will hand it on to those in line.
      if line.isHeld { return nil }
      line.isHeld = true
      let group = line.popGroup()
      // Nobody came: the next one need not wait for others.
      line.isContended = !group.isEmpty
      return group
    }
    guard let followers else { return try await line(up: own, isAdmitted: true) }
    return try await lead(own, followers)
  }

  /// Lets other tasks run until the line grows no longer.
  private func letOthersCome() async {
    var length = 0
    for _ in 0..<Self.gatherLimit {
      await Task.yield()
      let newLength = line.withLock { $0.waiting.count }
      if newLength == length { return }
      length = newLength
    }
  }

  /// Writes the statement and those of the others, as the holder of the writer.
  private func lead<Result: Sendable>(_ own: StatementWrite<Result>, _ followers: [any GroupedWrite]) async throws -> Result {
    let started = followers.filter { $0.start() }
    let remaining = write(Task.isCancelled ? started : [own] + started, waits: false)
    if remaining.isEmpty {
      release()
      for write in started { write.answer() }
      return try own.result.get()
    }
    // Another process has the lock: wait for it on the writer's queue.
    return try await withCheckedThrowingContinuation { continuation in
      queue.async {
        _ = self.write(remaining, waits: true)
        self.release()
        for write in started { write.answer() }
        continuation.resume(with: own.result)
      }
    }
  }

  /// Releases the writer after a statement on a caller's thread: those who came meanwhile are committed on the same thread, once.
  private func releaseInline() {
    guard !needsCheckpoint else { return release() }
    let group = line.withLock { line in line.popGroup() }
    if group.isEmpty { return release() }
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

  /// Executes the statements on the writer's queue, releases the writer, and answers each caller.
  func runAndRelease(_ writes: [any GroupedWrite]) {
    // A call that was cancelled while it stood in line never starts.
    let started = writes.filter { $0.start() }
    _ = write(started, waits: true)
    release()
    for write in started { write.answer() }
  }

  /// Executes the statements in one transaction; one that fails is undone alone. Where the transaction as a whole fails, each is executed
  /// in one of its own.
  ///
  /// - Parameter waits: Whether another process that has the lock is waited for, for the busy timeout in all.
  /// - Returns: The statements that are still to be executed, because another process has the lock.
  private func write(_ writes: [any GroupedWrite], waits: Bool) -> [any GroupedWrite] {
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
              // A full disk, say, has ended the whole transaction.
              try connection.checkTransaction()
            }
          }
        }
        return []
      } catch let error as StoreError where error.code == .busy {
        guard waits else { return writes }
        // Nobody's turn would come sooner by waiting once more for each.
        for write in writes { write.execute { _ in throw error } }
        return []
      } catch {
        // Nothing of the group was kept.
      }
    }
    return writeOneByOne(writes, connection, until: waits ? deadline : nil)
  }

  /// - Parameter deadline: Until when another process is waited for; nil where that is done elsewhere.
  private func writeOneByOne(
    _ writes: [any GroupedWrite], _ connection: Connection, until deadline: ContinuousClock.Instant?
  ) -> [any GroupedWrite] {
    for (position, write) in writes.enumerated() {
      connection.setBusyTimeout(deadline.map { ($0 - .now).milliseconds } ?? 0)
      write.execute { operation in try committing(connection) { try operation(connection) } }
      if deadline == nil, write.isBusy { return Array(writes[position...]) }
    }
    return []
  }
}
