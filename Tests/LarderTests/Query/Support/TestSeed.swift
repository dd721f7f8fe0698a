import Foundation

/// The seed of all random samples: the same in every run, or what `LARDER_TEST_SEED` says, to look further.
enum TestSeed {
  static let value = ProcessInfo.processInfo.environment["LARDER_TEST_SEED"].flatMap { UInt64($0) } ?? 9562

  private static let isCounting = ProcessInfo.processInfo.environment["LARDER_TEST_COUNTS"] != nil

  /// Says how much a random test has compared, to `make proof`, which asks for it by `LARDER_TEST_COUNTS`.
  static func tried(_ count: Int, _ unit: String) {
    if isCounting { print("tried \(count) \(unit)") }
  }
}
