import Foundation
import Larder
import LarderTestSupport
import Testing

/// Asynchronous reads that begin on their task's thread, and what happens to those that take long.
@Suite(.timeLimit(.minutes(20))) struct ShortReadTests {
  private static let count = 20_000

  private func withStore(_ body: (Store) async throws -> Void) async throws {
    try await withTemporaryStore(for: Footprint.self, configuration: Store.Configuration(readers: 1)) { store in
      try await store.insert((1...Self.count).map { Footprint(id: $0, name: "step \($0)", place: ReadingPlace()) })
      _ = try store.blocking.count(Footprint.all)
      try await body(store)
    }
  }

  /// Whether the code runs within the task of a test, and not on a queue of the store.
  @TaskLocal fileprivate static var isInTask = false

  @Test("a query with few rows is read on the task's thread, one without a limit on a queue of the store")
  func threads() async throws {
    try await withStore { store in
      try await Self.$isInTask.withValue(true) {
        let few = try await store.fetch(Footprint.where { $0.id > 5 }.limit(3))
        #expect(few.map(\.place.isInTask) == [true, true, true])
        let first = try await store.first(Footprint.all.sorted(by: \.id))
        #expect(first?.place.isInTask == true)
        let exists = try await store.exists(Footprint.where { $0.id == 1 })
        #expect(exists)
        let many = try await store.fetch(Footprint.where { $0.id < 5 })
        #expect(many.map(\.place.isInTask) == [false, false, false, false])
      }
    }
  }

  @Test("a read that takes long begins anew on a queue of the store, with the same rows") func long() async throws {
    try await withStore { store in
      try await Self.$isInTask.withValue(true) {
        let last = Footprint.where { $0.name.matches(/p 20000$/) }
        // Not in the order of an index, so that all rows are looked at before the first one is found.
        let query = last.sorted(by: \.name).limit(3)
        for _ in 0..<3 {
          let found = try await store.fetch(query)
          #expect(found.map(\.id) == [20_000])
          #expect(found.map(\.place.isInTask) == [false])
          let first = try await store.first(last)
          #expect(first?.place.isInTask == false)
          let exists = try await store.exists(last)
          #expect(exists)
        }
        // The connection is as it was: short reads are short, and nothing is interrupted.
        let found = try store.blocking.fetch(query)
        #expect(found.map(\.id) == [20_000])
        let first = try await store.first(Footprint.all.sorted(by: \.id))
        #expect(first?.place.isInTask == true)
        let count = try await store.count(Footprint.all)
        #expect(count == Self.count)
      }
    }
  }

  @Test("many tasks that read little and much at once all get their rows") func tasks() async throws {
    try await withStore { store in
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 1...60 {
          group.addTask {
            if number.isMultiple(of: 10) {
              return try await store.first(Footprint.where { $0.name.matches(/p 20000$/) })?.id == 20_000
            }
            return try await store.fetch(Footprint.where { $0.id >= number }.sorted(by: \.id).limit(2)).map(\.id)
              == [number, number + 1]
          }
        }
        for try await isRight in group { #expect(isRight) }
      }
    }
  }
}

@Model("footprints")
struct Footprint: Hashable {
  var id: Int
  var name: String
  var place: ReadingPlace
}

/// Says where it was read.
struct ReadingPlace: StoredValue, Hashable {
  static var storageClass: StorageClass { .integer }

  let isInTask: Bool

  init() {
    isInTask = false
  }

  init(storedValue: Value) throws {
    isInTask = ShortReadTests.isInTask
  }

  func storedValue() throws -> Value { .integer(0) }
}
