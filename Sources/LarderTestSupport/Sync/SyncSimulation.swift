public import Foundation
public import Larder

/// Replicas of a store that write and exchange at random, so that you can test what sync makes of your own models.
///
/// ```swift
/// let simulation = SyncSimulation(for: Note.self, Folder.self) { store, random in
///   switch Int.random(in: 0..<3, using: &random) {
///   case 0: try await store.save(Note(id: key(&random), title: "\(random.next())"))
///   default: try await store.deleteAll(Note.where { $0.id == key(&random) })
///   }
/// }
/// for seed in 0..<20 { try await simulation.run(seed: UInt64(seed)) }
/// ```
///
/// The replicas write with your closure, exchange directly, by bytes and by files, lose, repeat, reorder and damage what
/// they send, break off, close and open their files, and set their clocks ahead. Some seeds do more: processes are
/// killed in the middle of an exchange, clocks are up to a year ahead, files are copied and put back from copies,
/// deletions are forgotten, sync is switched off and on, and collections of documents stay on their device for a while.
///
/// In the end all exchange until nothing is new. Then every table must be the same on all replicas, value by value, and
/// show what a computation from scratch says; the rules of the models must hold; and every value that was ever
/// acknowledged is there, or was overwritten by someone who saw it, or is listed as a conflict or set aside.
///
/// If you have an earlier version of your app with fewer models or properties, add it with ``withEarlierApp(for:write:)``.
///
/// Let the closure choose from few keys, so that replicas write to the same rows, and take them from `random`. A `StoreError`
/// that says that a rule of the models refused a write, such as `.duplicate` or `.invalidValue`, is ignored. Any other error
/// ends the run, so catch in the closure what `validate()` of your models throws.
public struct SyncSimulation: Sendable {
  /// What writes to one of the replicas: a few rows, with whatever methods you use.
  public typealias Write = @Sendable (_ store: Store, _ random: inout SplitMix64) async throws -> Void

  /// A version of the app.
  struct App: Sendable {
    let models: [any Model.Type]
    let write: Write
    var isEarlier = false
  }

  let app: App
  private(set) var earlierApp: App?
  /// The row of which is printed what becomes of it, as a failure names it.
  package var watched: String?
  let replicas: Int
  let steps: Int

  /// Creates a simulation.
  ///
  /// - Parameters:
  ///   - models: The models of the stores.
  ///   - replicas: The number of replicas; at least 2.
  ///   - steps: The number of writes and exchanges of a run.
  ///   - write: What writes to one of the replicas.
  public init(
    for models: any Model.Type..., replicas: Int = 3, steps: Int = 60, write: @escaping Write
  ) {
    self.init(for: models, replicas: replicas, steps: steps, write: write)
  }

  /// Creates a simulation.
  ///
  /// - Parameters:
  ///   - models: The models of the stores.
  ///   - replicas: The number of replicas; at least 2.
  ///   - steps: The number of writes and exchanges of a run.
  ///   - write: What writes to one of the replicas.
  public init(for models: [any Model.Type], replicas: Int = 3, steps: Int = 60, write: @escaping Write) {
    app = App(models: models, write: write)
    self.replicas = max(2, replicas)
    self.steps = max(0, steps)
  }

  /// Returns the simulation with one replica, in a quarter of the seeds, whose app is an earlier version, which is updated
  /// after a while.
  ///
  /// - Parameters:
  ///   - models: The models of the earlier version, which lack models or properties of the present one.
  ///   - write: What the earlier version writes.
  public func withEarlierApp(for models: any Model.Type..., write: @escaping Write) -> SyncSimulation {
    withEarlierApp(for: models, write: write)
  }

  /// Returns the simulation with one replica, in a quarter of the seeds, whose app is an earlier version, which is updated
  /// after a while.
  ///
  /// - Parameters:
  ///   - models: The models of the earlier version, which lack models or properties of the present one.
  ///   - write: What the earlier version writes.
  public func withEarlierApp(for models: [any Model.Type], write: @escaping Write) -> SyncSimulation {
    var simulation = self
    simulation.earlierApp = App(models: models, write: write, isEarlier: true)
    return simulation
  }

  /// Runs the simulation once.
  ///
  /// - Parameters:
  ///   - seed: The seed of everything that is chosen at random.
  ///   - folder: Where the stores are made, and deleted at the end; nil for the system's temporary folder.
  ///   - check: Called at the end with the stores, for rules of your own.
  /// - Throws: ``SyncSimulationFailure`` with the seed, for errors of stores and of `check` too; `CancellationError` if the
  ///   task is cancelled.
  public func run(
    seed: UInt64, in folder: URL? = nil, checking check: @Sendable ([Store]) async throws -> Void = { _ in }
  ) async throws {
    var run = try SimulationRun(self, seed: seed, in: folder ?? FileManager.default.temporaryDirectory)
    do {
      try await run.begin()
      for _ in 0..<steps { try await run.step() }
      try await run.quiesce()
      try await run.check()
      try await check(run.stores)
    } catch {
      // The time limit of a test cancels it.
      try Task.checkCancellation()
      throw SyncSimulationFailure(seed: seed, step: run.stepCount, problem: "\(error)\(run.hazards)")
    }
  }
}

/// What a run of ``SyncSimulation`` has found.
public struct SyncSimulationFailure: Error, Sendable, CustomStringConvertible {
  /// The seed of the run, which makes the same choices when it is repeated. Identifiers of replicas and times differ.
  public let seed: UInt64
  /// The number of steps that were made.
  public let step: Int
  /// What was found.
  public let problem: String

  /// The seed and the problem.
  public var description: String { "seed \(seed), step \(step): \(problem). Repeat it with run(seed: \(seed))." }
}
