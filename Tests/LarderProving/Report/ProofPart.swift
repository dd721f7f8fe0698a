public import Foundation

/// One part of the proof: tries cases until a number is reached or the time is up, and says what it found.
public protocol ProofPart: Sendable {
  /// The name of the subcommand.
  static var name: String { get }
  /// Whether the time that the disk takes is a part of what is tried.
  static var needsDisk: Bool { get }

  func run(_ run: ProofRun) async throws -> PartResult
}

extension ProofPart {
  public static var needsDisk: Bool { false }
}

/// What every part is given: the seed, the limits, and where it may write.
public struct ProofRun: Sendable {
  public var seed: UInt64
  /// How many cases at most.
  public var cases: Int
  /// The moment after which no new case begins.
  public var deadline: ContinuousClock.Instant
  /// A folder that only this run writes to.
  public var folder: URL
  /// The `LarderProof` executable, for parts that start processes.
  public var executable: URL
  /// Called now and then with a line about what is happening.
  public var progress: @Sendable (String) -> Void
  /// Called with what is stuck, and the command that shows it again, where a part cannot end by itself any more.
  public var stalled: @Sendable (_ description: String, _ reproduction: String) -> Void

  public init(
    seed: UInt64, cases: Int = .max, time: Duration, folder: URL, executable: URL,
    progress: @escaping @Sendable (String) -> Void = { _ in },
    stalled: @escaping @Sendable (String, String) -> Void
  ) {
    self.seed = seed
    self.cases = cases
    deadline = ContinuousClock.now + time
    self.folder = folder
    self.executable = executable
    self.progress = progress
    self.stalled = stalled
  }

  public var isTimeLeft: Bool { ContinuousClock.now < deadline }
}
