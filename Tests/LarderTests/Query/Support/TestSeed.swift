import Foundation

/// The seed of all random samples: the same in every run, or what `LARDER_TEST_SEED` says, to look further.
enum TestSeed {
  static let value = ProcessInfo.processInfo.environment["LARDER_TEST_SEED"].flatMap { UInt64($0) } ?? 9562

  private static let isCounting = ProcessInfo.processInfo.environment["LARDER_TEST_COUNTS"] != nil

  /// What a random test tries: changes of rows or files, questions about them, or looks whether somebody who follows
  /// rows was told of a change.
  enum Kind: String {
    case operations, queries
    case liveChecks = "live checks"
  }

  /// Says how much a random test has compared, to `make proof`, which asks for it by `LARDER_TEST_COUNTS`.
  ///
  /// - Parameter subject: What was tried, in a few words.
  static func tried(_ count: Int, _ kind: Kind, _ subject: String, file: String = #fileID) {
    guard isCounting else { return }
    let suite = file.split(separator: "/").last?.split(separator: ".").first ?? ""
    print("tried \(count) \(kind.rawValue) in \(suite): \(subject)")
  }
}
