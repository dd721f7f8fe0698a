import Foundation
import LarderTestSupport
import Testing

@testable import Larder

/// References that another program, with foreign keys off, has left without a row.
@Suite("References that other programs broke")
struct OrphanTests {
  private let folder: TemporaryFolder
  private let store: Store

  init() throws {
    folder = try TemporaryFolder()
    let file = folder.file("orphans.larder")
    let before = try Store(at: file, for: OrphanOwner.self, OrphanThing.self, OrphanNote.self)
    try before.blocking.insert(OrphanOwner(id: 1, title: "a"))
    try before.blocking.insert([OrphanThing(id: 1, owner: ToOne(1)), OrphanThing(id: 2, owner: ToOne(1))])
    try before.blocking.insert(OrphanNote(id: 1, owner: ToOne(1)))
    try before.withWriter { connection in
      try connection.change("PRAGMA foreign_keys = OFF")
      try connection.change("UPDATE orphanThing SET owner = 99 WHERE id = 1")
      try connection.change("PRAGMA foreign_keys = ON")
    }
    store = before
  }

  @Test("check() finds them")
  func check() async throws {
    let report = try await store.check()
    #expect(report.findings.contains { $0.kind == .danglingReference && $0.model == "OrphanThing" })
  }

  @Test("an error names the reference that the transaction broke, not one that was broken before")
  func blame() async throws {
    let error = await #expect(throws: StoreError.self) {
      try await store.write { db in
        try db.insert(OrphanNote(id: 2, owner: ToOne(7)))
      }
    }
    #expect(error?.code == .referenced && error?.model == "OrphanNote" && error?.property == "owner")
    #expect(try await store.count(OrphanNote.all) == 1)
  }

  @Test("the same for a row of the same table, for single saves side by side, and for a context")
  func blameElsewhere() async throws {
    let single = await #expect(throws: StoreError.self) {
      try await store.insert(OrphanThing(id: 3, label: "new", owner: ToOne(7)))
    }
    #expect(single?.code == .referenced && single?.model == "OrphanThing" && single?.property == "owner")
    let shared = store
    let found = await withTaskGroup(of: StoreError?.self) { group in
      for id in 10..<20 {
        group.addTask {
          do {
            try await shared.insert(OrphanNote(id: id, owner: ToOne(id % 2 == 0 ? 1 : 7)))
            return nil
          } catch {
            return error as? StoreError
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(found.compactMap(\.?.property) == Array(repeating: "owner", count: 5))
    #expect(try await store.count(OrphanNote.all) == 6)
    let context = Context(store)
    context.insert(OrphanNote(id: 30, owner: ToOne(7)))
    let saving = #expect(throws: StoreError.self) { try context.save() }
    #expect(saving?.code == .referenced && saving?.model == "OrphanNote")
    context.rollback()
    context.insert(OrphanNote(id: 31, owner: ToOne(1)))
    try context.save()
  }

  @Test("other rows are read, changed, grouped and deleted as ever")
  func others() async throws {
    try await store.save(OrphanThing(id: 2, label: "changed", owner: ToOne(1)))
    try await store.updateAll(OrphanThing.all) { $0.label.set("all") }
    #expect(try await store.fetch(OrphanThing.all.sorted(by: \.id)).map(\.label) == ["all", "all"])
    let groups = try await store.fetch(OrphanThing.all.grouped(by: \.owner) { ($0.key, $0.count) })
    #expect(groups.map(\.0.id) == [1, 99] && groups.map(\.1) == [1, 1])
    let counts = try await store.fetch(OrphanThing.all.grouped(by: \.owner.title) { $0.count })
    #expect(counts == [1, 1])
    let named = await #expect(throws: StoreError.self) { try await store.fetch(OrphanThing.select(\.owner.title)) }
    #expect(named?.message.contains("OrphanThing.owner") == true)
    try await store.delete(OrphanThing.self, 1)
    #expect(try await store.check().findings.isEmpty)
  }
}

@Model
struct OrphanOwner: Hashable {
  var id: Int
  var title: String
}

@Model
struct OrphanThing: Hashable {
  var id: Int
  var label = ""
  @Relationship(deleteRule: .noAction) var owner: ToOne<OrphanOwner>
}

@Model
struct OrphanNote: Hashable {
  var id: Int
  @Relationship(deleteRule: .noAction) var owner: ToOne<OrphanOwner>
}
