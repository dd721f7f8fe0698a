/// A small generator of random numbers that gives the same numbers for the same seed: a test that prints its seed can be run again.
///
/// ```swift
/// var random = SplitMix64(seed: 1)
/// let number = Int.random(in: 0..<10, using: &random)
/// ```
///
/// Source: Sebastiano Vigna, <https://prng.di.unimi.it/splitmix64.c>. Not for secrets.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// A generator whose numbers follow from the seed alone.
  public init(seed: UInt64) {
    state = seed
  }

  /// The next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
