import Foundation
import Larder
import LarderTestSupport
import Testing

/// Names, triggers and values for which saving by a unique property could go wrong.
@Suite("Saves by a unique property: edges")
struct UpsertEdgeTests {
  @Test("a model whose table is called Excluded, as any other: save changes the row that is there")
  func excludedSave() async throws {
    let store = try Store(inMemoryFor: EdgeExcluded.self)
    try await store.save(EdgeExcluded(id: 1, code: "a", name: "old"))
    try await store.save(EdgeExcluded(id: 1, code: "a", name: "new"))
    #expect(try await store.find(EdgeExcluded.self, 1)?.name == "new")
  }

  @Test("a model whose table is called Excluded: save by the unique property returns and changes the row that is there")
  func excludedUnique() async throws {
    let store = try Store(inMemoryFor: EdgeExcluded.self)
    try await store.insert(EdgeExcluded(id: 1, code: "a", name: "old"))
    let saved = try await store.save(EdgeExcluded(id: 9, code: "a", name: "new"), onConflict: \.code)
    #expect(saved == EdgeExcluded(id: 1, code: "a", name: "new"))
    #expect(try await store.find(EdgeExcluded.self, 1)?.name == "new")
    #expect(try Context(store).save(EdgeExcluded(id: 8, code: "a", name: "n"), onConflict: \.code).id == 1)
  }

  @Test("an update fires no trigger of inserts, also if the trigger is younger than the statement")
  func insertTrigger() throws {
    let store = try Store(inMemoryFor: EdgeBadge.self)
    try store.blocking.write { db in
      _ = try db.save(EdgeBadge(id: 1, number: 7), onConflict: \.number)
      _ = try db.save(EdgeBadge(id: 1, number: 7), onConflict: \.number)
      try db.sql("create table atk_log (n)")
      try db.sql("create trigger atk_in before insert on EdgeBadge begin insert into atk_log values (new.number); end")
      _ = try db.save(EdgeBadge(id: 2, number: 7, mood: .sad), onConflict: \.number)
      #expect(try db.sql("select count(*) from atk_log", as: Int.self) == [0])
      _ = try db.save(EdgeBadge(id: 2, number: 7), onConflict: \.number)
      #expect(try db.sql("select count(*) from atk_log", as: Int.self) == [0])
    }
  }

  @Test("a row with a property that can't be read: a store, a transaction and a context do the same")
  func unreadable() async throws {
    func result(_ save: (Store) throws -> EdgeBadge) throws -> String {
      let store = try Store(inMemoryFor: EdgeBadge.self)
      try store.blocking.insert(EdgeBadge(id: 1, number: 7))
      try store.blocking.sql("update EdgeBadge set mood = 'gone'")
      do {
        return "saved \(try save(store).mood)"
      } catch {
        return "refused: \((error as? StoreError)?.code as Any)"
      }
    }
    let new = EdgeBadge(id: 2, number: 7, mood: .sad)
    let blocking = try result { try $0.blocking.save(new, onConflict: \.number) }
    let transaction = try result { store in try store.blocking.write { try $0.save(new, onConflict: \.number) } }
    let context = try result { try Context($0).save(new, onConflict: \.number) }
    let child = try result { try Context($0).child().save(new, onConflict: \.number) }
    #expect(
      Set([blocking, transaction, context, child]).count == 1, "\(blocking), \(transaction), \(context), \(child)")
  }

  @Test("a property that is named twice is that property")
  func twice() async throws {
    let store = try Store(inMemoryFor: EdgeBadge.self)
    let saved = try Context(store).save(EdgeBadge(id: 1, number: 7), onConflict: \.number, \.number)
    #expect(saved.id == 1)
    #expect(try await store.save(EdgeBadge(id: 1, number: 7), onConflict: \.number, \.number).id == 1)
  }

  @Test("the function that reports keys, called by hand with too few arguments, reads no others")
  func arguments() async throws {
    let store = try Store(inMemoryFor: EdgeSmall.self)
    for sql in ["select larder_updates()", "select larder_updates(1)", "select larder_updates(zeroblob(1))"] {
      #expect(try await store.sql(SQL(stringLiteral: sql), as: Int.self) == [0])
    }
  }
}
