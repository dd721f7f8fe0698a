import Foundation
import Larder
import LarderTestSupport
import Testing

/// The verbs of Store itself, on a file and in memory.
@Suite(.timeLimit(.minutes(20))) struct AsynchronousVerbTests {
  private func withStores(_ body: (Store) async throws -> Void) async throws {
    try await body(try Store(inMemoryFor: ConformanceItem.self))
    try await withTemporaryStore(for: ConformanceItem.self) { try await body($0) }
    try await withTemporaryStore(
      for: ConformanceItem.self, configuration: Store.Configuration(durability: .full, readers: 1)
    ) { try await body($0) }
  }

  private let all = ConformanceItem.all
  private let milk = ConformanceItem.samples[0]
  private let bread = ConformanceItem.samples[1]
  private let hammer = ConformanceItem.samples[2]

  @Test("A7: every reading verb answers without blocking a thread") func reading() async throws {
    try await withStores { store in
      try await store.insert(ConformanceItem.samples)
      #expect(try await store.find(ConformanceItem.self, 1) == milk)
      #expect(try await store.find(ConformanceItem.self, 9) == nil)
      #expect(try await store.fetch(all.sorted(by: \.id)) == ConformanceItem.samples)
      #expect(try await store.first(all.sorted(by: \.title)) == bread)
      #expect(try await store.count(ConformanceItem.where { $0.kind == .food }) == 2)
      #expect(try await store.exists(ConformanceItem.where { $0.kind == .tool }))
      #expect(try await store.sum(all, of: \.price) == 13.85)
      #expect(try await store.sum(all, of: \.weight) == 2)
      #expect(try await store.average(all, of: \.stock) == 11)
      #expect(try await store.min(all, of: \.price) == 1.25)
      #expect(try await store.max(all, of: \.price) == 10.1)
      #expect(try await store.min(all, of: \.weight) == 0.5)
      #expect(try await store.rows(ConformanceItem.where { $0.id == 3 }).first?["title"] == "Hammer")
      let groups = try await store.fetch(all.grouped(by: \.kind) { ($0.key, $0.count) })
      #expect(groups.map(\.1) == [2, 1])
      #expect(try await store.matches(ConformanceItem.search("bread")).map(\.snippet) == ["[Bread]"])
      #expect(
        try await store.sql("select title from \(ConformanceItem.self) where id = \(1)", as: String.self) == [
          "Milk of the day"
        ])
      #expect(try await store.read { try $0.count(ConformanceItem.all) } == 3)
    }
  }

  @Test("the least and the greatest of an optional property are optional once") func extremes() async throws {
    try await withStores { store in
      try await store.insert(ConformanceItem.samples)
      let lightest: Double? = try await store.min(all, of: \.weight)
      let heaviest: Double? = try store.blocking.max(all, of: \.weight)
      #expect(lightest == 0.5)
      #expect(heaviest == 1.5)
      let none: String? = try await store.max(ConformanceItem.where { $0.code == nil }, of: \.code)
      #expect(none == nil)
    }
  }

  @Test("A3: insert, save, update and arrays of them") func writing() async throws {
    try await withStores { store in
      try await store.insert(milk)
      let duplicate = await #expect(throws: StoreError.self) { try await store.insert(milk) }
      #expect(duplicate?.code == .duplicate)
      #expect(duplicate?.model == "ConformanceItem")
      #expect(duplicate?.property == "id")
      var cream = milk
      cream.title = "Cream"
      try await store.save(cream)
      try await store.save(bread)
      #expect(try await store.fetch(all.sorted(by: \.id)) == [cream, bread])
      try await store.update(milk)
      let missing = await #expect(throws: StoreError.self) { try await store.update(hammer) }
      #expect(missing?.code == .notFound)
      try await store.insert([hammer])
      try await store.save([cream, hammer])
      try await store.update([milk, bread])
      #expect(try await store.fetch(all.sorted(by: \.id)) == ConformanceItem.samples)
    }
  }

  @Test("A3: an array is written whole or not at all, and the error names model and property")
  func arrays() async throws {
    try await withStores { store in
      try await store.insert(bread)
      let clash = ConformanceItem(id: 7, title: "Clash", code: "B")
      let heavy = ConformanceItem(id: 8, title: "Heavy", weight: .nan)
      for (values, code, property) in [
        ([milk, clash, hammer], StoreError.Code.duplicate, "code"), ([milk, heavy], .invalidValue, "weight"),
      ] {
        let inserted = await #expect(throws: StoreError.self) { try await store.insert(values) }
        let saved = await #expect(throws: StoreError.self) { try await store.save(values) }
        for error in [inserted, saved] {
          #expect(error?.code == code)
          #expect(error?.model == "ConformanceItem")
          #expect(error?.property == property)
        }
      }
      let missing = await #expect(throws: StoreError.self) { try await store.update([bread, milk]) }
      #expect(missing?.code == .notFound)
      #expect(try await store.fetch(all) == [bread])
    }
  }

  @Test("A6: delete and deleteAll answer how many rows they deleted") func deleting() async throws {
    try await withStores { store in
      try await store.insert(ConformanceItem.samples)
      #expect(try await store.delete(milk))
      #expect(try await store.delete(milk) == false)
      #expect(try await store.delete(ConformanceItem.self, 2))
      #expect(try await store.delete(ConformanceItem.self, 2) == false)
      try await store.save(ConformanceItem.samples)
      #expect(try await store.delete([milk, hammer, milk]) == 2)
      try await store.save(ConformanceItem.samples)
      #expect(try await store.deleteAll(ConformanceItem.where { $0.stock >= 10 }) == 2)
      #expect(try await store.deleteAll(all) == 1)
      #expect(try await store.deleteAll(all) == 0)
    }
  }

  @Test("updateAll changes every row of the query in one step") func updatingAll() async throws {
    try await withStores { store in
      try await store.insert(ConformanceItem.samples)
      #expect(
        try await store.updateAll(ConformanceItem.where { $0.kind == .food }) {
          $0.stock.increment(by: 1); $0.tags.set(["x"])
        } == 2)
      #expect(try await store.fetch(all.sorted(by: \.id)).map(\.stock) == [11, 21, 3])
      let error = await #expect(throws: StoreError.self) { try await store.updateAll(all) { $0.weight.set(.nan) } }
      #expect(error?.code == .invalidValue)
      #expect(error?.model == "ConformanceItem")
      #expect(error?.property == "weight")
    }
  }

  @Test("sql that writes is executed by the store, and refused by a snapshot") func writingSQL() async throws {
    try await withStores { store in
      try await store.insert(milk)
      try await store.sql("update \(ConformanceItem.self) set stock = \(5)")
      #expect(try await store.find(ConformanceItem.self, 1)?.stock == 5)
      let error = await #expect(throws: StoreError.self) {
        try await store.read { db in try db.sql("update \(ConformanceItem.self) set stock = \(6)") }
      }
      #expect(error?.code == .readOnly)
      #expect(throws: StoreError.self) {
        try store.blocking.read { db in try db.sql("delete from \(ConformanceItem.self)") }
      }
      #expect(try await store.find(ConformanceItem.self, 1)?.stock == 5)
      try await store.sql("update \(ConformanceItem.self) set stock = \(7)")
      #expect(try await store.find(ConformanceItem.self, 1)?.stock == 7)
    }
  }
}
