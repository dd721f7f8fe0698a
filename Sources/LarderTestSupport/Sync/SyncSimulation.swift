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
/// they send, break off, close and open their files, and set their clocks ahead. In the end all exchange until nothing
/// is new. Then every table must be the same on all replicas, value by value; the rules of the models must hold; and no
/// write that was acknowledged may be missing: each is there, or was overwritten by one with a later stamp.
///
/// Let the closure choose from few keys, so that replicas write to the same rows, and take them from `random`. Errors
/// that say that a rule of the models refused a write are ignored.
public struct SyncSimulation: Sendable {
  /// What writes to one of the replicas: a few rows, with whatever methods you use.
  public typealias Write = @Sendable (_ store: Store, _ random: inout SplitMix64) async throws -> Void

  let models: [any Model.Type]
  let replicas: Int
  let steps: Int
  let write: Write

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
    self.models = models
    self.replicas = max(2, replicas)
    self.steps = steps
    self.write = write
  }

  /// Runs the simulation once.
  ///
  /// - Parameters:
  ///   - seed: The seed of everything that is chosen at random.
  ///   - folder: Where the stores are made, and deleted at the end; nil for the system's temporary folder.
  ///   - check: Called at the end with the stores, for rules of your own.
  /// - Throws: ``SyncSimulationFailure`` with the seed, for errors of stores and of `check` too.
  public func run(
    seed: UInt64, in folder: URL? = nil, checking check: @Sendable ([Store]) async throws -> Void = { _ in }
  ) async throws {
    var run = try SimulationRun(self, seed: seed, in: folder ?? FileManager.default.temporaryDirectory)
    do {
      for _ in 0..<steps { try await run.step() }
      try await run.quiesce()
      try await run.check()
      try await check(run.stores)
    } catch {
      throw SyncSimulationFailure(seed: seed, step: run.stepCount, problem: "\(error)")
    }
  }
}

/// What a run of ``SyncSimulation`` has found.
public struct SyncSimulationFailure: Error, Sendable, CustomStringConvertible {
  /// The seed of the run, with which it can be repeated.
  public let seed: UInt64
  /// The number of steps that were made.
  public let step: Int
  /// What was found.
  public let problem: String

  /// The seed and the problem.
  public var description: String { "seed \(seed), step \(step): \(problem)" }
}
