/// A random number generator that returns the same numbers for the same seed, so that a test that prints its seed can
/// be repeated.
///
/// ```swift
/// var random = SplitMix64(seed: 1)
/// let number = Int.random(in: 0..<10, using: &random)
/// ```
///
/// Source: Sebastiano Vigna, <https://prng.di.unimi.it/splitmix64.c>. It isn't cryptographically secure.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator.
  ///
  /// - Parameter seed: The seed, which determines all numbers.
  public init(seed: UInt64) {
    state = seed
  }

  /// Returns the next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
