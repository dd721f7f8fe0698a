import ArgumentParser
import Foundation

/// Measures how long a consumer waits for the result that follows a commit, and what observers of other tables cost a
/// write.
struct LiveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "live",
    abstract: "Time from a write to the refreshed result of 50 rows, and of writes that concern no observer.")

  @Option(help: "How many writes are measured in each round.")
  var writes = 1000

  @Option(help: "How many rounds there are; each measures both in turn.")
  var rounds = 10

  @Option(help: "The folder for the databases; it is made anew, and removed at the end.")
  var folder = ".build/bench-live"

  @OptionGroup var ratios: RatioOptions

  func run() async throws {
    let folder = URL(filePath: folder)
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let larder = try LiveLarder(path: folder.appending(path: "larder.db").path)
    let grdb = try LiveGRDB(path: folder.appending(path: "grdb.db").path)
    var (refreshes, idle, watched) = (Pair(), Pair(), Pair())
    for _ in 0..<rounds {
      try await refreshes.larder.add { try await larder.refreshes(writes) }
      try await refreshes.grdb.add { try await grdb.refreshes(writes) }
      try await idle.larder.add { try await larder.writes(writes, observers: 0) }
      try await idle.grdb.add { try await grdb.writes(writes, observers: 0) }
      try await watched.larder.add { try await larder.writes(writes, observers: 1000) }
      try await watched.grdb.add { try await grdb.writes(writes, observers: 1000) }
    }
    print("microseconds                                     Larder    GRDB            ratio")
    line("an update, and the 50 rows that follow it", refreshes) { $0.median }
    line("the same, 99th percentile", refreshes, \.late) { $0.percentile(99) }
    line("an update, nobody observes", idle) { $0.median }
    line("an update, 1,000 observers of another table", watched) { $0.median }
    let unconcerned = watched.larder.rounds.ratios(to: idle.larder.rounds)
    print("1,000 unconcerned observers: a write takes \(unconcerned.time?.text ?? "–") of one with none")
    try ratios.compare([
      "live-refresh": refreshes.ratios, "live-refresh-99": Ratios(elapsed: refreshes.late), "live-update": idle.ratios,
      "live-update-observed": watched.ratios, "live-unconcerned": unconcerned,
    ])
  }

  private func line(
    _ title: String, _ pair: Pair, _ ratio: KeyPath<Pair, Ratio?> = \.ratios.time, _ figure: ([Double]) -> Double
  ) {
    let figures = [pair.larder, pair.grdb].map { String(format: "%.1f", figure($0.times) * 1e6).right(8) }
    print(title.left(46) + figures.joined() + (pair[keyPath: ratio]?.text ?? "–").right(17))
  }

  /// What both took for the same work, in rounds that follow each other.
  private struct Pair {
    var larder = Times()
    var grdb = Times()

    var ratios: Ratios { larder.rounds.ratios(to: grdb.rounds) }
    var late: Ratio? { Ratio(of: zip(larder.latest, grdb.latest).map { $0 / $1 }) }
  }

  /// The seconds of all calls, and the median call of each round.
  private struct Times {
    private(set) var times: [Double] = []
    private(set) var rounds = Sample()
    /// The 99th percentile of each round.
    private(set) var latest: [Double] = []

    mutating func add(_ round: () async throws -> [Double]) async throws {
      let start = Measurement.sinceSomeStart()
      let seconds = try await round()
      var measurement = Measurement.sinceSomeStart() - start
      // A median isn't moved by the few calls in which the system gave the processor to another program.
      measurement.preemptions = 0
      measurement.elapsed = seconds.median * 1e3
      rounds.append(measurement)
      latest.append(seconds.percentile(99))
      times += seconds
    }
  }
}

/// The seconds that each call of the closure takes.
func liveTimes(_ count: Int, _ body: (Int) async throws -> Void) async rethrows -> [Double] {
  var times: [Double] = []
  for number in 0..<count {
    let start = ContinuousClock.now
    try await body(number)
    times.append(start.duration(to: .now) / .seconds(1))
  }
  return times
}
