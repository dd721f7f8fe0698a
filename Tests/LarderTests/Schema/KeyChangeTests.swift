import Foundation
import Larder
import Testing

private enum First {
  @Model("Note")
  struct Note: Hashable {
    @Attribute(.primaryKey) var order: Int
    @Attribute(.primaryKey) var product: Int
    var amount = 1
  }

  @Model("Other")
  struct Numbered: Hashable {
    var id: Int
  }
}

private enum Second {
  @Model("Note")
  struct OneKey: Hashable {
    @Attribute(.primaryKey) var order: Int
    var product: Int
    var amount = 1
  }

  @Model("Note")
  struct ThreeKeys: Hashable {
    @Attribute(.primaryKey) var order: Int
    @Attribute(.primaryKey) var product: Int
    @Attribute(.primaryKey) var amount: Int = 1
  }

  @Model("Note")
  struct RenamedKey: Hashable {
    @Attribute(.primaryKey, originalName: "order") var orderID: Int
    @Attribute(.primaryKey) var product: Int
    var amount = 1
  }

  @Model("Other")
  struct Identified: Hashable {
    var id: UUID = .v7()
  }
}

@Suite("Keys that change")
struct KeyChangeTests {
  private let file: StoreFile

  init() throws {
    file = try StoreFile()
    try file.write([First.Note(order: 1, product: 2), First.Note(order: 1, product: 3)], also: First.Numbered.self)
  }

  @Test("A2: a key of other properties is refused, with both keys and the remedy")
  func otherKey() throws {
    try file.expectRefusal(.schemaMismatch, naming: "OneKey", "order, product", "@Model") {
      _ = try file.open(Second.OneKey.self)
    }
    try file.expectRefusal(.schemaMismatch, naming: "order, product, amount") {
      _ = try file.open(Second.ThreeKeys.self)
    }
    try file.expectRefusal(.schemaMismatch) { _ = try Store.plan(at: file.path, for: Second.ThreeKeys.self) }
  }

  @Test("A2: a part of a key is renamed")
  func renamedKey() throws {
    #expect(
      try Store.plan(at: file.path, for: Second.RenamedKey.self).steps == ["rename the column Note.order to orderID"])
    let store = try file.open(Second.RenamedKey.self)
    #expect(try store.blocking.find(Second.RenamedKey.self, .init(orderID: 1, product: 3))?.amount == 1)
    try store.blocking.save(Second.RenamedKey(orderID: 1, product: 3, amount: 5))
    #expect(try store.blocking.fetch(Second.RenamedKey.all.sorted(by: \.product)).map(\.amount) == [1, 5])
  }

  @Test("a key of another type is refused while there are rows, and taken where there are none")
  func otherType() throws {
    _ = try file.open(Second.Identified.self)
    let value = Second.Identified()
    try file.write([value])
    try file.expectRefusal(.schemaMismatch, of: "id") { _ = try file.open(First.Numbered.self) }
    try file.sql("delete from Other")
    try file.write([First.Numbered(id: 5)])
    #expect(try file.sql("select id from Other where rowid = 5").count == 1)
  }
}
