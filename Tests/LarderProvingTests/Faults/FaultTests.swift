import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderProving

extension FaultSuites {
  @Suite("Stores whose calls fail", .serialized)
  struct FaultTests {
    private func problems(_ unit: FaultUnit, at numbers: (Int) -> [Int]) async throws -> [String] {
      let folder = try TemporaryFolder()
      let trial = try await unit.trial(in: folder.url, ownsProcess: false)
      let whole = try await trial.run(at: .max)
      #expect(whole.failures == 0)
      #expect(whole.calls > 0)
      var problems = whole.problems
      for number in numbers(whole.calls) {
        let outcome = try await trial.run(at: number)
        problems += outcome.problems.map { "call \(number) (\(outcome.call)): \($0)" }
      }
      return problems
    }

    private static let short = FaultVFS.Failure.allCases.map { failure in
      FaultUnit(scenario: "insert", layer: .connections, failure: "\(failure)", persists: failure == .full)
    }

    @Test("whichever call of an insert fails, the store says so, goes on and loses nothing", arguments: short)
    func insert(unit: FaultUnit) async throws {
      #expect(try await problems(unit) { Array(1...$0) } == [])
    }

    @Test(
      "a call that fails in any other work is an error, and the store goes on",
      arguments: [
        "transaction", "group-commit", "context", "documents", "opening-after-crash", "creating", "migrating", "attach",
        "closing", "context-expiry", "deep-cascade", "sync-exchange", "sync-export", "sync-import",
      ])
    func sampled(scenario: String) async throws {
      var random = SplitMix64(seed: 7)
      for persists in [false, true] {
        let unit = FaultUnit(scenario: scenario, layer: .connections, failure: "inputOutput", persists: persists)
        let found = try await problems(unit) { count in (0..<3).map { _ in Int.random(in: 1...count, using: &random) } }
        #expect(found == [], "seed 7")
      }
    }

    @Test("whichever call of a backup fails, it throws a StoreError, and what is at its place is whole or not there")
    func backup() async throws {
      let unit = FaultUnit(scenario: "backup", layer: .connections, failure: "inputOutput", persists: false)
      #expect(try await problems(unit) { Array(stride(from: 1, through: $0, by: 2)) } == [])
    }

    @Test("a call that swallows its error, and one that does half of its work, are found")
    func finding() async throws {
      let folder = try TemporaryFolder()
      let liar = FaultScenario(
        name: "liar",
        steps: [
          FaultScenario.Step("claims to insert") { _, store in
            do { try await store.insert(FaultSample.books(100...100)) } catch is StoreError {
              // Said to be done.
            }
          }
        ])
      let half = FaultScenario(
        name: "half",
        steps: [
          FaultScenario.Step("inserts one by one") { _, store in
            for number in 100...103 { try await store.insert(FaultSample.books(number...number)[0]) }
          }
        ])
      for (scenario, problem) in [(liar, "neither what was acknowledged"), (half, "neither what was acknowledged")] {
        try FaultVFS.register()
        let template = try await FaultTemplate(scenario, in: folder.url.appending(component: scenario.name))
        let trial = FaultTrial(
          template: template,
          injector: ConnectionFaults(kind: .inputOutput, persists: true, includesTemporaryFiles: false))
        var isFound = false
        for number in 1...(try await trial.run(at: .max).calls) where !isFound {
          isFound = try await trial.run(at: number).problems.contains { $0.contains(problem) }
        }
        #expect(isFound, "\(scenario.name)")
      }
    }

    @Test(
      "a call of the system that fails while files are attached or copied is an error, and leaves nothing behind",
      arguments: ["attach", "backup", "sync-exchange", "sync-export", "sync-import"])
    func system(scenario: String) async throws {
      let folder = try TemporaryFolder()
      let part = FaultsPart(scenario: scenario, layer: .system)
      let run = ProofRun(
        seed: 5, cases: 6, time: .seconds(60), folder: folder.url, executable: try Self.executable(),
        stalled: { _, _ in })
      let result = try await part.run(run)
      #expect(result.findings == [])
      #if os(Linux)
      #expect(result.cases >= 6)
      #endif
    }

    /// `LarderProof`, which lies beside the tests.
    private static func executable() throws -> URL {
      let places =
        [Bundle.main.executableURL, Bundle.main.bundleURL] + Bundle.allBundles.map { Optional($0.bundleURL) }
      let folders = places.compactMap { $0 }.flatMap { [$0, $0.deletingLastPathComponent()] }
      return try #require(
        folders.map { $0.appending(component: "LarderProof") }.first {
          FileManager.default.isExecutableFile(atPath: $0.path(percentEncoded: false))
        })
    }

    @Test("every unit has a scenario, and every scenario a name of its own")
    func names() {
      let names = FaultScenario.all.map(\.name)
      #expect(Set(names).count == names.count)
      #expect(Set(FaultUnit.all.map(\.scenario)) == Set(names))
      #expect(SystemFaults.scenarios.isSubset(of: names))
    }
  }

  @Suite("Stores whose power is cut", .serialized)
  struct PowerTests {
    private func problems(_ scenario: PowerScenario, cases: Int) async throws -> [String] {
      let folder = try TemporaryFolder()
      let trial = try await PowerTrial(scenario, in: folder.url)
      var random = SplitMix64(seed: 11)
      let cuts = (0..<cases).map { number in
        PowerTrial.Cut(
          position: Int.random(in: 0..<trial.positions, using: &random),
          fate: PowerDisk.Fate.allCases[number % PowerDisk.Fate.allCases.count], seed: random.next())
      }
      var problems: [String] = []
      try await trial.run(cuts) { cut, found in
        problems += found.map { "\(cut): \($0)" }
        return true
      }
      return problems
    }

    @Test("a database that never syncs loses what it has acknowledged: the cuts find it")
    func unsafe() async throws {
      let problems = try await problems(.unsafe, cases: 60)
      #expect(problems.contains { $0.contains("was acknowledged") })
    }

    @Test(
      "with durability .full acknowledged changes are there after a cut, with .normal a prefix of them",
      arguments: ["full", "normal"])
    func safe(durability: String) async throws {
      let scenario = try #require(PowerScenario.safe.first { $0.name == "mixed-\(durability)" })
      #expect(try await problems(scenario, cases: 60) == [], "seed 11")
    }

    @Test("a cut while the file is created leaves one that can be opened")
    func creating() async throws {
      let scenario = try #require(PowerScenario.safe.first { $0.name == "creating-full" })
      #expect(try await problems(scenario, cases: 60) == [], "seed 11")
    }
  }
}
