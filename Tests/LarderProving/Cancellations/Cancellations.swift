import Foundation
import GRDBSQLite
import Larder
import LarderTestSupport
import Synchronization

/// Cancels tasks at any moment in every verb, and checks that the store says what it was told and nothing else.
public struct Cancellations: ProofPart {
  public static let name = "cancellations"

  /// How many stores are used side by side.
  private static let stores = 2
  /// How many tasks use a store side by side.
  private static let lanes = 6
  /// After so many operations of each lane a new store is begun.
  private static let operations = 1500

  private enum Kind: String, CaseIterable {
    case file = "a file"
    case durable = "a file with full durability"
    case memory = "memory"
  }

  /// What all stores of a run have come to.
  private final class Progress: Sendable {
    let rounds = Atomic<Int>(0)
    let landed = Mutex<[Series.Point]>([])
  }

  public init() {}

  public func run(_ run: ProofRun) async throws -> PartResult {
    var result = PartResult(
      part: Self.name, title: "Cancellations",
      summary: """
        Two or \(Self.lanes) tasks use one store at once, each with rows of its own; each call is a task that is cancelled before it begins, while \
        it stands in line, in a statement, between the statements of a transaction, in its commit or rollback, or after it. What succeeded must be \
        there, what did not must have left nothing, and every answer must be the right one. In files and in memory.
        """,
      seed: run.seed, unit: "cancellations")
    let tally = CancellationTally(limit: run.cases) { run.isTimeLeft }
    let watchdog = Watchdog(limit: 60) {
      run.stalled(
        "calls never returned: no task of any lane moved for a minute", "LarderProof \(Self.name) --seed \(run.seed)")
    }
    defer { watchdog.end() }
    let progress = Progress()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<Self.stores {
        group.addTask {
          let marksman = Marksman()
          defer { marksman.end() }
          while tally.goesOn {
            let round = progress.rounds.add(1, ordering: .relaxed).oldValue
            let kind = Kind.allCases[round / 2 % 4 == 3 ? 0 : round / 2 % 4]
            try await self.round(round, kind, run, tally, marksman) { watchdog.step() }
            let figures = tally.current
            progress.landed.withLock { $0.append(Series.Point(Double(figures.cancelled), Double(figures.landed))) }
            if round % 10 == 9 {
              run.progress("\(figures.cancelled) cancellations, \(figures.findings.count) findings")
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let figures = tally.current
    result.cases = figures.cancelled
    result.checks = figures.checks
    result.count("operations", by: figures.operations)
    result.count("cancellations that ended the call", by: figures.landed)
    result.count("cancellations that came too late", by: figures.cancelled - figures.landed)
    result.count("stores", by: progress.rounds.load(ordering: .relaxed))
    result.findings = figures.findings.map {
      Finding(
        $0, reproduction: "swift run LarderProof cancellations --seed \(run.seed)  # the moments differ from run to run"
      )
    }
    let verbs = figures.verbs.sorted { $0.key < $1.key }
    result.series = [
      Series(
        "cancellations by call", style: .bars, xLabel: "call", yLabel: "cancellations",
        points: verbs.enumerated().map { Series.Point(Double($0), Double($1.value.cancelled)) },
        labels: verbs.map(\.key)),
      Series(
        "cancellations that ended the call", xLabel: "cancellations", yLabel: "ended the call",
        points: progress.landed.withLock { $0 }),
    ]
    return result
  }

  private func round(
    _ round: Int, _ kind: Kind, _ run: ProofRun, _ tally: CancellationTally, _ marksman: Marksman,
    step: @escaping @Sendable () -> Void
  ) async throws {
    let folder = run.folder.appending(component: "cancellations-\(round)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(component: "store.larder").path(percentEncoded: false)
    let store =
      switch kind {
      case .file:
        try Store(
          at: path, for: CancelItem.self, CancelTicket.self, CancelFile.self,
          configuration: Store.Configuration(readers: 2))
      case .durable:
        try Store(
          at: path, for: CancelItem.self, CancelTicket.self, CancelFile.self,
          configuration: Store.Configuration(durability: .full, readers: 2))
      case .memory: try Store(inMemoryFor: CancelItem.self, CancelTicket.self, CancelFile.self)
      }
    try await store.insert((0..<6).map { CancelTag(id: $0) })
    await withTaskGroup(of: Void.self) { group in
      // With few tasks a call's moments are met more exactly, with many they stand in line.
      for number in 0..<(round % 2 == 0 ? Self.lanes : 2) {
        group.addTask {
          var lane = Lane(
            number, store: store, kind: kind.rawValue, folder: folder, seed: run.seed &+ UInt64(round) &* 1_000_003,
            tally: tally,
            marksman: marksman, step: step)
          await lane.run(operations: Self.operations)
        }
      }
    }
    await check(store, kind.rawValue, tally)
    if kind != .memory { checkFile(path, kind.rawValue, tally) }
  }

  private func check(_ store: Store, _ kind: String, _ tally: CancellationTally) async {
    do {
      let integrity = try await store.sql("pragma integrity_check", as: (String).self)
      tally.check(integrity == ["ok"], "integrity_check in \(kind) says \(integrity.prefix(3).joined(separator: "; "))")
      tally.check(try await store.sql("pragma foreign_key_check").isEmpty, "rows in \(kind) refer to nothing")
      let report = try await store.verifyAttachments()
      tally.check(report.isWhole, "attachments in \(kind) are missing: \(report)")
      let mismatches = try await store.verifyDerived()
      tally.check(mismatches.isEmpty, "derived values in \(kind) are wrong: \(mismatches)")
    } catch {
      tally.check(false, "at the end in \(kind): \(error)")
    }
  }

  /// Asks SQLite itself, beside the store that is still open, whether a connection of it holds a snapshot or a lock.
  private func checkFile(_ path: String, _ kind: String, _ tally: CancellationTally) {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    guard sqlite3_open(path, &handle) == SQLITE_OK else {
      return tally.check(false, "\(kind) cannot be opened beside the store")
    }
    sqlite3_busy_timeout(handle, 5000)
    let locked = sqlite3_exec(handle, "BEGIN IMMEDIATE; COMMIT", nil, nil, nil)
    tally.check(locked == SQLITE_OK, "a connection of \(kind) keeps the file locked after all calls have ended")
    var frames: Int32 = -1
    var moved: Int32 = -1
    let emptied = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, &frames, &moved)
    tally.check(emptied == SQLITE_OK, "a connection of \(kind) keeps an old snapshot after all calls have ended")
  }
}
