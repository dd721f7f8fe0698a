import ArgumentParser
import Foundation

/// Measures how long a consumer waits for the result that follows a commit, and what observers of other tables cost a
/// write.
struct LiveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "live",
    abstract: "Time from a write to the refreshed result of 50 rows, and of writes that concern no observer.")

  @Option(help: "How many writes are measured in each round.")
  var writes = 2000

  @Option(help: "How many rounds there are; each measures both in turn.")
  var rounds = 5

  @Option(help: "The folder for the databases; it is made anew, and removed at the end.")
  var folder = ".build/bench-live"

  func run() async throws {
    let folder = URL(filePath: folder)
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let larder = try LiveLarder(path: folder.appending(path: "larder.db").path)
    let grdb = try LiveGRDB(path: folder.appending(path: "grdb.db").path)
    var refreshes: (larder: [Double], grdb: [Double]) = ([], [])
    var idle: (larder: [Double], grdb: [Double]) = ([], [])
    var watched: (larder: [Double], grdb: [Double]) = ([], [])
    for _ in 0..<rounds {
      refreshes.larder += try await larder.refreshes(writes)
      refreshes.grdb += try await grdb.refreshes(writes)
      idle.larder += try await larder.writes(writes, observers: 0)
      idle.grdb += try await grdb.writes(writes, observers: 0)
      watched.larder += try await larder.writes(writes, observers: 1000)
      watched.grdb += try await grdb.writes(writes, observers: 1000)
    }
    print("microseconds                                     Larder    GRDB   ratio")
    line("an update, and the 50 rows that follow it", refreshes) { $0.median }
    line("the same, 99th percentile", refreshes) { $0.percentile(99) }
    line("an update, nobody observes", idle) { $0.median }
    line("an update, 1,000 observers of another table", watched) { $0.median }
    print(
      "1,000 unconcerned observers: a write takes \(ratio(watched.larder.median, idle.larder.median)) of one with none")
  }

  private func line(_ title: String, _ times: (larder: [Double], grdb: [Double]), _ figure: ([Double]) -> Double) {
    let (larder, grdb) = (figure(times.larder), figure(times.grdb))
    let columns = [larder, grdb].map { String(format: "%.1f", $0 * 1e6).right(8) }.joined()
    print(title.left(46) + columns + ratio(larder, grdb).right(8))
  }

  private func ratio(_ time: Double, _ other: Double) -> String { String(format: "%.2f", time / other) }
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
