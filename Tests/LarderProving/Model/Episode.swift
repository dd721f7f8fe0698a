import Foundation
import Larder
import LarderTestSupport
import Synchronization

/// What an episode did, and where it differed from the world.
struct EpisodeOutcome: Sendable {
  var failure: String?
  /// What was done, one line each.
  var log: [String] = []
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

    func leap(by duration: Double) { seconds.withLock { $0 += duration } }
  }

  let seed: UInt64
  let folder: URL
  let isInMemory: Bool
  let time = Time()
  var world = World()
  var version = GadgetVersion.first
  private(set) var outcome = EpisodeOutcome()
  /// Two stores on one file; in memory there is one.
  private(set) var stores: [Store] = []
  private var watches: LiveWatches?

  /// How many milliseconds live results are given.
  private let patience: Int

  init(seed: UInt64, folder: URL, patience: Int = 10_000) {
    self.patience = patience
    self.seed = seed
    self.folder = folder
    isInMemory = seed % 4 == 3
  }

  private var path: String { folder.appending(component: "model.larder").path(percentEncoded: false) }

  /// - Parameter skipped: The operations that are left out.
  func run(operations: Int, skipping skipped: Set<Int> = []) async -> EpisodeOutcome {
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      try open()
      for number in 0..<operations where !skipped.contains(number) {
        var random = SplitMix64(seed: seed &* 0x9E37_79B9 &+ UInt64(number))
        world.expire(at: time.now)
        outcome.log.append("[\(number)] ")
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
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<38: try await change(&random)
    case 38..<52: try await transaction(&random)
    case 52..<76: try await read(&random)
    case 76..<81: try session(&random)
    case 81..<84: try conflict(&random)
    case 84..<86: leap(&random)
    case 86..<88: try await once(&random)
    case 88..<90: try gadget(&random)
    case 90..<91: try await reopen(&random)
    case 91..<92: try await backUp()
    case 92..<94:
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

  func expect(_ condition: Bool, _ failure: @autoclosure () -> String) throws {
    outcome.checks += 1
    if !condition { throw Difference(description: failure()) }
  }

  // MARK: Stores

  func open() throws {
    let time = time
    let configuration = Store.Configuration(readers: 2, now: { Date(timeIntervalSinceReferenceDate: time.now) })
    let models = Library.models + [version.model]
    stores =
      isInMemory
      ? [try Self.memory(version, configuration)]
      : [
        try Store(at: path, for: models, configuration: configuration),
        try Store(at: path, for: models, configuration: configuration),
      ]
    watches = LiveWatches(stores[0])
  }

  private func close() async {
    await watches?.end()
    watches = nil
    for store in stores { await store.close() }
    stores = []
  }

  private func reopen(_ random: inout SplitMix64) async throws {
    guard !isInMemory else { return }
    let isNewer = Int.random(in: 0..<3, using: &random) == 0
    if isNewer { version = version.next }
    note("reopen", "reopen with version \(version)")
    await close()
    try open()
    try await verify()
  }

  func store(_ random: inout SplitMix64) -> Store {
    stores[Int.random(in: stores.indices, using: &random)]
  }

  // MARK: Verifying

  private func verify() async throws {
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
    try await watches?.check(world, patience: patience)
  }

  private func checkFile() throws {
    guard let store = stores.first else { return }
    let integrity = try store.blocking.sql("pragma integrity_check", as: (String).self)
    try expect(integrity == ["ok"], "integrity_check says \(integrity.prefix(3))")
    try expect(try store.blocking.sql("pragma foreign_key_check").isEmpty, "rows refer to nothing")
    try expect(try store.blocking.verifyDerived().isEmpty, "derived values are wrong")
  }

  private func leap(_ random: inout SplitMix64) {
    let duration = Double(Int.random(in: 0...15, using: &random))
    note("time", "the time leaps by \(duration) s")
    time.leap(by: duration)
    world.expire(at: time.now)
  }

  private func backUp() async throws {
    note("backup", "backup")
    let copy = folder.appending(component: "copy-\(outcome.operations).larder")
    try await stores[0].backup(to: copy)
    let time = time
    let configuration = Store.Configuration(now: { Date(timeIntervalSinceReferenceDate: time.now) })
    let backup = try Store(at: copy, for: Library.models + [version.model], configuration: configuration)
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
