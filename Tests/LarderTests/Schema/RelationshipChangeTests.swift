import Foundation
import Larder
import Testing

/// Plain columns, as they were before anything was related.
private enum First {
  @Model("Owner")
  struct Owner: Hashable {
    var id: Int
    var name: String
  }

  @Model("Item")
  struct Item: Hashable {
    var id: Int
    var price: Decimal
    var owner: Int
  }
}

/// The number becomes a reference; what is sold is summed up; an owner may have tags.
private enum Second {
  @Model("Owner")
  struct Owner {
    var id: Int
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Second.Item.owner) var items: ToMany<Second.Item> = []
    @Relationship(inverse: \Second.Tag.owners) var tags: ToMany<Second.Tag> = []
    @Derived(.sum(\Second.Owner.items, \Second.Item.price)) var total: Decimal = 0
    @Derived(.count(\Second.Owner.items)) var count: Int = 0
  }

  @Model("Item")
  struct Item {
    var id: Int
    var price: Decimal
    @Relationship(deleteRule: .cascade) var owner: ToOne<Second.Owner>
    @Relationship(deleteRule: .nullify) var seller: ToOne<Second.Owner>?
  }

  @Model("Tag")
  struct Tag {
    var id: Int
    var name: String
    var owners: ToMany<Second.Owner> = []
  }
}

/// Another rule, and an order.
private enum Third {
  @Model("Owner")
  struct Owner {
    var id: Int
    var name: String
    @Relationship(deleteRule: .deny, inverse: \Third.Item.owner, ordered: true) var items: ToMany<Third.Item> = []
  }

  @Model("Item")
  struct Item {
    var id: Int
    var price: Decimal
    @Relationship(deleteRule: .deny) var owner: ToOne<Third.Owner>
  }
}

@Suite("Relationships in files that were there before them")
struct RelationshipChangeTests {
  private let file: StoreFile

  init() throws {
    file = try StoreFile()
    try file.write([First.Owner(id: 1, name: "Ada"), First.Owner(id: 2, name: "Bo")], also: First.Item.self)
    let prices: [Decimal] = [Decimal(string: "0.1") ?? 0, Decimal(string: "0.2") ?? 0, 7]
    try file.write(prices.enumerated().map { First.Item(id: $0 + 1, price: $1, owner: $0 < 2 ? 1 : 2) })
  }

  /// A file whose first version has the relationships already.
  private func makeRelated() throws -> StoreFile {
    let file = try StoreFile()
    try file.write([Second.Owner(id: 1, name: "Ada"), Second.Owner(id: 2, name: "Bo")], also: Second.Item.self)
    try file.write((1...3).map { Second.Item(id: $0, price: Decimal($0), owner: ToOne($0 < 3 ? 1 : 2)) })
    return file
  }

  private func rules(of file: StoreFile) throws -> [String] {
    try file.sql(#"select "from", "table", on_delete from pragma_foreign_key_list('Item') order by "from""#)
      .map { row in ["from", "table", "on_delete"].compactMap { row[$0]?.text }.joined(separator: " ") }
  }

  @Test("C1, C6: a column of keys becomes a reference with its rule and index, and derived values are filled")
  func references() throws {
    let store = try file.open(Second.Owner.self, Second.Item.self)
    #expect(try rules(of: file) == ["owner Owner CASCADE", "seller Owner SET NULL"])
    #expect(try file.indexes.filter { $0.hasPrefix("Item") } == ["Item_owner_index", "Item_seller_index"])
    let owners = try store.blocking.fetch(Second.Owner.all.sorted(by: \.id).including(\.items))
    #expect(owners.map(\.count) == [2, 1])
    #expect(owners.map(\.total) == [Decimal(string: "0.3"), 7])
    #expect(owners.map { $0.items.map(\.id) } == [[1, 2], [3]])
    #expect(try store.blocking.verifyDerived().isEmpty)
    try store.blocking.delete(Second.Owner.self, 1)
    #expect(try store.blocking.fetch(Second.Item.all).map(\.id) == [3])
  }

  @Test("C2: a relationship of many to many that is new gets its table, and works at once")
  func pairs() throws {
    let store = try file.open(Second.Owner.self, Second.Tag.self)
    try store.blocking.insert(Second.Tag(id: 5, name: "vip"))
    let owner = try #require(try store.blocking.find(Second.Owner.self, 1))
    let tag = try #require(try store.blocking.find(Second.Tag.self, 5))
    try store.blocking.link(owner, \.tags, tag)
    #expect(try store.blocking.fetch(Second.Tag.where { $0.owners.contains { $0.name == "Ada" } }).map(\.id) == [5])
  }

  @Test("a reference to a row that is not there is refused, and the file stays as it was")
  func dangling() throws {
    try file.sql("update Item set owner = 99 where id = 2")
    try file.expectRefusal(.referenced, naming: "Item") { _ = try file.open(Second.Owner.self, Second.Item.self) }
  }

  @Test("the plan names each step, and opening once more does nothing")
  func plan() throws {
    let steps = try Store.plan(at: file.path, for: Second.Owner.self, Second.Item.self, Second.Tag.self).steps
    for words in [
      "add the column Owner.total", "add the column Item.seller", "owner refers to Owner",
      "create the table Owner_tags", "compute Owner.total",
      "create an index on Item (owner)",
    ] {
      #expect(steps.contains { $0.contains(words) }, "\(words) is not in \(steps)")
    }
    _ = try file.open(Second.Owner.self, Second.Item.self, Second.Tag.self)
    #expect(try Store.plan(at: file.path, for: Second.Owner.self, Second.Item.self, Second.Tag.self).steps.isEmpty)
    let schema = try file.sql("select sql from sqlite_master order by name")
    _ = try file.open(Second.Owner.self, Second.Item.self, Second.Tag.self)
    #expect(try file.sql("select sql from sqlite_master order by name") == schema)
  }

  @Test("C3: another delete rule takes effect, and rows that get an order keep that of their keys")
  func ruleAndOrder() throws {
    let file = try makeRelated()
    let store = try file.open(Third.Owner.self, Third.Item.self)
    #expect(try rules(of: file).first == "owner Owner RESTRICT")
    let error = #expect(throws: StoreError.self) { try store.blocking.delete(Third.Owner.self, 1) }
    #expect(error?.code == .referenced)
    let ada = try #require(try store.blocking.fetch(Third.Owner.where { $0.id == 1 }.including(\.items)).first)
    #expect(ada.items.map(\.id) == [1, 2])
    try store.blocking.setLinks(ada, \.items, Array(ada.items.reversed()))
    #expect(
      try store.blocking.fetch(Third.Owner.where { $0.id == 1 }.including(\.items)).first?.items.map(\.id) == [2, 1])
  }

  @Test("C6: without the derived property its triggers go, and its column is written no more")
  func derivedGoes() throws {
    let file = try makeRelated()
    #expect(try !file.sql("select 1 from sqlite_master where type = 'trigger' and sql like '%total%'").isEmpty)
    let store = try file.open(Third.Owner.self, Third.Item.self)
    #expect(try file.sql("select 1 from sqlite_master where type = 'trigger' and sql like '%total%'").isEmpty)
    try store.blocking.insert(Third.Item(id: 9, price: 1, owner: ToOne(2)))
    #expect(try store.blocking.count(Third.Item.all) == 4)
  }

  @Test("a reference that becomes a plain number again loses its rule and keeps its rows")
  func referenceGoes() throws {
    let file = try makeRelated()
    let store = try file.open(First.Owner.self, First.Item.self)
    #expect(try rules(of: file).filter { $0.hasPrefix("owner") }.isEmpty)
    #expect(try store.blocking.fetch(First.Item.all.sorted(by: \.id)).map(\.owner) == [1, 1, 2])
    try store.blocking.insert(First.Item(id: 4, price: 0, owner: 99))
  }
}
