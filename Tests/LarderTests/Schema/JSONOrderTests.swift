import Foundation
import Larder
import LarderTestSupport
import Testing

@Model("Baskets")
private struct OrderedBasket: Hashable {
  struct Contents: Codable, Hashable, Sendable {
    var marks: Set<Int> = []
  }

  var id: Int
  var parts: [Set<Int>] = []
  var others: [Set<Int>] = []
  var counts: [UUID: Int] = [:]
  var contents = Contents()
  @Attribute(.unique) var label: Set<String>?
}

/// JSON that an earlier version wrote in any order is brought into one when the file is opened.
@Suite("The order of JSON in older files")
struct JSONOrderTests {
  private static let ids = ["0F8FAD5B-D9CB-469F-A165-70867728950E", "7C9E6679-7425-40DE-944B-E07FC1F90AE7"]

  /// A file of a version that did not keep the order, whose equal values stand in several.
  private func olderFile() async throws -> StoreFile {
    let file = try StoreFile()
    let store = try file.open(OrderedBasket.self)
    try store.blocking.insert((1...3).map { OrderedBasket(id: $0) })
    try store.blocking.sql("update Baskets set parts = '[[2,1],[3]]', others = '[[1,2],[3]]' where id < 3")
    try store.blocking.sql("update Baskets set parts = '[[1,2],[3]]' where id = 2")
    try store.blocking.sql(
      "update Baskets set counts = json_array(\(Self.ids[1]), 1, \(Self.ids[0]), 2) where id = 1")
    try store.blocking.sql(
      "update Baskets set counts = json_array(\(Self.ids[0]), 2, \(Self.ids[1]), 1) where id = 2")
    try store.blocking.sql("update _larder_models set schema = json_remove(schema, '$.json')")
    await store.close()
    return file
  }

  @Test("columns, groups, sorts and elements are compared by value, and opening says so once")
  func compared() async throws {
    let file = try await olderFile()
    #expect(
      try Store.plan(at: file.path, for: OrderedBasket.self).steps == [
        "write the sets and dictionaries in the JSON of Baskets in one order"
      ])
    let before = try Store(at: file.path, for: [OrderedBasket.self], configuration: .init(access: .readOnly))
    #expect(try before.blocking.count(OrderedBasket.all) == 3)
    await before.close()
    let store = try file.open(OrderedBasket.self)
    let context = Context(store)
    for db in [store.blocking, context, context.child()] as [any StoreWriter] {
      #expect(try db.fetch(OrderedBasket.where { $0.parts == $0.others }.sorted(by: \.id)).map(\.id) == [1, 2, 3])
      #expect(try db.fetch(OrderedBasket.all.grouped(by: \.parts) { ($0.key, $0.count) }).map(\.1).sorted() == [1, 2])
      #expect(try db.fetch(OrderedBasket.all.grouped(by: \.counts) { ($0.key, $0.count) }).map(\.1).sorted() == [1, 2])
      #expect(try db.fetch(OrderedBasket.where { $0.parts.contains([2, 1]) }.sorted(by: \.id)).map(\.id) == [1, 2])
      #expect(try db.fetch(OrderedBasket.all.sorted(by: \.parts).sorted(by: \.id)).map(\.id) == [1, 2, 3])
    }
    await store.close()
    #expect(try Store.plan(at: file.path, for: OrderedBasket.self).steps.isEmpty)
  }

  @Test(
    "rows whose unique values are equal in another order stay, and so does JSON of which more than the order would change"
  )
  func kept() async throws {
    let file = try await olderFile()
    try file.sql("update Baskets set label = '[\"b\",\"a\"]' where id = 1")
    try file.sql("update Baskets set label = '[\"a\",\"b\"]' where id = 2")
    try file.sql("update Baskets set contents = '{\"marks\":[2,1],\"more\":[4,3]}' where id = 1")
    try file.sql("update Baskets set contents = 'broken' where id = 3")
    let before = try file.sql("select label, contents from Baskets order by id")
    let store = try file.open(OrderedBasket.self)
    #expect(try file.sql("select label, contents from Baskets order by id") == before)
    #expect(try store.blocking.count(OrderedBasket.where { $0.label == ["a", "b"] }) == 2)
    #expect(try store.blocking.find(OrderedBasket.self, 1)?.contents.marks == [1, 2])
  }
}
