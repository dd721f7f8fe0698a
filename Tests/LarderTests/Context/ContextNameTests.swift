import Foundation
import Larder
import Testing

/// Its properties are named like what a context knows of each row.
@Model("p")
private struct Stair: Hashable {
  var id: Int
  @Attribute(.unique) var step: Int
  @Attribute(name: "is_there") var isThere: Bool = true
  var number: Int = 0
  var state: Int = 0
  @Relationship(deleteRule: .cascade) var base: ToOne<Stair>?
}

@Model("b")
private struct Ramp: Hashable {
  var id: Int
  @Attribute(.unique) var pending: Int
}

@Model("New")
private struct Slope: Hashable {
  var id: Int
}

/// Tables and properties with the names that the SQL of contexts might use.
@Suite("Context: names")
struct ContextNameTests {
  @Test("tables and properties with any name are changed, undone and saved", arguments: [false, true])
  func anyName(_ isChild: Bool) throws {
    let store = try Store(inMemoryFor: Stair.self, Ramp.self)
    try store.blocking.insert([Stair(id: 1, step: 1), Stair(id: 2, step: 2, base: ToOne(1)), Stair(id: 3, step: 3)])
    try store.blocking.insert([Ramp(id: 1, pending: 1), Ramp(id: 2, pending: 2)])
    let context = Context(store)
    let child = context.child()
    let db = isChild ? child : context
    try db.updateAll(Stair.where { $0.id == 3 }) {
      $0.step.set(30)
      $0.isThere.set(false)
    }
    try db.save(Stair(id: 4, step: 4, base: ToOne(2)))
    #expect(db.inserted(Stair.self).map(\.id) == [4] && db.updated(Stair.self).map(\.step) == [30])
    db.delete(Stair.self, 1)
    #expect(db.deleted(Stair.self).map(\.id) == [1, 2])
    #expect(try db.fetch(Stair.all) == [Stair(id: 3, step: 30, isThere: false)])
    #expect(db.undo())
    #expect(try db.fetch(Stair.all.sorted(by: \.id)).map(\.id) == [1, 2, 3, 4])
    // Two rows exchange a unique value.
    db.update(Ramp(id: 1, pending: 9))
    db.update(Ramp(id: 2, pending: 1))
    db.update(Ramp(id: 1, pending: 2))
    #expect(db.updated(Ramp.self).count == 2 && db.inserted(Ramp.self).isEmpty)
    if isChild { try child.save() }
    try context.save()
    #expect(try store.blocking.fetch(Ramp.all.sorted(by: \.id)).map(\.pending) == [2, 1])
    #expect(try store.blocking.fetch(Stair.all.sorted(by: \.id)).map(\.step) == [1, 2, 30, 4])
  }

  @Test("a table with the name that triggers give to a row is refused before something is changed")
  func refused() throws {
    let store = try Store(inMemoryFor: Slope.self)
    try store.blocking.insert(Slope(id: 1))
    let context = Context(store)
    let error = #expect(throws: StoreError.self) { try context.save(Slope(id: 2)) }
    #expect(error?.code == .unsupported && error?.message.contains("@Model") == true)
    #expect(try context.fetch(Slope.all) == [Slope(id: 1)] && !context.hasChanges)
    try store.blocking.save(Slope(id: 2))
  }
}
