import Dispatch
import Foundation
import LarderTestSupport
import Synchronization
import Testing

@testable import Larder

/// On which thread a write of an asynchronous call runs: what waits for the disk must not hold one of Swift's pool.
@Suite struct WritingThreadTests {
  enum Kind: CaseIterable {
    case log
    case logWithFullDurability
    case rollbackJournal
    case memory

    /// Whether a commit waits for the disk.
    var waits: Bool { self == .logWithFullDurability || self == .rollbackJournal }
  }

  /// Where statements that write ran: on the writer's queue, or elsewhere.
  private final class Places: Sendable {
    private static let key = DispatchSpecificKey<Bool>()
    private let areOnQueue = Mutex<Set<Bool>>([])
    var value: Set<Bool> { areOnQueue.withLock { $0 } }

    func mark(_ queue: DispatchQueue) {
      queue.setSpecific(key: Self.key, value: true)
      areOnQueue.withLock { $0 = [] }
    }

    func note() {
      let isOnQueue = DispatchQueue.getSpecific(key: Self.key) ?? false
      areOnQueue.withLock { _ = $0.insert(isOnQueue) }
    }
  }

  private func open(_ kind: Kind, _ file: URL, _ places: Places) throws -> Store {
    var configuration = Store.Configuration(trace: { if $0.isWrite { places.note() } })
    switch kind {
    case .log: break
    case .logWithFullDurability: configuration.durability = .full
    case .rollbackJournal:
      _ = FileManager.default.createFile(atPath: file.path, contents: nil)
      configuration.schema = .existing
      let maker = try Store(at: file, for: [], configuration: Store.Configuration(schema: .existing))
      try maker.blocking.sql(
        "CREATE TABLE parcels (id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, weight REAL NOT NULL)")
    case .memory: return try Store(inMemoryFor: Parcel.self, configuration: configuration)
    }
    return try Store(at: file, for: Parcel.self, configuration: configuration)
  }

  @Test(
    "a commit that waits for the disk runs on the writer's queue; any other one may run where it was called",
    arguments: Kind.allCases)
  func threads(_ kind: Kind) async throws {
    let folder = try TemporaryFolder()
    let places = Places()
    let store = try open(kind, folder.file("a.larder"), places)
    places.mark(store.writer.queue)
    for id in 0..<20 { try await store.insert(Parcel(id: id)) }
    #expect(try await store.count(Parcel.all) == 20)
    #expect(places.value.contains(false) == !kind.waits)
    #expect(!places.value.isEmpty)
  }
}
