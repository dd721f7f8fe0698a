import Foundation
import Larder
import Testing

private enum Size: String, Codable { case small, large }

@Model
private struct Basket: Hashable {
  var id: Int
  var number = 0
  var tags: Set<String> = []
  var nested: [String: Set<Int>] = [:]
  var sizes: [Size: Int] = [:]
  var groups: Set<Set<Int>>? = nil
  var list: [Int] = []
}

/// JSON that another program wrote again, with the elements of sets and the pairs of dictionaries in another order.
@Suite("Context: JSON of equal values is no conflict")
struct EqualJSONTests {
  private let store: Store
  private let basket = Basket(
    id: 1, tags: ["a", "b", "c"], nested: ["x": [1, 2, 3], "y": []], sizes: [.small: 1, .large: 2],
    groups: [[1, 2], [3]], list: [1, 2])

  init() throws {
    store = try Store(inMemoryFor: Basket.self)
  }

  private func rewrite() throws {
    try store.blocking.sql(
      """
      update Basket set tags = '["c", "a","b"]', nested = '{"y":[], "x":[3,1,2]}', sizes = '["large",2,"small",1]', \
      groups = '[[3],[2,1]]', list = '[1, 2]'
      """)
    #expect(try store.blocking.find(Basket.self, 1) == basket)
  }

  @Test("C3: in a row that is changed, with each policy and in a child", arguments: MergePolicy.allCases)
  func changed(_ policy: MergePolicy) throws {
    try store.blocking.insert(basket)
    let context = Context(store, mergePolicy: policy)
    let child = context.child()
    for db in [context, child] {
      var mine = try #require(try db.find(Basket.self, 1))
      mine.number += 1
      db.update(mine)
      if db === context { try rewrite() }
    }
    try child.save()
    try context.save()
    let expected = Basket(
      id: 1, number: 2, tags: basket.tags, nested: basket.nested, sizes: basket.sizes, groups: basket.groups,
      list: basket.list)
    #expect(try store.blocking.find(Basket.self, 1) == expected)
  }

  @Test("C3: in a row that is deleted, and in one that both insert")
  func deletedAndInserted() throws {
    try store.blocking.insert(basket)
    let context = Context(store)
    #expect(try context.find(Basket.self, 1) == basket)
    #expect(context.delete(Basket.self, 1))
    try rewrite()
    try context.save()
    #expect(try store.blocking.count(Basket.all) == 0)
    context.insert(basket)
    try store.blocking.insert(basket)
    try rewrite()
    try context.save()
    #expect(try store.blocking.find(Basket.self, 1) == basket)
  }

  @Test(
    "C3: other elements are a conflict, and so is another order of an array",
    arguments: ["tags = '[\"c\", \"a\"]'", "nested = '{\"x\":[1,2,3],\"y\":[1]}'", "list = '[2, 1]'", "sizes = '[]'"])
  func different(_ assignment: String) throws {
    try store.blocking.insert(basket)
    let context = Context(store)
    var mine = try #require(try context.find(Basket.self, 1))
    mine.number += 1
    context.update(mine)
    try store.blocking.sql(SQL(raw: "update Basket set \(assignment)"))
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(error?.code == .conflict)
  }
}
