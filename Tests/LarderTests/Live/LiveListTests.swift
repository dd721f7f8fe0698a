import Foundation
import Larder
import LarderTestSupport
import Observation
import Testing

@Suite("Observable lists and values", .timeLimit(.minutes(20)))
struct LiveListTests {
  private let store: Store

  init() throws {
    store = try Store(inMemoryFor: Excursion.self, Stopover.self)
    try store.blocking.insert([Stopover(id: 2, city: "Oslo", days: 2), Stopover(id: 1, city: "Bern", days: 1)])
  }

  @MainActor
  private func waitUntil<M>(_ list: LiveList<M>, _ condition: (LiveList<M>) -> Bool) async {
    while !condition(list) {
      await withCheckedContinuation { continuation in
        withObservationTracking {
          _ = (list.rows, list.isLoaded, list.error, list.query)
        } onChange: {
          continuation.resume()
        }
      }
      await Task.yield()
    }
  }

  @MainActor
  @Test("a list loads, follows the store, and writes to it")
  func list() async throws {
    let list = LiveList(Stopover.all.sorted(by: \.city), in: store)
    #expect(!list.isLoaded && list.isEmpty)
    try await list.load()
    #expect(list.isLoaded && list.map(\.city) == ["Bern", "Oslo"])
    try await list.insert(Stopover(id: 3, city: "Chur", days: 1))
    await waitUntil(list) { $0.count == 3 }
    #expect(list[1].city == "Chur")
    try await list.save(Stopover(id: 3, city: "Zug", days: 1))
    await waitUntil(list) { $0.last?.city == "Zug" }
    try await list.remove(at: IndexSet([0, 2]))
    await waitUntil(list) { $0.map(\.city) == ["Oslo"] }
    await #expect(throws: StoreError.self) { try await list.insert(Stopover(id: 2, city: "again", days: 1)) }
    #expect(list.error == nil)
  }

  @MainActor
  @Test("another query takes the place of the first, and an error ends the list until then")
  func queries() async throws {
    let list = LiveList(Stopover.all.sorted(by: \.city), in: store)
    try await list.load()
    list.show(Stopover.where { $0.days > 1 })
    #expect(list.count == 2 && !list.isLoaded)
    await waitUntil(list) { $0.isLoaded }
    #expect(list.map(\.id) == [2])
    list.show(Stopover.search("x"))
    await #expect(throws: StoreError.self) { try await list.load() }
    #expect(list.error != nil && list.map(\.id) == [2])
    list.show(Stopover.all.sorted(by: \.id, order: .reverse))
    try await list.load()
    #expect(list.error == nil && list.map(\.id) == [2, 1])
    await store.close()
    await waitUntil(list) { ($0.error as? StoreError)?.code == .closed }
  }

  @MainActor
  @Test("waiting for the rows ends when the task is cancelled")
  func cancelled() async throws {
    let list = LiveList(Stopover.all, in: store)
    // The rows are read by a task that can't run before this one waits.
    let waiting = Task { try await list.load() }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    try await list.load()
    #expect(list.count == 2)
  }

  @MainActor
  @Test("a value follows a closure's reads")
  func value() async throws {
    let count = LiveValue(store.live { db in try db.count(Stopover.where { $0.days < 2 }) })
    #expect(count.value == nil)
    func wait(for expected: Int) async {
      while count.value != expected {
        await withCheckedContinuation { continuation in
          withObservationTracking {
            _ = count.value
          } onChange: {
            continuation.resume()
          }
        }
        await Task.yield()
      }
    }
    await wait(for: 1)
    try await store.insert(Stopover(id: 9, city: "Rome", days: 0))
    await wait(for: 2)
  }

  @Test("a list belongs to the actor that makes it, and ends with its last reference")
  func actors() async throws {
    let owner = await ListOwner(store)
    #expect(try await owner.cities() == ["Oslo", "Bern"])
    try await store.insert(Stopover(id: 0, city: "Ulm", days: 1))
    #expect(try await owner.cities(until: 3).sorted() == ["Bern", "Oslo", "Ulm"])
    #expect(await owner.release())
    await store.close()
  }
}

private actor ListOwner {
  private var list: LiveList<Stopover>?

  init(_ store: Store) async {
    list = LiveList(Stopover.all.sorted(by: \.id, order: .reverse), in: store)
  }

  func cities(until count: Int = 0) async throws -> [String] {
    guard let list else { return [] }
    try await list.load()
    while list.count < count { await Task.yield() }
    return list.map(\.city)
  }

  func release() -> Bool {
    weak let former = list
    list = nil
    return former == nil
  }
}
