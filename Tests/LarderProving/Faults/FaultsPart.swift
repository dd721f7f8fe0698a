public import Foundation
import Larder
import LarderTestSupport
import Synchronization

/// Fails each call that a store makes, one after another.
public struct FaultsPart: ProofPart {
  public static let name = "faults"

  private let units: [FaultUnit]
  private let progress: URL?
  /// How many cases a worker runs before another unit has its turn.
  private static let chunk = 40
  /// How many workers run side by side.
  private static let lanes = 2

  /// - Parameters:
  ///   - scenario: The only scenario to run; nil for all.
  ///   - progress: The file that says which calls earlier runs have failed, and is told of those of this one.
  public init(scenario: String? = nil, layer: FaultUnit.Layer? = nil, progress: URL? = nil) {
    units = FaultUnit.all.filter { (scenario ?? $0.scenario) == $0.scenario && (layer ?? $0.layer) == $0.layer }
    self.progress = progress
  }

  public func run(_ run: ProofRun) async throws -> PartResult {
    var units = units
    var interposer: FaultInterposer?
    var missing: String?
    do {
      interposer = try FaultInterposer(in: run.folder)
    } catch let error as FaultInterposer.Unavailable {
      run.progress("calls of the system are not failed: \(error)")
      missing = "scenarios skipped: \(error)"
      units.removeAll { $0.layer == .system }
    }
    let session = FaultSession(run, interposer?.library, try FaultProgress(progress, of: run.executable))
    if let missing { session.count(missing) }
    var random = SplitMix64(seed: run.seed)
    session.add(units.shuffled(using: &random))
    // The work is in other processes; each of these threads waits for one after the other.
    await withTaskGroup(of: Void.self) { group in
      for lane in 0..<Self.lanes {
        group.addTask {
          await withCheckedContinuation { continuation in
            Thread.detachNewThread {
              session.work(lane, Self.chunk)
              continuation.resume()
            }
          }
        }
      }
    }
    if let progress { try session.progress.write(to: progress) }
    return session.finish()
  }
}
