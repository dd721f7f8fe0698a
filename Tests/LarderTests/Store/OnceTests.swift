import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite(.timeLimit(.minutes(20))) struct OnceTests {
  private struct Failure: Error {}

  private func withStores(_ body: (Store) async throws -> Void) async throws {
    try await body(try Store(inMemoryFor: Parcel.self))
    try await withTemporaryStore(for: Parcel.self) { try await body($0) }
  }

  @Test("C5: what is to happen once happens once, of many tasks") func manyTasks() async throws {
    try await withStores { store in
      let answers = try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<50 {
          group.addTask {
            number % 2 == 0
              ? try await store.once("default parcels") { try $0.insert([Parcel(id: 1), Parcel(id: 2)]) }
              : try store.blocking.once("default parcels") { try $0.insert([Parcel(id: 1), Parcel(id: 2)]) }
          }
        }
        return try await group.reduce(into: [Bool]()) { $0.append($1) }
      }
      #expect(answers.count { $0 } == 1)
      #expect(try await store.count(Parcel.all) == 2)
    }
  }

  @Test("C5: of two stores on one file, each with many tasks, one does it") func twoStores() async throws {
    let folder = try TemporaryFolder()
    let stores = try (0..<2).map { _ in try Store(at: folder.file("a.larder"), for: Parcel.self) }
    let answers = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<20 {
        group.addTask { try await stores[number % 2].once("seed") { try $0.insert(Parcel(id: 1)) } }
      }
      return try await group.reduce(into: [Bool]()) { $0.append($1) }
    }
    #expect(answers.count { $0 } == 1)
    #expect(try await stores[0].count(Parcel.all) == 1)
  }

  @Test("C5: a closure that throws leaves it undone") func failing() async throws {
    try await withStores { store in
      await #expect(throws: Failure.self) {
        try await store.once("seed") { db in
          try db.insert(Parcel(id: 1))
          throw Failure()
        }
      }
      #expect(throws: Failure.self) { try store.blocking.once("seed") { _ in throw Failure() } }
      let rows = try await store.fetch(Parcel.all)
      #expect(rows.isEmpty)
      #expect(try await store.once("seed") { try $0.insert(Parcel(id: 1)) })
      #expect(try await store.once("seed") { try $0.insert(Parcel(id: 2)) } == false)
      #expect(try await store.once("Seed") { try $0.insert(Parcel(id: 3)) }, "names are told apart by every letter")
      #expect(try await store.fetch(Parcel.all.sorted(by: \.id)).map(\.id) == [1, 3])
    }
  }

  @Test("C5: it stays done when the store is opened again") func reopened() async throws {
    let folder = try TemporaryFolder()
    let name = "a 'name' with \"quotes\" 🥛"
    #expect(try await Store(at: folder.file("a.larder"), for: Parcel.self).once(name) { _ in })
    #expect(try await Store(at: folder.file("a.larder"), for: Parcel.self).once(name) { _ in } == false)
  }
}
