import Foundation
import Larder
import LarderProving
import LarderTestSupport
import Testing

@testable import LarderSync

@Suite("Replicas that write and meet at random")
struct SimulatorTests {
  /// The seeds to run: a few, or as many as the environment asks for.
  static let seeds = 0..<(ProcessInfo.processInfo.environment["LARDER_SYNC_SEEDS"].flatMap { UInt64($0) } ?? 8)

  @Test("end with the same rows, those of the oracle, and lose nothing without a trace", arguments: seeds)
  func convergence(seed: UInt64) async throws {
    try await SyncRuns.simulation(seed).run(seed: seed) { stores in
      for store in stores {
        let missing = try await store.verifyAttachments().missing
        let awaited = try await store.sync.awaitedAttachments()
        #expect(missing.isEmpty && awaited.isEmpty, "seed \(seed)")
      }
    }
  }

  @Test(
    "a collection with capitals in its name stays on its device for a while, and its documents are written there",
    arguments: [UInt64(99_008_572), 99_008_895])
  func capitals(seed: UInt64) async throws { try await SyncRuns.simulation(seed).run(seed: seed) }

  private struct Unsteady: Error {}

  @Test("a simulation finds tables that differ, and names the seed")
  func findings() async throws {
    let simulation = SyncSimulation(for: [SharedKind.self], replicas: 2, steps: 10) { store, random in
      // Behind the back of the tracking.
      try await store.writingModule { connection in
        try connection.execute("UPDATE _larder_sync_clock SET is_applying = 1")
        try connection.execute("INSERT INTO SharedKind (id, title) VALUES (lower(hex(randomblob(8))), 'hidden')")
        try connection.execute("UPDATE _larder_sync_clock SET is_applying = 0")
      }
      _ = random.next()
    }
    let failure = await #expect(throws: SyncSimulationFailure.self) { try await simulation.run(seed: 7) }
    #expect(failure?.seed == 7)
    #expect(failure?.problem.contains("SharedKind") == true)
    let erring = SyncSimulation(for: [SharedKind.self]) { _, _ in throw Unsteady() }
    let error = await #expect(throws: SyncSimulationFailure.self) { try await erring.run(seed: 8) }
    #expect(error?.description.contains("seed 8") == true && error?.problem.contains("Unsteady") == true)
  }
}
