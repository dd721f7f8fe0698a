public import Foundation
import Larder
import LarderTestSupport

/// Cuts the power at every point of recorded work.
public struct PowerPart: ProofPart {
  public static let name = "power"

  private let only: String?
  private let position: Int?
  private let kept: URL?

  /// - Parameters:
  ///   - scenario: The only scenario to run; nil for all.
  ///   - position: The only point to cut at; nil for all.
  ///   - kept: A folder for copies of what the cuts leave.
  public init(scenario: String? = nil, position: Int? = nil, keeping kept: URL? = nil) {
    only = scenario
    self.position = position
    self.kept = kept
  }

  public func run(_ run: ProofRun) async throws -> PartResult {
    var result = PartResult(
      part: Self.name, title: "Power cuts",
      summary: """
        What a store writes is recorded, and the power is cut at every point of the record: what was not synced is lost, kept, torn by the sector, or \
        damaged. With durability .full each acknowledged change must be there, with .normal a prefix of them, and the file must be whole.
        """,
      seed: run.seed, unit: "power cuts")
    var random = SplitMix64(seed: run.seed)
    let scenarios = (PowerScenario.safe + [.unsafe]).filter {
      only == nil ? $0.name != PowerScenario.unsafe.name : $0.name == only
    }
    guard !scenarios.isEmpty else { throw UnknownFault(name: only ?? "") }
    var trials: [(trial: PowerTrial, cuts: [PowerTrial.Cut])] = []
    for scenario in scenarios {
      var trial = try await PowerTrial(
        scenario, in: run.folder.appending(component: scenario.name, directoryHint: .isDirectory))
      trial.kept = kept
      var cuts: [PowerTrial.Cut] = []
      for position in 0..<trial.positions {
        // Each point has numbers of its own, so that it can be cut again alone.
        var numbers = SplitMix64(seed: run.seed &+ UInt64(position) &* 0x9E37_79B9)
        for fate in PowerDisk.Fate.allCases {
          cuts.append(PowerTrial.Cut(position: position, fate: fate, seed: numbers.next()))
        }
      }
      result.count("points to cut at", by: trial.positions)
      if let position { cuts.removeAll { $0.position != position } }
      trials.append((trial, cuts.shuffled(using: &random)))
    }
    while run.isTimeLeft, result.cases < run.cases, trials.contains(where: { !$0.cuts.isEmpty }) {
      for index in trials.indices where run.isTimeLeft && result.cases < run.cases {
        let (trial, cuts) = trials[index]
        let chunk = Array(cuts.prefix(min(200, run.cases - result.cases)))
        trials[index].cuts.removeFirst(chunk.count)
        try await trial.run(chunk) { cut, problems in
          note(cut, problems, trial.scenario, &result, run)
          return run.isTimeLeft
        }
      }
      run.progress("\(result.cases) cuts, \(result.findings.count) findings")
    }
    return result
  }

  private func note(
    _ cut: PowerTrial.Cut, _ problems: [String], _ scenario: PowerScenario, _ result: inout PartResult, _ run: ProofRun
  ) {
    result.cases += 1
    result.checks += 4
    result.count("cuts of \(scenario.name)")
    guard !problems.isEmpty else { return }
    let description = "\(scenario.name), cut at \(cut.position) (\(cut.fate)): \(problems.joined(separator: "; "))"
    run.progress(description)
    result.findings.append(
      Finding(
        description,
        reproduction: "LarderProof power --seed \(run.seed) --scenario \(scenario.name) --at \(cut.position)"))
  }
}
