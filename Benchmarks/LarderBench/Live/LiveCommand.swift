import ArgumentParser
import Foundation

/// Measures how long a consumer waits for the result that follows a commit, and what observers of other tables cost a write.
struct LiveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "live", abstract: "Time from a write to the refreshed result of 50 rows, and of writes that concern no observer.")

  @Option(help: "How many writes are measured in each round.")
  var writes = 2000

  @Option(help: "How many rounds are measured; the median of their medians counts.")
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
      refreshes.larder.append(try await larder.refreshes(writes).median)
      refreshes.grdb.append(try await grdb.refreshes(writes).median)
      idle.larder.append(try await larder.writes(writes, observers: 0).median)
      idle.grdb.append(try await grdb.writes(writes, observers: 0).median)
      watched.larder.append(try await larder.writes(writes, observers: 1000).median)
      watched.grdb.append(try await grdb.writes(writes, observers: 1000).median)
    }
    print("microseconds                                     Larder    GRDB   ratio")
    line("an update, and the 50 rows that follow it", refreshes)
    line("an update, nobody observes", idle)
    line("an update, 1,000 observers of another table", watched)
    print("1,000 unconcerned observers: a write takes \(ratio(watched.larder.median, idle.larder.median)) of one with none")
  }

  private func line(_ title: String, _ times: (larder: [Double], grdb: [Double])) {
    let (larder, grdb) = (times.larder.median, times.grdb.median)
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
