import Foundation
import Larder
import Testing

@Model("parcel")
private struct ForeignParcel: Hashable {
  @Attribute(.primaryKey) var id: Int
  var weight: Int
}

@Model("harbour")
private struct ForeignHarbour: Hashable {
  @Attribute(.primaryKey) var code: String
  var number: Int
}

@Model("ship")
private struct ForeignShip: Hashable {
  var id: Int
  var harbour: String?
  var number: Int?
}

/// Contexts over tables that another program has declared.
@Suite("Contexts of adopted files: rules of the tables")
struct ContextForeignTableTests {
  private let store: Store

  init() throws {
    let file = try StoreFile()
    try file.sql(
      """
      create table parcel (id integer primary key, weight integer not null, doubled integer generated always as (weight * 2))
      """, creating: true)
    try file.sql("create unique index doubled on parcel (doubled)")
    try file.sql("create table harbour (code text primary key, number integer unique)")
    try file.sql(
      """
      create table ship (id integer primary key, harbour text references harbour on update cascade on delete set null, \
      number integer references harbour (number) on delete cascade)
      """)
    try file.sql("insert into parcel values (1, 1), (2, 2)")
    try file.sql("insert into harbour values ('a', 10), ('b', 20)")
    try file.sql("insert into ship values (1, 'a', 10), (2, 'b', 20), (3, 'a', null)")
    store = try Store(
      at: file.path, for: ForeignParcel.self, ForeignHarbour.self, ForeignShip.self,
      configuration: Store.Configuration(schema: .existing))
    self.file = file
  }

  private let file: StoreFile

  @Test("a unique column that the file computes is checked when the row is saved")
  func generated() throws {
    let context = Context(store)
    try context.save(ForeignParcel(id: 1, weight: 5))
    context.insert(ForeignParcel(id: 3, weight: 2))
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(error?.code == .duplicate)
    try context.save(ForeignParcel(id: 3, weight: 3))
    try context.save()
    #expect(try store.blocking.fetch(ForeignParcel.all.sorted(by: \.id)).map(\.weight) == [5, 2, 3])
  }

  @Test("rows refer to rows that the same save inserts, and to none that is nowhere", arguments: [false, true])
  func inserted(_ isChild: Bool) throws {
    let context = Context(store)
    let child = context.child()
    let db = isChild ? child : context
    db.insert(ForeignHarbour(code: "n", number: 90))
    #expect(try db.updateAll(ForeignShip.where { $0.id == 1 }) { $0.harbour.set("n") } == 1)
    try db.save(ForeignShip(id: 2, harbour: "n", number: 90))
    if isChild { try child.save() }
    try context.save()
    let expected = [
      ForeignShip(id: 1, harbour: "n", number: 10), ForeignShip(id: 2, harbour: "n", number: 90),
      ForeignShip(id: 3, harbour: "a"),
    ]
    #expect(try store.blocking.fetch(ForeignShip.all.sorted(by: \.id)) == expected)
    try context.save(ForeignShip(id: 3, harbour: "nowhere"))
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(error?.code == .referenced, "\(error as Any)")
    #expect(try store.blocking.fetch(ForeignShip.all.sorted(by: \.id)) == expected)
  }

  @Test("a key that changes takes along what the file's rules say, and deletes nothing", arguments: [false, true])
  func updateRules(_ isChild: Bool) throws {
    let context = Context(store)
    let child = context.child()
    let db = isChild ? child : context
    #expect(try db.updateAll(ForeignHarbour.where { $0.code == "a" }) { $0.code.set("c") } > 0)
    let expected = [
      ForeignShip(id: 1, harbour: "c", number: 10), ForeignShip(id: 2, harbour: "b", number: 20),
      ForeignShip(id: 3, harbour: "c"),
    ]
    #expect(try db.fetch(ForeignShip.all.sorted(by: \.id)) == expected)
    if isChild { try child.save() }
    try context.save()
    #expect(try store.blocking.fetch(ForeignShip.all.sorted(by: \.id)) == expected)
    #expect(try store.blocking.fetch(ForeignHarbour.all.sorted(by: \.code)).map(\.code) == ["b", "c"])
  }
}
