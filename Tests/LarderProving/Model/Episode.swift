import Foundation
import Larder
import LarderTestSupport
import Synchronization

/// What an episode did, and where it differed from the world.
struct EpisodeOutcome: Sendable {
  var failure: String?
  /// What was done, one line each.
  var log: [String] = []
  /// How many numbers of operations were drawn: what a finding names and leaves out.
  var numbers = 0
  /// How many operations were done, with each change of a transaction and each step of a context.
  var operations = 0
  var checks = 0
  var kinds: [String: Int] = [:]
}

/// A run of random operations on one file, and the same operations on plain Swift values.
///
/// Each operation draws from a generator of its own, so that any of them can be left out and the others stay what they
/// are.
final class Episode {
  /// A difference between the store and the world.
  struct Difference: Error {
    let description: String
  }

  /// The time of the stores, which leaps.
  final class Time: Sendable {
    private let seconds = Mutex(700_000_000.0)

    var now: Double { seconds.withLock { $0 } }

    func set(to time: Double) { seconds.withLock { $0 = time } }
  }

  let seed: UInt64
  let folder: URL
  let isInMemory: Bool
  let time = Time()
  var world = World()
  var version = GadgetVersion.first
  var outcome = EpisodeOutcome()
  /// Two stores on one file; in memory there is one.
  private(set) var stores: [Store] = []
  /// The other process that has the file open; none in memory.
  let process: ModelProcess?
  private var watches: LiveWatches?
  /// When the stores were opened first.
  let beginning = ContinuousClock.now

  /// How many milliseconds live results are given.
  private let patience: Int
  /// Of a thousand operations, so many set the clock.
  private let leaps: Int

  /// - Parameter process: The process that does some of the operations, if the file is not in memory.
  init(seed: UInt64, folder: URL, process: ModelProcess?, leaps: Int, patience: Int = 10_000) {
    self.patience = patience
    self.leaps = leaps
    self.seed = seed
    self.folder = folder
    isInMemory = seed % 4 == 3
    self.process = isInMemory ? nil : process
  }

  /// An episode in the other process, which does one operation after another to a store of its own.
  init(for request: ModelRequest) throws {
    patience = 0
    leaps = 0
    seed = 0
    folder = URL(filePath: request.folder)
    isInMemory = false
    process = nil
    version = request.version
    time.set(to: request.now)
    stores = [try Store(at: path, for: version.models, configuration: configuration)]
  }

  var path: String { folder.appending(component: "model.larder").path(percentEncoded: false) }

  /// - Parameter skipped: The operations that are left out.
  func run(operations: Int, skipping skipped: Set<Int> = []) async -> EpisodeOutcome {
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      try open()
      for number in 0..<operations where !skipped.contains(number) {
        var random = SplitMix64(seed: seed &* 0x9E37_79B9 &+ UInt64(number))
        outcome.log.append("[\(number)] ")
        outcome.numbers += 1
        outcome.operations += 1
        try await operate(&random)
      }
      outcome.log.append("[end] ")
      try await verify()
      try await checkLive()
      try checkFile()
    } catch let difference as Difference {
      outcome.failure = difference.description
    } catch {
      outcome.failure = "an error that nothing asked for: \(error)"
    }
    await close()
    return outcome
  }

  private func operate(_ random: inout SplitMix64) async throws {
    if Int.random(in: 0..<1000, using: &random) < leaps { return try await leap(&random) }
    switch Int.random(in: 0..<1000, using: &random) {
    case 0..<380: try await share(.change, &random)
    case 380..<520: try await share(.transaction, &random)
    case 520..<760: try await share(.read, &random)
    case 760..<810: try await share(.session, &random)
    case 810..<840: try await share(.conflict, &random)
    case 840..<860: step(&random)
    case 860..<880: try await share(.once, &random)
    case 880..<900: try await share(.gadget, &random)
    case 900..<910: try await reopen(&random)
    case 910..<920: try await backUp()
    case 920..<940:
      note("live", "live results")
      try await checkLive()
    default: try await verify()
    }
  }

  /// Takes back what was noted since.
  func restore(_ log: [String]) { outcome.log = log }

  func note(_ kind: String, _ text: String) {
    outcome.kinds[kind, default: 0] += 1
    if let last = outcome.log.indices.last { outcome.log[last] += text }
  }

  /// Notes a part of an operation that is an operation of its own.
  func noteStep(_ text: String) {
    note("", text)
    outcome.operations += 1
  }

  func expect(_ condition: Bool, _ failure: @autoclosure () -> String) throws {
    outcome.checks += 1
    if !condition { throw Difference(description: failure()) }
  }

  // MARK: Stores

  var configuration: Store.Configuration {
    let time = time
    return Store.Configuration(readers: 2, now: { Date(timeIntervalSinceReferenceDate: time.now) })
  }

  func open() throws {
    stores =
      isInMemory
      ? [try Self.memory(version, configuration)]
      : [
        try Store(at: path, for: version.models, configuration: configuration),
        try Store(at: path, for: version.models, configuration: configuration),
      ]
    watches = LiveWatches(stores[0])
  }

  private func close() async {
    await watches?.end()
    watches = nil
    if let process {
      do {
        try await process.close()
      } catch {
        outcome.failure = outcome.failure ?? "the other process did not close its store: \(error)"
      }
    }
    for store in stores { await store.close() }
    stores = []
  }

  private func reopen(_ random: inout SplitMix64) async throws {
    guard !isInMemory else { return }
    let isNewer = Int.random(in: 0..<3, using: &random) == 0
    if isNewer { version = version.next }
    // Nothing is lost with a process that was told how its last operation ended.
    let isKilled = Bool.random(using: &random)
    note("reopen", "\(isKilled ? "kill the other process and " : "")reopen with version \(version)")
    if isKilled { await process?.kill() }
    await close()
    try open()
    try await verify()
  }

  func store(_ random: inout SplitMix64) -> Store {
    stores[Int.random(in: stores.indices, using: &random)]
  }

  // MARK: Verifying

  /// Compares all that every store and the other process say.
  func verify() async throws {
    try await verifyStores()
    if let process { try await perform(.verify, in: process, seed: 0) }
  }

  func verifyStores() async throws {
    let version = version
    let expected = world.readable(version)
    for (number, store) in stores.enumerated() {
      let seen = try await store.read { try World(reading: $0, version) }
      try expect(seen == expected, "store \(number): \(expected.difference(to: seen))")
    }
  }

  private func checkLive() async throws {
    // A clock of the machine's does not leap: the store looks at it when the next row is to expire.
    try await stores[0].removeExpired()
    world.forgetHidden()
    try await watches?.check(world, patience: patience)
  }

  private func checkFile() throws {
    guard let store = stores.first else { return }
    let integrity = try store.blocking.sql("pragma integrity_check", as: (String).self)
    try expect(integrity == ["ok"], "integrity_check says \(integrity.prefix(3))")
    try expect(try store.blocking.sql("pragma foreign_key_check").isEmpty, "rows refer to nothing")
    try expect(try store.blocking.verifyDerived().isEmpty, "derived values are wrong")
  }

  private func backUp() async throws {
    note("backup", "backup")
    let copy = folder.appending(component: "copy-\(outcome.numbers).larder")
    try await stores[0].backup(to: copy)
    let backup = try Store(at: copy, for: version.models, configuration: configuration)
    let seen = try backup.blocking.read { try World(reading: $0, version) }
    let expected = world.readable(version)
    try expect(seen == expected, "the backup: \(expected.difference(to: seen))")
  }
}

extension Episode {
  /// In memory the models are named one by one.
  fileprivate static func memory(_ version: GadgetVersion, _ configuration: Store.Configuration) throws -> Store {
    switch version {
    case .first:
      try Store(
        inMemoryFor: LibraryShelf.self, LibraryAgency.self, LibraryPass.self, FirstGadget.self,
        configuration: configuration)
    case .second:
      try Store(
        inMemoryFor: LibraryShelf.self, LibraryAgency.self, LibraryPass.self, SecondGadget.self,
        configuration: configuration)
    case .third:
      try Store(
        inMemoryFor: LibraryShelf.self, LibraryAgency.self, LibraryPass.self, ThirdGadget.self,
        configuration: configuration)
    }
  }
}
