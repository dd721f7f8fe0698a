import LarderSync

/// What goes wrong in a run besides the transport. The seed chooses.
struct Hazards: CustomStringConvertible {
  enum Hazard: CaseIterable {
    /// A process is killed in an exchange, or its task is cancelled.
    case kills
    /// Clocks are far ahead, and back again.
    case clocks
    /// Deletions are forgotten before everybody has them.
    case retention
    /// Files are copied, and put back from copies.
    case copies
    /// Sync is switched off and on.
    case switching
    /// A collection of documents stays on its device for a while.
    case collections
    /// A replica has an earlier version of the app, which is updated.
    case earlierApp
  }

  private let active: [Hazard]
  var random: SplitMix64
  /// Whether a replica has forgotten deletions.
  var hasForgotten = false
  /// Whether a file has become another replica.
  var hasRenamed = false

  init(seed: UInt64) {
    // Independent of the choices of a run without hazards.
    var random = SplitMix64(seed: seed ^ 0x5DEE_CE66_D1CE_4E5B)
    active = Hazard.allCases.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
    self.random = random
  }

  var description: String { active.isEmpty ? "" : " (with \(active.map { "\($0)" }.joined(separator: ", ")))" }

  func has(_ hazard: Hazard) -> Bool { active.contains(hazard) }

  /// Returns what happens before the next step, if anything does.
  mutating func next() -> Hazard? {
    guard !active.isEmpty, Int.random(in: 0..<8, using: &random) == 0 else { return nil }
    return active.randomElement(using: &random)
  }
}
