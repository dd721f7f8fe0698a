import Foundation
import Larder
import LarderTestSupport

extension Episode {
  /// An operation that any process can do.
  enum Operation: String, Codable, Sendable {
    case change, transaction, read, session, conflict, once, gadget, verify
    /// Adds a row that expires at a time at which it is there, and finds it.
    case temporary
    /// Waits until what is being deleted is deleted.
    case settle
  }

  /// Performs the operation in this process, or lets the other one perform it.
  func share(_ operation: Operation, _ random: inout SplitMix64) async throws {
    guard let process, Int.random(in: 0..<4, using: &random) == 0 else { return try await perform(operation, &random) }
    try await perform(operation, in: process, seed: random.next())
  }

  func perform(_ operation: Operation, in process: ModelProcess, seed: UInt64) async throws {
    outcome.kinds["in another process", default: 0] += 1
    let answer = try await process.perform(
      ModelRequest(
        folder: folder.path(percentEncoded: false), version: version, now: time.now, world: world, operation: operation,
        seed: seed))
    if let last = outcome.log.indices.last { outcome.log[last] += "in another process: \(answer.log)" }
    outcome.kinds.merge(answer.kinds, uniquingKeysWith: +)
    outcome.operations += answer.operations
    outcome.checks += answer.checks
    if let failure = answer.failure { throw Difference(description: "in another process: \(failure)") }
    world = answer.world
  }

  func perform(_ operation: Operation, _ random: inout SplitMix64) async throws {
    switch operation {
    case .change: try await change(&random)
    case .transaction: try await transaction(&random)
    case .read: try await read(&random)
    case .session: try session(&random)
    case .conflict: try conflict(&random)
    case .once: try await once(&random)
    case .gadget: try gadget(&random)
    case .verify: try await verifyStores()
    case .temporary: try await temporary(&random)
    case .settle: for store in stores { try await store.write { _ in } }
    }
  }

  /// Performs one operation of another process's episode.
  func answer(_ request: ModelRequest) async -> ModelAnswer {
    time.set(to: request.now)
    (world, version, outcome) = (request.world, request.version, EpisodeOutcome(log: [""]))
    var random = SplitMix64(seed: request.seed)
    do {
      try await perform(request.operation, &random)
    } catch let difference as Difference {
      outcome.failure = difference.description
    } catch {
      outcome.failure = "an error that nothing asked for: \(error)"
    }
    return ModelAnswer(
      world: world, failure: outcome.failure, log: outcome.log.joined(), kinds: outcome.kinds,
      operations: outcome.operations, checks: outcome.checks)
  }
}
