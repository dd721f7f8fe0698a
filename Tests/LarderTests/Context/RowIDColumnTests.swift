import Foundation
import Larder
import Testing

@Model
private struct Crate: Hashable {
  var id: Int
  var rowid: Int = 0
  @Attribute(name: "_rowid_") var label: String = "r"
  @Relationship(deleteRule: .cascade) var outer: ToOne<Crate>?
}

@Model
private struct CrateLabel: Hashable {
  var id: String
  var rowid: String = "r"
  @Relationship(deleteRule: .deny) var crate: ToOne<Crate>?
}

/// SQLite's names for the number of a row are those of columns where a model has such columns.
@Suite("Context: models with a column called rowid")
struct RowIDColumnTests {
  private let store: Store
  private let context: Context

  init() throws {
    store = try Store(inMemoryFor: Crate.self, CrateLabel.self)
    try store.blocking.insert([
      Crate(id: 1, rowid: -3), Crate(id: 2, rowid: 5, outer: ToOne(1)), Crate(id: 3, rowid: -7, outer: ToOne(2)),
      Crate(id: 4, rowid: 9),
    ])
    context = Context(store)
  }

  private func ids(_ db: some StoreReader) throws -> [Int] { try db.fetch(Crate.all.sorted(by: \.id)).map(\.id) }

  @Test("a cascade reaches all rows, and undo after a save brings all of them back")
  func cascade() throws {
    #expect(try context.deleteAll(Crate.where { $0.id == 1 }) > 0)
    #expect(try ids(context) == [4])
    #expect(context.deleted(Crate.self).count == 3)
    try context.save()
    #expect(try ids(store.blocking) == [4])
    context.undo()
    #expect(try ids(context) == [1, 2, 3, 4])
    try context.save()
    #expect(try ids(store.blocking) == [1, 2, 3, 4])
    #expect(try store.blocking.find(Crate.self, 3)?.outer?.id == 2)
  }

  @Test("a deletion that a rule denies is refused at once, in a child context too", arguments: [false, true])
  func deny(isChild: Bool) throws {
    try store.blocking.insert(CrateLabel(id: "a", crate: ToOne(3)))
    let db = isChild ? context.child() : context
    #expect(throws: StoreError.self) { try db.deleteAll(Crate.where { $0.id == 1 }) }
    #expect(try ids(db) == [1, 2, 3, 4])
    try db.deleteAll(Crate.where { $0.id == 4 })
    try db.save()
    if isChild { try context.save() }
    #expect(try ids(store.blocking) == [1, 2, 3])
  }

  @Test("rows whose columns hold the same text are changed, undone and merged one by one")
  func versions() throws {
    try store.blocking.insert(["a", "b", "c"].map { CrateLabel(id: $0) })
    let context = Context(store, mergePolicy: .preferContext)
    for id in ["a", "b", "c"] { try context.save(CrateLabel(id: id, rowid: "s", crate: ToOne(4))) }
    context.undo()
    try store.blocking.delete(CrateLabel.self, "a")
    try context.save()
    let rows = try store.blocking.fetch(CrateLabel.all.sorted(by: \.id))
    #expect(rows.map { "\($0.id)\($0.rowid)\($0.crate?.id ?? 0)" } == ["as4", "bs4", "cr0"])
  }
}
