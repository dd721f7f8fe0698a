import Foundation
import Larder
import Testing

private enum First {
  @Model("Owner")
  struct Owner {
    var id: Int
    @Relationship(inverse: \First.Item.owner) var items: ToMany<First.Item> = []
    @Derived(.count(\First.Owner.items)) var count: Int = 0
  }

  @Model("Item")
  struct Item {
    var id: Int
    @Attribute(.unique) var code: String
    @Attribute(.searchable) var text: String
    @Relationship(deleteRule: .cascade) var owner: ToOne<First.Owner>?
  }
}

private enum Denying {
  @Model("Owner")
  struct Owner: Hashable {
    var id: Int
  }

  @Model("Item")
  struct Item {
    var id: Int
    @Relationship(deleteRule: .deny) var owner: ToOne<Denying.Owner>?
  }
}

private enum Required {
  @Model("Item")
  struct Item {
    var id: Int
    var owner: ToOne<Denying.Owner>
  }
}

private enum Counting {
  @Model("Item")
  struct Item {
    var id: Int
    var owner: Int?
  }
}

private enum Elsewhere {
  @Model("Place")
  struct Place {
    var id: Int
  }

  @Model("Item")
  struct Item {
    var id: Int
    var owner: ToOne<Elsewhere.Place>?
  }
}

private enum Second {
  @Model("Owner")
  struct Owner: Hashable {
    var id: Int
  }

  @Model("Item")
  struct Item: Hashable {
    var id: Int
  }
}

@Suite("Rules of properties that have left a model")
struct FormerRuleTests {
  private let file: StoreFile

  init() throws {
    file = try StoreFile()
  }

  private func triggers() throws -> [String] {
    try file.sql("select name from sqlite_master where type = 'trigger' order by name").compactMap { $0["name"]?.text }
  }

  @Test(
    "a reference that has left the model deletes nothing any longer; its column, its unique rule and its triggers rest")
  func cascade() throws {
    try file.write([First.Owner(id: 1)], also: First.Item.self)
    try file.write([First.Item(id: 1, code: "x", text: "bread", owner: ToOne(1))], also: First.Owner.self)
    let store = try file.open(Second.Owner.self, Second.Item.self)
    #expect(try store.blocking.delete(Second.Owner.self, 1))
    #expect(try store.blocking.fetch(Second.Item.all).map(\.id) == [1])
    try store.blocking.insert(Second.Item(id: 2))
    #expect(try file.sql("select owner, code from Item where id = 1").first?.dictionary == ["owner": 1, "code": "x"])
    #expect(try triggers().isEmpty)
    #expect(try file.indexes.isEmpty)
    #expect(try file.sql("select name from sqlite_master where name like '\\_larder\\_search%' escape '\\'").isEmpty)
  }

  @Test("a reference with .deny that has left the model denies nothing any longer")
  func deny() throws {
    try file.write([Denying.Owner(id: 1)], also: Denying.Item.self)
    try file.write([Denying.Item(id: 1, owner: ToOne(1))], also: Denying.Owner.self)
    let store = try file.open(Second.Owner.self, Second.Item.self)
    #expect(try store.blocking.delete(Second.Owner.self, 1))
    #expect(try store.blocking.count(Second.Item.all) == 1)
  }

  /// Two items refer to owners; the first owner is deleted while no property refers to it.
  private func deleteOwner() throws {
    try file.write([Denying.Owner(id: 1), Denying.Owner(id: 2)], also: Denying.Item.self)
    try file.write(
      [Denying.Item(id: 1, owner: ToOne(1)), Denying.Item(id: 2, owner: ToOne(2))], also: Denying.Owner.self)
    let store = try file.open(Second.Owner.self, Second.Item.self)
    #expect(try store.blocking.delete(Second.Owner.self, 1))
  }

  @Test("a reference that returns has its values, and is nil where its row was deleted in the meantime")
  func returning() throws {
    try deleteOwner()
    let plan = try Store.plan(at: file.path, for: Denying.Owner.self, Denying.Item.self)
    #expect(plan.steps.contains("set Item.owner to NULL where it refers to a row of Owner that is not there"))
    let store = try file.open(Denying.Owner.self, Denying.Item.self)
    #expect(try store.blocking.fetch(Denying.Item.all.sorted(by: \.id)).map { $0.owner?.id } == [nil, 2])
    #expect(throws: StoreError.self) { try store.blocking.delete(Denying.Owner.self, 2) }
    // What was set to NULL is in the copy of the file.
    #expect(try file.sql("select owner from Item where id = 1", in: "test.larder.backup-1").first?["owner"] == 1)
  }

  @Test(
    "a required reference that returns is refused where its row was deleted in the meantime; the error names the row")
  func returningAsRequired() throws {
    try deleteOwner()
    try file.expectRefusal(.referenced, of: "owner", naming: "Item.owner", "row 1 of Item", "Owner", "migration") {
      _ = try file.open(Denying.Owner.self, Required.Item.self)
    }
  }

  @Test("a number, or a reference to another model, that returns as a reference is not taken for one: nothing is lost")
  func returningAsAnother() throws {
    try file.write([Denying.Owner(id: 1)])
    try file.write([Counting.Item(id: 1, owner: 1), Counting.Item(id: 2, owner: 7)])
    _ = try file.open(Second.Item.self)
    try file.expectRefusal(.referenced, of: "owner", naming: "Item.owner", "row 2 of Item") {
      _ = try file.open(Denying.Owner.self, Denying.Item.self)
    }
    let other = try StoreFile()
    try other.write([Elsewhere.Place(id: 7)])
    try other.write([Elsewhere.Item(id: 2, owner: ToOne(7))], also: Elsewhere.Place.self)
    _ = try other.open(Second.Item.self)
    try other.expectRefusal(.referenced, of: "owner", naming: "Item.owner", "row 2 of Item") {
      _ = try other.open(Denying.Owner.self, Denying.Item.self)
    }
    // It can still return as what it was.
    let store = try other.open(Elsewhere.Place.self, Elsewhere.Item.self)
    #expect(try store.blocking.find(Elsewhere.Item.self, 2)?.owner?.id == 7)
    #expect(try file.sql("select owner from Item order by id").map { $0["owner"] } == [1, 7])
  }

  @Test("a rule of a table that no model of the store has denies a deletion by name")
  func unlisted() throws {
    try file.write([Denying.Owner(id: 1)], also: Denying.Item.self)
    try file.write([Denying.Item(id: 1, owner: ToOne(1))], also: Denying.Owner.self)
    let store = try file.open(Second.Owner.self)
    let error = #expect(throws: StoreError.self) { try store.blocking.delete(Second.Owner.self, 1) }
    #expect(error?.code == .referenced)
    #expect(error?.message.contains("Item.owner") == true, "\(error?.message ?? "")")
  }

  @Test("a foreign key that Larder did not make stays when its table is rebuilt")
  func usersReference() throws {
    try file.write([Denying.Owner(id: 1)], also: Denying.Item.self)
    try file.sql("alter table Item add column mine integer references Owner (id) on delete cascade")
    _ = try file.open(Second.Owner.self, Second.Item.self)
    let keys = try file.sql("select \"from\" as name, on_delete as rule from pragma_foreign_key_list('Item')").map(
      \.dictionary)
    #expect(keys == [["name": "mine", "rule": "CASCADE"]])
  }

  @Test("the triggers of a model that another program has stay, whatever this one changes")
  func othersTriggers() throws {
    try file.write([First.Owner(id: 1)], also: First.Item.self)
    let before = try triggers().filter { $0.contains("derived") }
    #expect(!before.isEmpty)
    // The program has neither the owner nor what it derives, and its items have one property more.
    _ = try file.open(Third.Item.self)
    #expect(try triggers().filter { $0.contains("derived") } == before)
    try file.sql("insert into Item (id, code, text, owner, extra) values (1, 'x', 'y', 1, 2)")
    #expect(try file.sql("select count from Owner").first?["count"] == 1)
  }

  @Test("tables and columns whose joined names are equal have indexes and triggers of their own")
  func joinedNames() throws {
    let store = try Store(at: file.path, for: [Joined.Short.self, Joined.Long.self])
    try store.blocking.insert(Joined.Short(id: 1, text: "x"))
    try store.blocking.insert(Joined.Long(id: 1, c: "x"))
    #expect(throws: StoreError.self) { try store.blocking.insert(Joined.Short(id: 2, text: "x")) }
    #expect(throws: StoreError.self) { try store.blocking.insert(Joined.Long(id: 2, c: "x")) }
  }

  @Test("a searchable property cannot have one of the names that the full-text index keeps for itself")
  func reservedName() throws {
    let error = #expect(throws: StoreError.self) { try Store(inMemoryFor: Ranked.self) }
    #expect(error?.code == .schemaMismatch)
    #expect(error?.property == "rank")
    #expect(error?.message.contains("@Attribute(name:") == true, "\(error?.message ?? "")")
  }
}

private enum Third {
  @Model("Item")
  struct Item {
    var id: Int
    @Attribute(.unique) var code: String
    @Attribute(.searchable) var text: String
    var extra: Int?
  }
}

private enum Joined {
  @Model("a")
  struct Short {
    var id: Int
    @Attribute(.unique, name: "b_c") var text: String
  }

  @Model("a_b")
  struct Long {
    var id: Int
    @Attribute(.unique) var c: String
  }
}

@Model
private struct Ranked {
  var id: Int
  @Attribute(.searchable) var rank: String
}
