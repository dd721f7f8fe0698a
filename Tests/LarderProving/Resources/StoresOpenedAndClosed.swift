import Foundation
import Larder
import LarderTestSupport

@Model
private struct ResourceRow: Hashable {
  var id: Int
  @Attribute(.indexed, .searchable) var text: String
  var content: Attachment?
}

@Model(expires: true)
private struct ResourceToken: Hashable {
  var id: Int
}

/// Opens, uses and closes thousands of stores, and looks at what the process holds.
public struct StoresOpenedAndClosed: ProofPart {
  public static let name = "resources"

  public init() {}

  public func run(_ run: ProofRun) async throws -> PartResult {
    var result = PartResult(
      part: Self.name, title: "Files, threads and memory",
      summary: """
        Stores are opened, used in every way (readers side by side, transactions, streams, live results, contexts, documents, attachments, backups) \
        and let go of. The process must hold no more open files, threads and memory than after the first of them.
        """,
      seed: run.seed, unit: "stores")
    guard ResourceUse.current() != nil else {
      result.summary += " This system does not say what a process holds: nothing was tried."
      return result
    }
    let watchdog = Watchdog(limit: 120) {
      run.stalled("a store could not be used", "LarderProof \(Self.name) --seed \(run.seed)")
    }
    defer { watchdog.end() }
    let total = min(run.cases, 10_000)
    // What the runtime and the system keep for themselves is there after a while.
    let warmUp = min(200, max(10, total / 10))
    var random = SplitMix64(seed: run.seed)
    var base: ResourceUse?
    var samples: [(Int, ResourceUse)] = []
    while result.cases < total, run.isTimeLeft {
      try await use(result.cases, run, &random, &result)
      watchdog.step()
      result.cases += 1
      if result.cases == warmUp { base = try await ResourceUse.settled(files: 0) }
      if result.cases % max(1, total / 50) == 0, let use = try await ResourceUse.settled(files: base?.files ?? 0) {
        samples.append((result.cases, use))
        if samples.count % 10 == 0 {
          run.progress("\(result.cases) stores: \(use.files) files, \(use.threads) threads, \(use.memory >> 20) MiB")
        }
      }
    }
    if let base, let end = try await ResourceUse.settled(files: base.files) { judge(base, end, run, &result) }
    result.series = [
      series("open files", samples) { Double($0.files) }, series("threads", samples) { Double($0.threads) },
      series("resident memory in MiB", samples) { Double($0.memory) / 1_048_576 },
    ]
    return result
  }

  private func series(_ name: String, _ samples: [(Int, ResourceUse)], _ value: (ResourceUse) -> Double) -> Series {
    Series(name, xLabel: "stores", yLabel: name, points: samples.map { Series.Point(Double($0.0), value($0.1)) })
  }

  private func judge(_ base: ResourceUse, _ end: ResourceUse, _ run: ProofRun, _ result: inout PartResult) {
    result.checks += 3
    let stores = max(1, result.cases)
    func report(_ text: String) {
      result.findings.append(
        Finding(text, reproduction: "swift run LarderProof \(Self.name) --seed \(run.seed) --cases \(result.cases)"))
    }
    if end.files > base.files { report("\(end.files - base.files) more open files after \(stores) stores") }
    // The pools of the system grow and shrink by a few threads.
    if end.threads > base.threads + 16 { report("\(end.threads - base.threads) more threads after \(stores) stores") }
    // Allocators keep a little; a store that leaked as much as one connection's memory would show.
    let limit = 16 << 20
    if end.memory > base.memory + limit {
      report("\((end.memory - base.memory) >> 20) MiB more memory after \(stores) stores")
    }
    result.count("open files at the end", by: end.files)
    result.count("threads at the end", by: end.threads)
    result.count("MiB of memory after the first stores", by: base.memory >> 20)
    result.count("MiB of memory at the end", by: end.memory >> 20)
  }

  // MARK: One store

  private func use(_ number: Int, _ run: ProofRun, _ random: inout SplitMix64, _ result: inout PartResult) async throws
  {
    let folder = run.folder.appending(component: "store-\(number)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let isInMemory = Int.random(in: 0..<4, using: &random) == 0
    let path = folder.appending(component: "resources.larder").path(percentEncoded: false)
    let store =
      isInMemory
      ? try Store(inMemoryFor: ResourceRow.self, ResourceToken.self)
      : try Store(at: path, for: ResourceRow.self, ResourceToken.self)
    try await store.insert((0..<20).map { ResourceRow(id: $0, text: "row \($0)") })
    switch Int.random(in: 0..<9, using: &random) {
    case 0:
      // More reads at a time than there are connections.
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<8 { group.addTask { try await store.read { try $0.count(ResourceRow.all) } } }
        for try await count in group where count != 20 { throw CocoaError(.fileReadUnknown) }
      }
    case 1:
      // A stream that is let go of in the middle.
      for try await row in store.stream(ResourceRow.all) where row.id >= 0 { break }
    case 2:
      for try await rows in store.live(ResourceRow.all) where rows.count == 20 { break }
      let task = Task { for try await _ in store.changes(ResourceRow.all) {} }
      task.cancel()
      _ = await task.result
    case 3:
      let context = Context(store)
      context.insert(ResourceRow(id: 100, text: "pending"))
      let child = context.child()
      child.delete(ResourceRow.self, 1)
      try child.save()
      if Bool.random(using: &random) { try context.save() }
    case 4:
      try await store.documents("papers").save("a", ["number": 1])
      try await store.documents("papers").index(on: "number")
      _ = try await store.documents("papers").fetch(sort: "number")
    case 5:
      let content = try await store.attach(Data("content \(number % 10)".utf8))
      try await store.save(ResourceRow(id: 200, text: "with content", content: content))
      _ = try await store.data(of: content)
    case 6: try await store.backup(to: folder.appending(component: "copy.larder"))
    case 7: try await store.save(ResourceToken(id: 1), expires: Date(timeIntervalSinceNow: 0.001))
    default:
      let task = Task { try await store.write { db in try db.deleteAll(ResourceRow.all) } }
      task.cancel()
      _ = await task.result
      _ = try? Store(at: folder.path(percentEncoded: false), for: ResourceRow.self)
    }
    // A store that is not closed closes its file when it is released.
    if Bool.random(using: &random) { await store.close() }
    result.checks += 1
  }
}
