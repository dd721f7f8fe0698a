import Foundation
import Larder
import LarderSync

/// A replica of a simulation, and what it has acknowledged.
struct SimulatedReplica {
  let url: URL
  private(set) var store: Store
  private(set) var app: SyncSimulation.App
  /// The end of the changes that were read.
  private var cursor: ChangeCursor?
  /// Every row that the replica knows, deleted ones among them.
  private(set) var states: [RowName: RowState] = [:]
  /// The documents of collections that have left sync, as they were when those left.
  var left: [RowName: RowState] = [:]
  /// The tables of the models, without collections of documents.
  private let oracle: VisibilityOracle

  init(at url: URL, running app: SyncSimulation.App) async throws {
    (self.url, self.app) = (url, app)
    store = try Store(at: url, for: app.models, configuration: Store.Configuration(sync: .on))
    oracle = VisibilityOracle(try await OracleTable.all(of: store))
  }

  /// Opens a file that is a copy of another replica's, and knows what that one knew.
  init(at url: URL, as replica: SimulatedReplica) async throws {
    try await self.init(at: url, running: replica.app)
    (states, left) = (replica.states, replica.left)
  }

  /// Closes the file and opens it again, with an app that may be another version.
  mutating func reopen(running app: SyncSimulation.App? = nil) async throws {
    await store.close()
    self = try await SimulatedReplica(self, running: app ?? self.app)
  }

  private init(_ closed: SimulatedReplica, running app: SyncSimulation.App) async throws {
    try await self.init(at: closed.url, running: app)
    (cursor, states, left) = (closed.cursor, closed.states, closed.left)
  }

  /// Opens the file again as it was left by a process that was killed: what is in the log isn't in the file yet.
  mutating func crash() async throws {
    let log = URL(filePath: url.path(percentEncoded: false) + "-wal")
    let (file, rest) = (try Data(contentsOf: url), try? Data(contentsOf: log))
    await store.close()
    // Written in place: a file of its own would be a copy, and so another replica.
    let handle = try FileHandle(forWritingTo: url)
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: file)
    try handle.close()
    try rest?.write(to: log)
    self = try await SimulatedReplica(self, running: app)
  }

  // MARK: The clock

  /// Sets the clock ahead, as if that of the device had jumped.
  func advanceClock(by milliseconds: Int64) async throws {
    try await store.writingModule { connection in
      try connection.execute("UPDATE _larder_sync_clock SET now = now + \(milliseconds << 16)")
    }
  }

  func clock() async throws -> Int64 {
    guard case .integer(let now)? = try await store.sql("SELECT now FROM _larder_sync_clock").first?["now"] else {
      throw SimulationProblem("there is no clock")
    }
    return now
  }

  /// Sets the clock to a later time.
  func setClock(_ time: Int64) async throws {
    try await store.writingModule { connection in
      try connection.execute("UPDATE _larder_sync_clock SET now = max(now, \(time))")
    }
  }

  // MARK: What is known

  /// Takes up what the replica has written since the last call.
  ///
  /// - Parameters:
  ///   - writes: Where it is remembered.
  ///   - present: The tables of the present app. A replica whose app is earlier keeps rows of models that its app lacks, and
  ///     they go with what it deletes.
  mutating func observe(as writes: inout WrittenValues, following present: VisibilityOracle) async throws {
    let former = states
    let changed = try await takeUp()
    for name in changed {
      guard let state = states[name] else { continue }
      writes.record(state, over: former[name])
    }
    let deleted = changed.filter { former[$0]?.isThere == true && states[$0]?.isThere == false }
    if deleted.isEmpty { return }
    let gone = Set(oracle.visible(former).keys).subtracting(oracle.visible(states).keys)
    // Rows that were set aside go with a deleted one as well.
    for name in gone.union(present.following(deleted, in: states)) {
      if let state = former[name] { writes.recordCascade(state) }
    }
  }

  /// Takes up what has come since the last call, and returns the rows that have changed.
  @discardableResult
  mutating func takeUp() async throws -> Set<RowName> {
    var changed: Set<RowName> = []
    for state in try await changes() where states[state.name] != state {
      if let old = states.updateValue(state, forKey: state.name) { try Self.checkOrder(old, state) }
      changed.insert(state.name)
    }
    return changed
  }

  /// Reads everything anew, because the file is another replica now, or has forgotten something.
  mutating func readAnew() async throws {
    cursor = nil
    states = [:]
    try await takeUp()
  }

  private mutating func changes() async throws -> [RowState] {
    var states: [RowState] = []
    while true {
      let start: ChangeCursor
      if let cursor {
        start = cursor
      } else {
        start = ChangeCursor(replica: try await store.sync.replica(), position: 0)
      }
      let batch = try await store.sync.changes(after: start, for: Self.stranger, limit: 1000)
      states += batch.rows
      cursor = batch.upTo
      if batch.isLast { return states }
    }
  }

  /// A replica that nobody has heard of, because what came from others is wanted as well.
  private static let stranger = ReplicaID()

  /// Whether the file takes itself for another replica than before.
  func isAnother() async throws -> Bool {
    let own = try await store.sync.replica()
    return cursor.map { $0.replica != own } ?? false
  }
}
