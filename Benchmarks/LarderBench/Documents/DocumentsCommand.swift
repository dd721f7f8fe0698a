import ArgumentParser
import Foundation

/// Measures documents beside a table with a column of JSON that is used by hand.
struct DocumentsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "documents",
    abstract: "Documents beside raw C with a column of JSON: inserts, reads, keys by conditions.")

  @Option(help: "How many documents there are.")
  var documents = 20_000

  @Option(help: "How many rounds are measured after the warm-up; the median counts.")
  var rounds = 7

  @Option(help: "The folder for the databases; it is made anew, and removed at the end.")
  var folder = ".build/bench-documents"

  func run() throws {
    let folder = URL(filePath: folder)
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let larder = try DocumentsLarder(path: folder.appending(path: "larder.db").path)
    let rawC = try DocumentsRawC(path: folder.appending(path: "raw.db").path)

    let people = DocumentPerson.people(documents)
    let encoder = JSONEncoder()
    let texts = try people.map { (key: $0.key, value: String(decoding: try encoder.encode($0.value), as: UTF8.self)) }
    let keys = people.map(\.key).shuffled()
    let questions = (0..<100).map { (age: $0 % 99 + 1, isMember: $0.isMultiple(of: 3)) }

    print("milliseconds                                    Larder   raw C   ratio    goal")
    try compare(
      "insert \(documents) values", goal: 1.5,
      before: {
        try larder.clear(); try rawC.clear()
      }
    ) {
      try larder.insert(people)
    } with: {
      try rawC.insert(people)
    }
    try compare("read \(documents) values", goal: 1.3) {
      try larder.fetchAll()
    } with: {
      try rawC.fetchAll()
    }
    try compare(
      "insert \(documents) texts of JSON", goal: 1.5,
      before: {
        try larder.clear(); try rawC.clear()
      }
    ) {
      try larder.insert(texts: texts)
    } with: {
      try rawC.insert(texts: texts)
    }
    try compare("read \(documents) texts of JSON by key", goal: 1.3) {
      try larder.texts(keys)
    } with: {
      try rawC.texts(keys)
    }
    let few = questions.prefix(10)
    try compare("keys by \(few.count) conditions without an index", goal: nil) {
      try few.map { try larder.keys(age: $0.age, isMember: $0.isMember).sorted() }
    } with: {
      try few.map { try rawC.keys(age: $0.age, isMember: $0.isMember).sorted() }
    }
    try larder.index()
    try rawC.index()
    try compare("keys by \(questions.count) conditions with an index", goal: nil) {
      try questions.map { try larder.keys(age: $0.age, isMember: $0.isMember).sorted() }
    } with: {
      try questions.map { try rawC.keys(age: $0.age, isMember: $0.isMember).sorted() }
    }
  }

  /// Measures both in turn and prints the medians. What they read must be the same.
  private func compare<Result: Equatable>(
    _ title: String, goal: Double?, before: () throws -> Void = {}, _ larder: () throws -> Result,
    with rawC: () throws -> Result
  ) throws {
    try before()
    guard try larder() == rawC() else { throw ValidationError("\(title): Larder disagrees with raw C.") }
    try measure(title, goal, before, larder, rawC)
  }

  private func compare(
    _ title: String, goal: Double?, before: () throws -> Void, _ larder: () throws -> Void, with rawC: () throws -> Void
  ) throws {
    try measure(title, goal, before, larder, rawC)
  }

  private func measure<Result>(
    _ title: String, _ goal: Double?, _ before: () throws -> Void, _ larder: () throws -> Result,
    _ rawC: () throws -> Result
  ) throws {
    var times: (larder: [Double], rawC: [Double]) = ([], [])
    for round in 0...rounds {
      try before()
      let isFirst = round.isMultiple(of: 2)
      let one = try seconds(isFirst ? larder : rawC)
      let other = try seconds(isFirst ? rawC : larder)
      // The first round warms up.
      guard round > 0 else { continue }
      times.larder.append(isFirst ? one : other)
      times.rawC.append(isFirst ? other : one)
    }
    let (own, reference) = (times.larder.median, times.rawC.median)
    let figures = [own * 1e3, reference * 1e3].map { String(format: "%.1f", $0).right(8) }.joined()
    print(
      title.left(46) + figures + String(format: "%.2f", own / reference).right(8)
        + (goal.map { String(format: "%.2f", $0) } ?? "–").right(8))
  }

  private func seconds<Result>(_ body: () throws -> Result) rethrows -> Double {
    let start = ContinuousClock.now
    blackHole(try body())
    return start.duration(to: .now) / .seconds(1)
  }
}
