import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite("Graphs of rows as JSON and back: edges")
struct GraphEdgeTests {
  private func orders() throws -> Store {
    let store = try Store(
      inMemoryFor: EdgeOrder.self, EdgeLine.self, EdgePart.self, EdgeReceipt.self, EdgeEntry.self, EdgeDay.self)
    try store.blocking.insert([1, 2, 3].map { EdgeOrder(id: $0, factor: $0 * 10) })
    return store
  }

  @Test("a key that is a reference follows the row that it refers to")
  func referenceAsKey() async throws {
    let store = try orders()
    try await store.insert(EdgeReceipt(order: ToOne(1), text: "paid"))
    let json = try await store.export(EdgeReceipt.all.including(\.order))
    let keys = try await store.import(EdgeReceipt.self, from: json, keys: .new)
    #expect(try await store.fetch(EdgeOrder.all.sorted(by: \.id)).map(\.id) == [1, 2, 3, 4])
    #expect(keys.map(\.id) == [4])
    #expect(try await store.find(EdgeReceipt.self, ToOne(2)) == nil)
    #expect(try await store.find(EdgeReceipt.self, ToOne(4))?.text == "paid")
  }

  @Test("a reference within a composite key follows the row that it refers to")
  func compositeKey() async throws {
    let store = try orders()
    try await store.insert([EdgeEntry(order: ToOne(1), number: 1), EdgeEntry(order: ToOne(1), number: 2)])
    let json = try await store.export(EdgeEntry.all.including(\.order))
    let keys = try await store.import(EdgeEntry.self, from: json, keys: .new)
    #expect(keys.map(\.order.id) == [4, 4] && keys.map(\.number).sorted() == [1, 2])
    #expect(try await store.count(EdgeEntry.all) == 4)
  }

  @Test("a key that is an enum is no integer: the row keeps it")
  func enumKey() async throws {
    let store = try Store(inMemoryFor: EdgeSlot.self)
    try await store.insert([EdgeSlot(id: .left), EdgeSlot(id: .right)])
    let json = try await store.export(EdgeSlot.all.sorted(by: \.id))
    #expect(try await store.import(EdgeSlot.self, from: json, keys: .new) == [.left, .right])
    #expect(try await store.count(EdgeSlot.all) == 2)
  }

  @Test("without a key of the type that is left, the error says so")
  func smallKey() async throws {
    let store = try Store(inMemoryFor: EdgeSmall.self)
    try await store.insert(EdgeSmall(id: 126))
    let json = try await store.export(EdgeSmall.all)
    #expect(try await store.import(EdgeSmall.self, from: json, keys: .new) == [127])
    let full = await #expect(throws: StoreError.self) {
      try await store.import(EdgeSmall.self, from: json, keys: .new)
    }
    #expect(full?.code == .constraint, "\(full as Any)")
    #expect(try await store.count(EdgeSmall.all) == 2)
  }

  private func plans() throws -> Store {
    let store = try Store(inMemoryFor: EdgePlan.self, EdgeStep.self, EdgeTag.self)
    try store.blocking.insert(EdgePlan(id: 1))
    for (id, name) in [(1, "c"), (2, "b"), (3, "a")] {
      try store.blocking.insert(EdgeStep(id: id, name: name, plan: ToOne(1)))
    }
    return store
  }

  private func steps(_ store: Store, of plan: Int) async throws -> [String] {
    try await store.fetch(EdgePlan.where { $0.id == plan }.including(\.steps)).flatMap { $0.steps.map(\.name) }
  }

  @Test("an export of some rows of an ordered relationship, imported where it comes from, changes nothing")
  func partOfOrder() async throws {
    let store = try plans()
    #expect(try await steps(store, of: 1) == ["c", "b", "a"])
    let json = try await store.export(EdgePlan.all.including(\.steps) { $0.where { $0.name == "a" } })
    try await store.import(EdgePlan.self, from: json)
    #expect(try await steps(store, of: 1) == ["c", "b", "a"])
  }

  @Test("rows that were exported in another order leave that of their relationship alone, and copies have the new one")
  func sortedOrder() async throws {
    let store = try plans()
    let json = try await store.export(EdgePlan.all.including(\.steps) { $0.sorted(by: \.name) })
    let keys = try await store.import(EdgePlan.self, from: json, keys: .new)
    #expect(try await steps(store, of: try #require(keys.first)) == ["a", "b", "c"])
    try await store.import(EdgePlan.self, from: json)
    #expect(try await steps(store, of: 1) == ["c", "b", "a"])
  }

  @Test("text keys that Swift takes for equal are keys of two rows; names with dots and quotes; derived values")
  func canonicalKeys() async throws {
    let store = try plans()
    let tags = [EdgeTag(id: "\u{E9}", note: "one"), EdgeTag(id: "e\u{301}", note: "two")]
    try await store.insert(tags)
    try await store.setLinks(EdgePlan(id: 1), \.tags, tags.reversed())
    let everything = EdgePlan.all.sorted(by: \.id).including(\.steps, \.tags)
    let json = try await store.export(everything)
    let other = try Store(inMemoryFor: EdgePlan.self, EdgeStep.self, EdgeTag.self)
    for _ in 0..<2 {
      #expect(try await other.import(EdgePlan.self, from: json) == [1])
      let plan = try #require(try await other.fetch(everything).first)
      #expect(
        plan.tags.map(\.note) == ["two", "one"] && plan.steps.map(\.name) == ["c", "b", "a"] && plan.last == "c")
    }
    #expect(try await other.import(EdgePlan.self, from: json, keys: .new) == [2])
    let plans = try await other.fetch(everything)
    #expect(plans.map { $0.tags.map(\.note) } == [["two", "one"], ["two", "one"]])
    #expect(plans.map(\.last) == ["c", "c"])
    #expect(try await other.check().isHealthy)
  }

  @Test("many-to-many of a model to itself, in circles")
  func itself() async throws {
    let store = try Store(inMemoryFor: EdgePerson.self, EdgeTask.self)
    let people = [1, 2, 3].map { EdgePerson(id: $0, name: "\($0)") }
    try await store.insert(people)
    try await store.setLinks(people[0], \.idols, [people[0], people[1]])
    try await store.setLinks(people[1], \.idols, [people[2], people[0]])
    let query = EdgePerson.all.sorted(by: \.id).including(\.idols, then: \.fans).including(\.fans)
    let json = try await store.export(query)
    #expect(try await store.import(EdgePerson.self, from: json, keys: .new) == [4, 5, 6])
    func idols(_ places: [any StoreReader]) throws -> [[[Int]]] {
      try places.map { try $0.fetch(query).map { $0.idols.map(\.id).sorted() } }
    }
    #expect(try idols([store.blocking]) == [[[1, 2], [1, 3], [], [4, 5], [4, 6], []]])
    let other = try Store(inMemoryFor: EdgePerson.self, EdgeTask.self)
    let child = Context(other).child()
    #expect(try child.import(EdgePerson.self, from: json) == [1, 2, 3])
    #expect(try idols([child]) == [[[1, 2], [1, 3], []]])
  }

  @Test("rows that require one another, in a store and in a context")
  func circle() async throws {
    let store = try Store(inMemoryFor: EdgeEgg.self, EdgeHen.self)
    try await store.write { db in
      try db.insert(EdgeEgg(id: 1, hen: ToOne(5)))
      try db.insert(EdgeHen(id: 5, egg: ToOne(1)))
    }
    let json = try await store.export(EdgeEgg.all.including(\.hen))
    #expect(try await store.import(EdgeEgg.self, from: json, keys: .new) == [2])
    #expect(try await store.find(EdgeHen.self, 6)?.egg.id == 2)
    let context = Context(store)
    #expect(try context.import(EdgeEgg.self, from: json, keys: .new) == [3])
    try context.save()
    #expect(try await store.find(EdgeEgg.self, 3)?.hen.id == 7)
    #expect(try await store.check().isHealthy)
  }

  @Test("decimals at the ends of their range are the same afterwards")
  func decimals() async throws {
    let store = try Store(inMemoryFor: EdgeAmount.self)
    let amounts = [
      Decimal(sign: .plus, exponent: 100, significand: 1), Decimal(sign: .minus, exponent: -100, significand: 7),
      Decimal(string: "99999999999999999999999999999999999999")!,
      Decimal(string: "0.12345678901234567890123456789012345678")!, Decimal.greatestFiniteMagnitude,
    ]
    try await store.insert(amounts.enumerated().map { EdgeAmount(id: $0, amount: $1) })
    let json = try await store.export(EdgeAmount.all.sorted(by: \.id))
    let other = try Store(inMemoryFor: EdgeAmount.self)
    try await other.import(EdgeAmount.self, from: json)
    #expect(try await other.fetch(EdgeAmount.all.sorted(by: \.id)).map(\.amount) == amounts)
  }

  @Test("what a model's own decoding throws is thrown, and nothing is written")
  func strict() async throws {
    let store = try Store(inMemoryFor: EdgeStrict.self)
    try await store.insert(EdgeStrict(id: 1, kind: "b"))
    let json = try await store.export(EdgeStrict.all)
    await #expect(throws: EdgeStrict.Unknown.self) { try await store.import(EdgeStrict.self, from: json, keys: .new) }
    #expect(try await store.count(EdgeStrict.all) == 1)
  }
}
