import Dispatch
import Foundation
import Synchronization

/// Deletes data without references and leases, and what a dead process has left.
///
/// It works on the writer's own queue, a few files at a time, and waits for readers: data that an open snapshot may
/// refer to stays.
final class AttachmentCollector: StoreService {
  private struct State {
    var timer = WakeTimer()
    /// Wakes to save what is known of files.
    var savingTimer = WakeTimer()
    var due = ContinuousClock.now
    var isWorking = false
    var isStopped = false
    /// Whether something changed during the last round.
    var isNudged = false
    /// Whether another process or reader prevented work during the last round.
    var isBlocked = false
  }

  /// The result of a round.
  struct Round: Sendable, Equatable {
    /// The number of deleted files.
    var count = 0
    /// Whether there is more to do immediately.
    var hasMore = false
    /// Whether another process or reader prevented work.
    var isBlocked = false
  }

  private let writer: Writer
  private let storage: AttachmentStorage
  private let isInMemory: Bool
  private let state = Mutex(State())
  private let search = Mutex(AttachmentSearch())
  /// The digest after which the next round continues; nil to start from the beginning.
  private let position = Mutex<String?>(nil)
  private let queue = DispatchQueue(label: "larder.attachments.collector", qos: .utility)

  /// The number of files to delete in one round.
  static let batch = 100
  /// The number of unused files to check in one query.
  private static let page = 1000
  private static let pause = Duration.milliseconds(100)
  /// The delay, in seconds, in which versions of files gather to be saved together.
  private static let savingDelay = 0.2
  /// The delay after another process or reader prevented work.
  private static let retry = Duration.seconds(1)
  /// How often to check for data that other processes have released.
  private static let interval = Duration.seconds(60)

  init(_ writer: Writer, _ storage: AttachmentStorage, isInMemory: Bool, isNeeded: Bool) {
    self.writer = writer
    self.storage = storage
    self.isInMemory = isInMemory
    storage.onChange { [weak self] in self?.nudge() }
    storage.checked.onAdd { [weak self] in self?.saveSoon() }
    guard isNeeded else { return }
    storage.activate()
    state.withLock { start(&$0, after: Self.pause) }
  }

  deinit {
    state.withLock { state in
      state.timer.cancel()
      state.savingTimer.cancel()
    }
  }

  /// Stops collecting automatically.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      state.timer.cancel()
      state.savingTimer.cancel()
    }
  }

  // MARK: Saving what is known of files

  private func saveSoon(after delay: Double = AttachmentCollector.savingDelay) {
    state.withLock { state in
      // What is new doesn't wait for what failed before.
      guard !state.isStopped, state.savingTimer.delay.map({ delay < $0 }) ?? true else { return }
      state.savingTimer.set(after: delay, leeway: .milliseconds(10), on: queue) { [weak self] in
        self?.state.withLock { $0.savingTimer.cancel() }
        Task.detached(priority: .utility) { [weak self] in
          // Another process may be writing, or data waits for its registration.
          guard let isDone = try? await self?.saveVersions(), isDone else {
            self?.saveSoon(after: min(delay * 2, Self.interval / .seconds(1)))
            return
          }
        }
      }
    }
  }

  /// Saves which files are known to have the data of their digests, for stores that are opened later.
  ///
  /// - Returns: Whether all are saved.
  @discardableResult
  func saveVersions() async throws -> Bool {
    try await writer.perform { try AttachmentTable($0).saveVersions() }
  }

  // MARK: Waking

  /// The delay after a change; long if unused data is retained anyway.
  private var delay: Duration { storage.retention > 0 ? Self.interval : Self.pause }

  private func nudge() {
    state.withLock { state in
      if state.isWorking {
        state.isNudged = true
      } else {
        start(&state, after: state.isBlocked ? Self.retry : delay)
      }
    }
  }

  private func start(_ state: inout State, after delay: Duration) {
    let due = ContinuousClock.now + delay
    guard !state.isStopped, storage.isManaged, !state.timer.isSet || due < state.due else { return }
    state.due = due
    state.timer.set(after: delay / .seconds(1), leeway: .milliseconds(10), on: queue) { [weak self] in self?.work() }
  }

  private func work() {
    state.withLock { state in
      state.timer.cancel()
      state.isWorking = true
      state.isNudged = false
    }
    Task.detached(priority: .utility) { [weak self] in
      let round = try? await self?.round()
      self?.didWork(round ?? Round(isBlocked: true))
    }
  }

  private func didWork(_ round: Round) {
    state.withLock { state in
      state.isWorking = false
      state.isBlocked = round.isBlocked
      let isNudged = state.isNudged && !round.isBlocked
      let next = isNudged ? delay : round.isBlocked ? Self.retry : Self.interval
      start(&state, after: round.hasMore ? Self.pause : next)
    }
  }

  // MARK: Working

  /// Collects until nothing is left that can be collected now, and returns the number of deleted files.
  ///
  /// - Parameter waits: Whether data that nothing refers to waits for its time.
  @discardableResult
  func collect(waits: Bool = true) async throws -> Int {
    var count = 0
    while true {
      let round = try await round(waits: waits)
      count += round.count
      if !round.hasMore { return count }
    }
  }

  /// Deletes some of the unused files.
  func round(waits: Bool = true) async throws -> Round {
    var round = Round()
    let waiting = waits ? AttachmentWaiting(storage) : nil
    while try await writer.perform({ try AttachmentTable($0).removeLeases() }) {}
    // What doesn't wait begins anew each time: it leaves no data behind to go on after.
    let start = waits ? position.withLock { $0 } : nil
    if start == nil { try await waiting?.endOthers(writer) }
    let unused = try await unused(after: start ?? "", waiting)
    if !unused.isEmpty {
      if try await noOlderSnapshots() {
        for deleted in try await delete(unused, &round) { waiting?.end(AttachmentWaiting.Mark(deleted)) }
      } else {
        round.isBlocked = true
      }
    }
    if waits, !round.isBlocked { position.withLock { $0 = round.hasMore ? unused.last?.digest : nil } }
    let found = try await writer.perform { [self] connection in
      try search.withLock { try $0.advance(storage, waiting, connection) }
    }
    round.count += found.count
    round.hasMore = round.hasMore || found.hasMore
    round.isBlocked = round.isBlocked || found.isBlocked
    return round
  }

  /// Returns data that can be deleted, up to the number for one round.
  ///
  /// - Parameter start: The digest to begin after.
  private func unused(after start: String, _ waiting: AttachmentWaiting?) async throws -> [AttachmentTable.Unused] {
    var (found, last): ([AttachmentTable.Unused], String) = ([], start)
    let limit = waiting == nil ? Self.batch : Self.page
    while true {
      let page = try await writer.perform { [last] connection -> [AttachmentTable.Unused] in
        guard try AttachmentTable(connection).exists() else { return [] }
        return try AttachmentTable(connection).unused(after: last, limit: limit)
      }
      for unused in page where waiting?.isOver(AttachmentWaiting.Mark(unused)) ?? true {
        found.append(unused)
        if found.count == Self.batch { return found }
      }
      guard page.count == limit, let end = page.last else { return found }
      last = end.digest
    }
  }

  /// Returns whether no connection reads a state of the file older than the last commit.
  ///
  /// A checkpoint that may restart the log waits for all readers of the log, and for readers of the file itself if it
  /// has to be written. Source: <https://www.sqlite.org/c3ref/wal_checkpoint_v2.html>.
  private func noOlderSnapshots() async throws -> Bool {
    if isInMemory { return true }
    let isFree = try await writer.perform { $0.restartLog() }
    FaultPoint.checkpointed.reach()
    return isFree
  }

  /// Deletes data that is still unused, and returns it.
  private func delete(_ unused: [AttachmentTable.Unused], _ round: inout Round) async throws -> [AttachmentTable.Unused]
  {
    let deleted = try await writer.perform { [storage] connection -> [AttachmentTable.Unused]? in
      try storage.folder.create()
      let lock = try storage.folder.lockFile(.reading)
      guard lock.tryLock(isExclusive: true) else { return nil }
      defer { withExtendedLifetime(lock) {} }
      return try connection.transaction { try unused.filter { try AttachmentTable(connection).delete($0) } }
    }
    FaultPoint.collected.reach()
    guard let deleted else {
      round.isBlocked = true
      return []
    }
    round.count += deleted.count
    round.hasMore = unused.count == Self.batch
    return deleted
  }
}

extension Store {
  var attachmentCollector: AttachmentCollector { services[AttachmentCollector.self] }

  /// Immediately collects what the store would collect over time, and returns the number of deleted files.
  ///
  /// - Parameter waits: Whether data that nothing refers to waits for its time.
  @discardableResult
  package func collectAttachments(waits: Bool = false) async throws -> Int {
    try await attachmentCollector.collect(waits: waits)
  }
}
