import Dispatch
import Synchronization

/// The observers of commits, and the tables and columns that they read.
///
/// Observers are indexed by table and then by the set of columns that they read. A commit looks up the tables that it
/// wrote, and makes one check for each set of columns. The number of observers of other tables doesn't matter.
final class LiveRegistry: Sendable {
  fileprivate struct State {
    var observers: [ObjectIdentifier: LiveObserver] = [:]
    /// Observers whose read has ended, by the tables and columns that it read.
    var watchers: [String: [Region.Columns: [ObjectIdentifier: LiveObserver]]] = [:]
    /// Observers that are reading: every commit may affect them.
    var readers: [ObjectIdentifier: LiveObserver] = [:]
    var timer: (any DispatchSourceTimer)?
    weak var writer: Writer?
    var isShared = false
    /// Whether commits made before the first observer have yet to be excluded.
    var needsBaseline = false
  }

  private let state: Mutex<State>
  private let count = Atomic<Int>(0)

  /// How often to check for commits of other processes while there are observers.
  private static let interval = DispatchTimeInterval.milliseconds(100)

  /// Whether there are no observers.
  ///
  /// An observer is counted before it reads, and a commit is made before this is asked, both sequentially consistent: so a
  /// commit that finds no observer is seen by whatever an observer reads that is added later.
  var isEmpty: Bool { count.load(ordering: .sequentiallyConsistent) == 0 }

  /// - Parameter isShared: Whether other processes may commit to the file.
  init(isShared: Bool) {
    state = Mutex(State(isShared: isShared))
  }

  /// Adds the observer, which is notified of all commits from now on.
  func add(_ observer: LiveObserver) {
    if count.add(1, ordering: .sequentiallyConsistent).newValue == 1 {
      state.withLock { $0.writer }?.features.observersNeedNews(hasForeignCommits: false)
    }
    let writer = state.withLock { state -> Writer? in
      state.observers[ObjectIdentifier(observer)] = observer
      guard state.isShared, state.timer == nil else { return nil }
      state.timer = startTimer()
      state.needsBaseline = true
      return state.writer
    }
    if let writer, writer.hasForeignCommits() != nil { state.withLock { $0.needsBaseline = false } }
  }

  func remove(_ observer: LiveObserver) {
    let id = ObjectIdentifier(observer)
    state.withLock { state in
      guard state.observers.removeValue(forKey: id) != nil else { return }
      state.readers[id] = nil
      state.unindex(observer, observer.region)
      count.subtract(1, ordering: .acquiringAndReleasing)
      guard state.observers.isEmpty else { return }
      state.timer?.cancel()
      state.timer = nil
    }
  }

  /// Called before the observer reads. Commits are recorded until it is known what was read.
  func beginReading(_ observer: LiveObserver) {
    state.withLock { state in
      state.readers[ObjectIdentifier(observer)] = observer
      observer.beginReading()
    }
  }

  /// Called when the observer has read. From now on it is only notified of commits that affect the region. A commit
  /// during the read counts.
  ///
  /// - Parameter isFurther: Whether the observer also keeps observing what it read before.
  func endReading(_ observer: LiveObserver, _ region: Region, isFurther: Bool = false) {
    state.withLock { state in
      if observer.endReading(region) { state.readers[ObjectIdentifier(observer)] = nil }
      let previous = observer.region
      var region = region
      if isFurther { region.formUnion(previous) }
      guard region != previous else { return }
      state.unindex(observer, previous)
      observer.region = region
      for (table, columns) in region.tables {
        state.watchers[table, default: [:]][columns, default: [:]][ObjectIdentifier(observer)] = observer
      }
    }
  }

  /// Calls the closure, and adds what it read to the observed region.
  func reading<Result>(_ observer: LiveObserver, _ body: () throws -> (Result, Region)) rethrows -> Result {
    beginReading(observer)
    var region = Region()
    defer { endReading(observer, region, isFurther: true) }
    let result = try body()
    region = result.1
    return result.0
  }

  /// Wakes the observers of what was written.
  func didCommit(_ statements: [StatementFacts]) {
    if statements.isEmpty || isEmpty { return }
    // The same SQL may now read from another view or table.
    if statements.contains(where: \.changesSchema) { return wakeAll() }
    let waiters = state.withLock { state -> [LiveObserver.Waiter] in
      var waiters: [LiveObserver.Waiter] = []
      for facts in statements {
        for (table, written) in facts.writes.tables {
          guard let groups = state.watchers[table] else { continue }
          for (watched, observers) in groups where watched.overlaps(written) {
            for observer in observers.values {
              if let waiter = observer.wake() { waiters.append(waiter) }
            }
          }
        }
        for observer in state.readers.values { observer.miss(facts.writes) }
      }
      return waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Makes all observers read again: something unknown was committed, or the store was closed.
  func wakeAll() {
    let waiters = state.withLock { state in state.observers.values.compactMap { $0.wake() } }
    for waiter in waiters { waiter.resume() }
  }

  private func startTimer() -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue.global(qos: .utility))
    timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval, leeway: .milliseconds(20))
    timer.setEventHandler { [weak self] in
      guard let self, let writer = self.state.withLock({ $0.writer }) else { return }
      writer.findForeignCommits { [weak self] hasCommits in
        guard let self else { return }
        let wasUnknown = self.state.withLock { state in
          defer { state.needsBaseline = false }
          return state.needsBaseline
        }
        guard hasCommits || wasUnknown else { return }
        self.wakeAll()
        writer.features.observersNeedNews(hasForeignCommits: true)
      }
    }
    timer.resume()
    return timer
  }
}

extension LiveRegistry.State {
  fileprivate mutating func unindex(_ observer: LiveObserver, _ region: Region) {
    for (table, columns) in region.tables {
      watchers[table]?[columns]?[ObjectIdentifier(observer)] = nil
      if watchers[table]?[columns]?.isEmpty == true { watchers[table]?[columns] = nil }
      if watchers[table]?.isEmpty == true { watchers[table] = nil }
    }
  }
}

extension LiveRegistry {
  /// The tables that have observers.
  var watchedTables: Set<String> { state.withLock { Set($0.watchers.keys) } }
}

// MARK: - As a feature

extension LiveRegistry: StoreFeature {
  func start(_ writer: Writer, hasWork: Bool) -> (any StoreService)? {
    state.withLock { $0.writer = writer }
    return nil
  }

  var isObserving: Bool { !isEmpty }

  /// Observers that wait for commits read once more, and find that the store is closed.
  func didClose() {
    wakeAll()
  }
}

extension Store {
  /// The observers of the store.
  var live: LiveRegistry { environment.features[LiveRegistry.self] }
}
