import Foundation
import Larder
import LarderTestSupport
import Synchronization

@Model
struct ForeignRow: Hashable {
  var id: Int
}

/// Commits of another process, watched by live results of a store whose writer is never idle.
public struct ForeignCommits: ProofPart {
  public static let name = "foreign"
  public static let needsDisk = true

  /// How late a commit may be seen; nil where it counts only that it is.
  private let limit: Duration?

  /// - Parameter limit: How late a commit may be seen; nil where it counts only that it is.
  public init(limit: Duration? = .milliseconds(200)) {
    self.limit = limit
  }

  public func run(_ run: ProofRun) async throws -> PartResult {
    var result = PartResult(
      part: Self.name, title: "Commits of other processes",
      summary: """
        Another process commits rows while three tasks of this one write without pause. Live results must show each of them, and 99 of 100 within \
        200 ms: a machine that does other things at the same time may be later once.
        """,
      seed: run.seed, unit: "commits")
    let path = run.folder.appending(component: "foreign.larder").path(percentEncoded: false)
    let store = try Store(at: path, for: ForeignRow.self, LoggedRow.self)
    let watchdog = Watchdog(limit: 60) {
      run.stalled("a commit of another process was never seen", "LarderProof \(Self.name) --seed \(run.seed)")
    }
    defer { watchdog.end() }
    let writing = Writing()
    let worker = try ProvingProcess(run.executable, ["foreign-worker", path])
    let delays = try await withThrowingTaskGroup(of: [Duration].self) { group in
      for writer in 0..<3 {
        group.addTask {
          var round = 0
          while writing.goesOn {
            try await store.save(LoggedRow(id: writer, text: "\(round)"))
            round += 1
          }
          return []
        }
      }
      group.addTask {
        // The writers end whatever becomes of the watching.
        defer { writing.end() }
        return try await watch(store, worker, run, watchdog)
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    worker.send("end")
    _ = await worker.end()
    judge(delays, run, &result)
    await store.close()
    return result
  }

  /// Whether the writers go on.
  private final class Writing: Sendable {
    private let isOver = Mutex(false)
    var goesOn: Bool { isOver.withLock { !$0 } }
    func end() { isOver.withLock { $0 = true } }
  }

  /// Asks for commits one after another, and returns how long after each had returned it was seen.
  private func watch(
    _ store: Store, _ worker: ProvingProcess, _ run: ProofRun, _ watchdog: Watchdog
  ) async throws -> [Duration] {
    var lines = worker.lines.makeAsyncIterator()
    var results = store.live(ForeignRow.all).makeAsyncIterator()
    var random = SplitMix64(seed: run.seed)
    var delays: [Duration] = []
    var seen = try await results.next()?.count ?? 0
    while delays.count < min(run.cases, 1000), run.isTimeLeft {
      try await Task.sleep(for: .milliseconds(Int.random(in: 0...30, using: &random)))
      worker.send("\(delays.count + 1)")
      while seen <= delays.count, let rows = try await results.next() { seen = rows.count }
      let now = MonotonicTime.now
      guard let line = await lines.next(), let committed = Int64(line) else { break }
      // What was seen before the call had returned was seen at once.
      delays.append(.nanoseconds(max(0, now - committed)))
      watchdog.step()
    }
    return delays
  }

  private func judge(_ delays: [Duration], _ run: ProofRun, _ result: inout PartResult) {
    let sorted = delays.sorted()
    result.cases = delays.count
    result.checks = delays.count
    let again = "swift run LarderProof \(Self.name) --seed \(run.seed)"
    let late = sorted.count { delay in limit.map { delay > $0 } ?? false }
    if late * 100 > sorted.count {
      result.findings.append(Finding("\(late) of \(sorted.count) commits were seen late", reproduction: again))
    }
    if sorted.isEmpty {
      result.findings.append(Finding("no commit of the other process was seen", reproduction: again))
    }
    guard let last = sorted.last else { return }
    result.count(
      "microseconds until half of the commits were seen", by: Int(sorted[sorted.count / 2] / .microseconds(1)))
    result.count("microseconds until 99 of 100 were seen", by: Int(sorted[sorted.count * 99 / 100] / .microseconds(1)))
    result.count("microseconds until the last was seen", by: Int(last / .microseconds(1)))
    result.count("commits that were seen too late", by: late)
    result.series = [
      Series(
        "how late commits of another process are seen", xLabel: "commits", yLabel: "ms",
        points: delays.enumerated().map { Series.Point(Double($0.offset), $0.element / .milliseconds(1)) })
    ]
  }
}

/// The other process: commits a row for each line that it is given, and says when.
public struct ForeignWorker: Sendable {
  private let path: String

  public init(path: String) {
    self.path = path
  }

  public func run() async throws {
    let store = try Store(at: path, for: ForeignRow.self, LoggedRow.self)
    while let line = readLine(), let number = Int(line) {
      try store.blocking.insert(ForeignRow(id: number))
      ProvingProcess.say("\(MonotonicTime.now)")
    }
    await store.close()
  }
}

/// A clock that all processes of the machine share.
enum MonotonicTime {
  /// In nanoseconds.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
