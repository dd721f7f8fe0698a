import Foundation
import Larder
import Synchronization

@Model
struct LoggedRow: Hashable {
  var id: Int
  var text: String
}

/// Reads that always overlap while others write: how long the write-ahead log becomes, and what is left of it
/// afterwards.
public struct OverlappingReaders: ProofPart {
  public static let name = "log"

  /// The largest log that is allowed while readers overlap.
  private static let largest: Int64 = 64 << 20
  /// The largest log that is allowed soon after the readers have stopped.
  private static let kept: Int64 = 4 << 20

  private let time: Duration
  private let patience: Duration

  /// - Parameters:
  ///   - time: How long the readers overlap.
  ///   - patience: How long the log may take to shrink afterwards.
  public init(time: Duration = .seconds(60), patience: Duration = .seconds(1)) {
    self.time = time
    self.patience = patience
  }

  public func run(_ run: ProofRun) async throws -> PartResult {
    var result = PartResult(
      part: Self.name, title: "The write-ahead log",
      summary: """
        Two readers of which one always reads, and two tasks that write without pause. The log must not outgrow \(Self.largest >> 20) MiB, and must have \
        shrunk to \(Self.kept >> 20) MiB a second after all of them have stopped.
        """,
      seed: run.seed, unit: "reads")
    let file = run.folder.appending(component: "log.larder")
    let path = file.path(percentEncoded: false)
    let store = try Store(at: path, for: LoggedRow.self)
    let watchdog = Watchdog(limit: 60) {
      run.stalled("no read or write ended for a minute", "LarderProof \(Self.name) --seed \(run.seed)")
    }
    defer { watchdog.end() }
    let end = min(run.deadline, .now + time)
    async let readers = read(store, until: end, watchdog)
    async let writers = write(store, until: end, watchdog)
    var sizes: [(seconds: Double, bytes: Int64)] = []
    let start = ContinuousClock.now
    while ContinuousClock.now < end {
      sizes.append(((ContinuousClock.now - start) / .seconds(1), Self.size(ofLogOf: path)))
      try await Task.sleep(for: .milliseconds(20))
    }
    result.cases = try await readers
    let bytes = try await writers
    let last = ContinuousClock.now + patience
    while Self.size(ofLogOf: path) > Self.kept, ContinuousClock.now < last {
      try await Task.sleep(for: .milliseconds(20))
    }
    let left = Self.size(ofLogOf: path)
    judge(sizes, left, bytes, run, &result)
    if try await store.count(LoggedRow.all) != 2 * Self.rows {
      result.findings.append(Finding("rows are missing", reproduction: again(run)))
    }
    await store.close()
    return result
  }

  private func judge(
    _ sizes: [(seconds: Double, bytes: Int64)], _ left: Int64, _ bytes: Int, _ run: ProofRun, _ result: inout PartResult
  ) {
    let largest = sizes.map(\.bytes).max() ?? 0
    result.checks = sizes.count + 2
    if largest > Self.largest {
      result.findings.append(Finding("the log grew to \(largest >> 10) KiB", reproduction: again(run)))
    }
    if left > Self.kept {
      result.findings.append(
        Finding("the log has \(left >> 10) KiB a second after the readers stopped", reproduction: again(run)))
    }
    result.count("MiB written", by: bytes >> 20)
    result.count("KiB of the largest log", by: Int(largest >> 10))
    result.count("KiB of the log a second after the end", by: Int(left >> 10))
    result.series = [
      Series(
        "write-ahead log in MiB", xLabel: "seconds", yLabel: "MiB",
        points: sizes.enumerated().filter { $0.offset % max(1, sizes.count / 400) == 0 }.map {
          Series.Point($0.element.seconds, Double($0.element.bytes) / 1_048_576)
        })
    ]
  }

  private func again(_ run: ProofRun) -> String { "swift run LarderProof \(Self.name) --seed \(run.seed)" }

  // MARK: Work

  private static let rows = 400

  /// Each reader ends its read when the other one has begun the next. Returns how many reads there were.
  private func read(_ store: Store, until end: ContinuousClock.Instant, _ watchdog: Watchdog) async throws -> Int {
    let begun = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
    return try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<2 {
        group.addTask {
          // The other one may still wait for a read that will not come.
          defer { begun[number].signal() }
          var reads = 0
          while ContinuousClock.now < end {
            let isFirst = reads == 0
            try await store.read { db in
              _ = try db.count(LoggedRow.all)
              // The second one begins inside the first one's first read, and ends inside its second.
              if number == 1, isFirst { begun[0].wait() }
              begun[number].signal()
              begun[1 - number].wait()
            }
            reads += 1
            watchdog.step()
          }
          return reads
        }
      }
      return try await group.reduce(0, +)
    }
  }

  /// Writes without pause, and returns about how many bytes.
  private func write(_ store: Store, until end: ContinuousClock.Instant, _ watchdog: Watchdog) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for writer in 0..<2 {
        group.addTask {
          var bytes = 0
          var round = 0
          repeat {
            let rows = (0..<Self.rows).map {
              LoggedRow(id: writer * Self.rows + $0, text: "\(round) " + String(repeating: "x", count: 2000))
            }
            try await store.save(rows)
            bytes += Self.rows * 2000
            round += 1
            watchdog.step()
          } while ContinuousClock.now < end
          return bytes
        }
      }
      return try await group.reduce(0, +)
    }
  }

  private static func size(ofLogOf path: String) -> Int64 {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
    return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
  }
}
