import Foundation

/// The seed of all random samples: the same in every run, or what `LARDER_TEST_SEED` says, to look further.
enum TestSeed {
  static let value = ProcessInfo.processInfo.environment["LARDER_TEST_SEED"].flatMap { UInt64($0) } ?? 9562
}
