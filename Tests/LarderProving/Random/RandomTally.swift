/// What the random tests have tried, by kind and by subject.
struct RandomTally: CustomStringConvertible {
  /// Each kind, as the tests name it.
  static let kinds = ["operations", "queries", "live checks"]

  /// How often each kind is to be tried; nil for no such number.
  let each: Int?
  private var counts: [String: Int] = [:]
  private var subjects: [String: Int] = [:]
  /// The suites that try a kind.
  private var suites: [String: Set<String>] = [:]

  init(each: Int?) { self.each = each }

  mutating func add(_ tried: TriedCount) {
    counts[tried.kind, default: 0] += tried.count
    subjects["\(tried.kind): \(tried.subject)", default: 0] += tried.count
    suites[tried.kind, default: []].insert(tried.suite)
  }

  func count(of kind: String) -> Int { counts[kind] ?? 0 }

  private var missing: [String] { Self.kinds.filter { count(of: $0) < each ?? 0 } }

  /// Whether each kind was tried often enough.
  var isEnough: Bool { missing.isEmpty }

  /// Returns the suites that try a kind which wasn't tried often enough; all of them before anything is known.
  func suitesInDemand(_ all: [String]) -> [String] {
    guard each != nil, !suites.isEmpty else { return all }
    let known = all.filter { suite in missing.contains { suites[$0]?.contains(suite) == true } }
    return known.isEmpty ? all : known
  }

  /// The sums of the kinds, and then what they consist of.
  var counters: [Counter] {
    Self.kinds.map { Counter(name: $0, value: count(of: $0)) }
      + subjects.sorted { $0.key < $1.key }.map { Counter(name: $0.key, value: $0.value) }
  }

  var description: String { Self.kinds.map { "\(count(of: $0)) \($0)" }.joined(separator: ", ") }
}

/// What a random test prints of what it tried: `tried 2000 live checks in RandomLiveTests: of rows`.
struct TriedCount: Equatable {
  let count: Int
  let kind: String
  let suite: String
  let subject: String

  /// Returns nil for every other line.
  init?(_ line: String) {
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count == 3, words[0] == "tried", let count = Int(words[1]) else { return nil }
    let place = words[2].split(separator: " in ", maxSplits: 1)
    guard place.count == 2, RandomTally.kinds.contains(String(place[0])) else { return nil }
    let parts = place[1].split(separator: ": ", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    (self.count, kind, suite, subject) = (count, String(place[0]), String(parts[0]), String(parts[1]))
  }
}
