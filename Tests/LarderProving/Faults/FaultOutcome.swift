/// What came of one trial.
struct FaultOutcome: Codable, Sendable {
  /// The number of the call that failed first.
  var number: Int
  /// How many calls were made that could have failed.
  var calls = 0
  /// How many calls failed.
  var failures = 0
  /// What the first call that failed was, say `write -wal`.
  var call = ""
  /// How each step ended: `ok`, or the code of its error.
  var ends: [String] = []
  /// How many comparisons were made.
  var checks = 0
  /// How many steps were kept although they threw: a commit that failed late.
  var kept = 0
  var problems: [String] = []

  mutating func expect(_ condition: Bool, _ problem: @autoclosure () -> String) {
    checks += 1
    if !condition { problems.append(problem()) }
  }
}
