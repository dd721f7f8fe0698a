import Foundation
import Larder
import LarderSync
package import LarderTestSupport

/// Runs the simulation of sync with one seed after another.
public struct SyncRuns: ProofPart {
  public static let name = "sync"

  private static let models: [any Model.Type] = [
    SyncedAccount.self, SyncedTag.self, SyncedSlot.self, SyncedPage.self, SyncedPicture.self, SyncedList.self,
    SyncedWindow.self, SyncedSheet.self,
  ]
  /// How many runs there are side by side.
  private static let lanes = 2

  private let watched: String?

  /// - Parameter watched: The row of which is printed what becomes of it, as a finding names it; nil for none.
  public init(watching watched: String? = nil) {
    self.watched = watched
  }

  public func run(_ run: ProofRun) async throws -> PartResult {
    var result = PartResult(
      part: Self.name, title: "Replicas",
      summary: """
        Two to four replicas write with all methods, contexts and SQL to accounts, costs, sheets, tags, a tree of categories, counters, ordered lists, rows with an \
        expiry, rows that stay where they are, documents and attachments, decide about \
        conflicts and rows that are set aside, set their clocks ahead, are closed and opened, and meet \
        in random pairs: directly, by files and by batches that are lost, repeated, reordered, cut and damaged, or break off. Some seeds kill processes in the \
        middle of an exchange, set clocks ahead by up to a year, copy files and put them back from copies, forget deletions, switch sync off and on, keep a \
        collection of documents from it for a while, or have an earlier version of the app among them. In the end all tables are equal \
        value by value and show what a computation from scratch says, all rules hold, and every acknowledged value is there, was overwritten by someone who \
        saw it, or is listed as a conflict or as set aside.
        """,
      seed: run.seed, unit: "seeds")
    let watchdog = Watchdog(limit: 300) {
      run.stalled("a run never ended", "LarderProof \(Self.name) --seed \(run.seed)")
    }
    defer { watchdog.end() }
    await withTaskGroup(of: (any Error)?.self) { group in
      var next = 0
      func add() {
        guard next < run.cases, run.isTimeLeft else { return }
        let seed = run.seed &+ UInt64(next)
        next += 1
        group.addTask {
          do {
            var simulation = Self.simulation(seed)
            simulation.watched = watched
            try await simulation.run(seed: seed, in: run.folder)
            return nil
          } catch {
            return error
          }
        }
      }
      for _ in 0..<Self.lanes { add() }
      for await error in group {
        watchdog.step()
        result.cases += 1
        result.checks += 1
        if let error {
          let seed = (error as? SyncSimulationFailure)?.seed ?? run.seed
          result.findings.append(
            Finding("\(error)", reproduction: "LarderProof \(Self.name) --seed \(seed) --seeds 1"))
        }
        if result.cases % 100 == 0 { run.progress("\(result.cases) seeds, \(result.findings.count) findings") }
        add()
      }
    }
    return result
  }

  /// The simulation of a seed.
  package static func simulation(_ seed: UInt64) -> SyncSimulation {
    SyncSimulation(for: models, replicas: 2 + Int(seed % 3)) { store, random in
      var writer = SyncedWriter(store: store, random: random)
      defer { random = writer.random }
      try await writer.write()
    }.withEarlierApp(for: SyncedWriter.earlierModels) { store, random in
      var writer = SyncedWriter(store: store, random: random)
      defer { random = writer.random }
      try await writer.writeEarlier()
    }
  }
}
