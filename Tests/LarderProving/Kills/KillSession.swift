import Foundation
import Larder
import LarderTestSupport
import Synchronization

/// One file, the processes that write to it, and what they were told.
final class KillSession {
  private let run: ProofRun
  private let path: String
  private let acknowledged = Acknowledged()
  private let ticks: AsyncStream<Bool>
  private let tick: AsyncStream<Bool>.Continuation
  private var workers: [Worker] = []
  private var nextWriter = 1

  private struct Worker {
    let process: ProvingProcess
    /// Ends with the process's output.
    let reading: Task<Void, Never>
  }

  init(_ run: ProofRun, path: String) {
    self.run = run
    self.path = path
    (ticks, tick) = AsyncStream.makeStream()
  }

  func run(writers: Int, kills: Int, _ random: inout SplitMix64, _ result: inout PartResult) async throws {
    var store: Store? = try KillStore.open(path)
    for _ in 0..<writers { try start() }
    var waiting = ticks.makeAsyncIterator()
    var done = 0
    while done < kills, run.isTimeLeft, result.findings.isEmpty {
      // Any moment may follow the acknowledgement that is waited for: the others are at work meanwhile.
      let wanted = Int.random(in: 1...(1 << Int.random(in: 1...9, using: &random)), using: &random)
      guard await wait(for: wanted, &waiting) else {
        report("no process wrote anything for five minutes", &result)
        break
      }
      let kind = Int.random(in: 0..<4, using: &random)
      // Where all are killed and no other connection is open, the next to open the file recovers its log.
      if kind == 0 { store = nil }
      let victims = kind < 2 ? workers.indices.reversed().map { $0 } : [Int.random(in: workers.indices, using: &random)]
      for victim in victims { workers[victim].process.kill() }
      for victim in victims {
        let worker = workers.remove(at: victim)
        await worker.reading.value
        let end = await worker.process.end()
        if end != .signal(SIGKILL) { report("a process that writes ended by itself with \(end)", &result) }
      }
      done += victims.count
      result.cases += victims.count
      result.count(
        kind == 0
          ? "times that the log was recovered" : kind == 1 ? "times that all were killed" : "times that others wrote on"
      )
      try await check(try store ?? KillStore.open(path), isThorough: kind < 2, &result)
      if kind == 0 { store = try KillStore.open(path) }
      for _ in victims { try start() }
    }
    await end(&result)
  }

  private func end(_ result: inout PartResult) async {
    for worker in workers { worker.process.kill() }
    for worker in workers {
      await worker.reading.value
      _ = await worker.process.end()
    }
    workers = []
    do {
      try await check(try KillStore.open(path), isThorough: true, &result)
    } catch {
      report("the file cannot be opened: \(error)", &result)
    }
  }

  private func start() throws {
    let process = try ProvingProcess(run.executable, ["kill-worker", path, "\(nextWriter)", "\(run.seed)"])
    nextWriter += 1
    let reading = Task { [acknowledged, tick] in
      for await line in process.lines where acknowledged.note(line) { tick.yield(true) }
    }
    workers.append(Worker(process: process, reading: reading))
  }

  /// Waits for acknowledgements; false where none comes for five minutes.
  private func wait(for count: Int, _ ticks: inout AsyncStream<Bool>.Iterator) async -> Bool {
    let tick = tick
    let received = Mutex(0)
    let watchdog = Task {
      var before = -1
      while true {
        let now = received.withLock { $0 }
        if now == before { break }
        before = now
        guard (try? await Task.sleep(for: .seconds(300))) != nil else { return }
      }
      tick.yield(false)
    }
    defer { watchdog.cancel() }
    for _ in 0..<count {
      if await ticks.next() != true { return false }
      received.withLock { $0 += 1 }
    }
    return true
  }

  private func check(_ store: Store, isThorough: Bool, _ result: inout PartResult) async throws {
    let facts = acknowledged.current
    var check = KillCheck(store)
    do {
      try await check.run(facts, isThorough: isThorough)
    } catch {
      report("what was written cannot be read: \(error)", &result)
    }
    result.checks += check.checks
    result.count("acknowledged writes", by: facts.present.values.reduce(facts.deleted.count) { $0 + $1.count })
    for failure in check.failures { report(failure, &result) }
    for error in facts.errors { report("a process that writes had an " + error, &result) }
    acknowledged.forget(facts)
  }

  private func report(_ description: String, _ result: inout PartResult) {
    guard result.findings.count < 10 else { return }
    let kills = max(60, result.cases)
    result.findings.append(
      Finding(
        description,
        reproduction:
          "swift run LarderProof kills --seed \(run.seed) --cases \(kills)  # the moments differ from run to run"))
  }
}
