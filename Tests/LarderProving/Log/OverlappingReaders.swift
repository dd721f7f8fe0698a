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
  public static let needsDisk = true

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
        Two readers, of which one always reads, for \(time.components.seconds) s, and two tasks that write without pause. The log must not outgrow \(Self.largest >> 20) MiB, and must have \
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
    let overlap = Overlap(time)
    async let readers = read(store, overlap, watchdog)
    async let writers = write(store, overlap, watchdog)
    var sizes: [(seconds: Double, bytes: Int64)] = []
    let start = ContinuousClock.now
    while overlap.goesOn {
      sizes.append(((ContinuousClock.now - start) / .seconds(1), Self.size(ofLogOf: path)))
      try await Task.sleep(for: .milliseconds(20))
    }
    result.cases = try await readers
    judge(overlap, run, &result)
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
    result.checks += sizes.count + 2
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

  private func judge(_ overlap: Overlap, _ run: ProofRun, _ result: inout PartResult) {
    let (covered, gaps) = overlap.measured
    result.checks += 1
    result.count("seconds in which a reader read", by: Int(covered / .seconds(1)))
    result.count("moments without a reader", by: gaps)
    if gaps > 0 || covered < time {
      result.findings.append(
        Finding("the readers did not always overlap: \(covered) of \(time), \(gaps) gaps", reproduction: again(run)))
    }
  }

  /// How long at least one reader holds a snapshot.
  private final class Overlap: Sendable {
    private struct State {
      var readers = 0
      /// When the first reader had its snapshot.
      var first: ContinuousClock.Instant?
      /// When there was a reader again.
      var begun = ContinuousClock.now
      var covered = Duration.zero
      var gaps = 0
    }

    private let time: Duration
    private let state = Mutex(State())

    /// - Parameter time: How long the readers are to overlap.
    init(_ time: Duration) {
      self.time = time
    }

    /// Whether the time is not over, which begins with the first reader.
    var goesOn: Bool {
      state.withLock { state in state.first.map { ContinuousClock.now - $0 < time } ?? true }
    }

    /// Said by a reader that holds a snapshot from now on.
    func enter() {
      state.withLock { state in
        if state.readers == 0 {
          state.begun = .now
          if state.first != nil { state.gaps += 1 }
          state.first = state.first ?? state.begun
        }
        state.readers += 1
      }
    }

    /// Said by a reader that is about to let go of its snapshot.
    func leave() {
      state.withLock { state in
        state.readers -= 1
        guard state.readers == 0 else { return }
        state.covered += ContinuousClock.now - state.begun
      }
    }

    /// How long there was a reader in all, and how often there was none in between.
    var measured: (covered: Duration, gaps: Int) { state.withLock { ($0.covered, $0.gaps) } }
  }

  private func again(_ run: ProofRun) -> String { "swift run LarderProof \(Self.name) --seed \(run.seed)" }

  // MARK: Work

  private static let rows = 400

  /// Each reader ends its read when the other one has begun the next. Returns how many reads there were.
  private func read(_ store: Store, _ overlap: Overlap, _ watchdog: Watchdog) async throws -> Int {
    let begun = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
    return try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<2 {
        group.addTask {
          // The other one may still wait for a read that will not come.
          defer { begun[number].signal() }
          var reads = 0
          while overlap.goesOn {
            let isFirst = reads == 0
            try await store.read { db in
              _ = try db.count(LoggedRow.all)
              overlap.enter()
              defer { overlap.leave() }
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
  private func write(_ store: Store, _ overlap: Overlap, _ watchdog: Watchdog) async throws -> Int {
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
          } while overlap.goesOn
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
