import Foundation
import Larder
import Testing

private enum Models {
  @Model("Owner")
  struct Owner {
    var id: Int
    @Relationship(inverse: \Models.Item.owner) var items: ToMany<Models.Item> = []
    @Derived(.sum(\Models.Owner.items, \Models.Item.price)) var total: Int = 0
  }

  @Model("Item")
  struct Item {
    var id: Int
    var price: Int
    @Attribute(.searchable) var text: String
    var owner: ToOne<Models.Owner>
  }
}

@Suite("What other programs leave behind in derived values")
struct RebuildDerivedTests {
  @Test("what another program replaced without triggers is found, and rebuilt")
  func replaced() async throws {
    let file = try StoreFile()
    try file.write([Models.Owner(id: 1), Models.Owner(id: 2)], also: Models.Item.self)
    try file.write([Models.Item(id: 1, price: 5, text: "bread", owner: ToOne(1))], also: Models.Owner.self)
    // An existing file is used as the sqlite3 shell uses it.
    try file.sql("insert or replace into Item (id, price, text, owner) values (1, 7, 'milk', 2)")
    let store = try file.open(Models.Owner.self, Models.Item.self)
    #expect(try await store.verifyDerived().count == 1)
    #expect(try await store.count(Models.Item.search("bread")) == 1)
    try await store.rebuildDerived()
    #expect(try await store.verifyDerived().isEmpty)
    #expect(try await store.count(Models.Item.search("bread")) == 0)
    #expect(try await store.count(Models.Item.search("milk")) == 1)
    #expect(try await store.find(Models.Owner.self, 1)?.total == 0)
    let context = Context(store)
    let error = #expect(throws: StoreError.self) { try context.rebuildDerived() }
    #expect(error?.code == .unsupported)
  }
}
