import Foundation
import Larder
import Testing

@Suite struct RelatedQueryTests {
  private func ids(_ store: Store, _ query: Query<Cost>) async throws -> [Int] {
    try await store.fetch(query).map(\.id).sorted()
  }

  private func ids(_ store: Store, _ query: Query<Wallet>) async throws -> [Int] {
    try await store.fetch(query).map(\.id).sorted()
  }

  @Test("C4: a condition reaches the properties of the other model, to any depth")
  func properties() async throws {
    let store = try makeBookkeeping()
    #expect(try await ids(store, Cost.where { $0.wallet.name == "Cash" }) == [1, 2, 3])
    #expect(try await ids(store, Cost.where { $0.wallet.name != "Cash" }) == [4, 5, 6])
    #expect(try await ids(store, Cost.where { $0.wallet.owner.name == "Ben" }) == [4, 5, 6])
    #expect(try await ids(store, Cost.where { $0.wallet.owner.name.hasPrefix("A") }) == [1, 2, 3])
    #expect(try await ids(store, Cost.where { $0.wallet.owner.address.city == "London" }) == [1, 2, 3])
    #expect(try await ids(store, Cost.where { $0.wallet.limit < 100 && $0.amount > 1 }) == [4, 5])
    #expect(try await ids(store, Cost.where { $0.amount > $0.wallet.limit }) == [4])
    #expect(try await ids(store, Cost.where { $0.wallet.name.isIn(["Bank", "Empty"]) }) == [4, 5, 6])
    #expect(try await ids(store, Cost.where { $0.wallet.limit.isBetween(10, 60) }) == [4, 5, 6])
    #expect(try await ids(store, Cost.where { $0.wallet.id == 1 }) == [1, 2, 3])
  }

  @Test("C4: a reference that is nil has no properties: comparisons are false, and != and == nil are true")
  func missing() async throws {
    let store = try makeBookkeeping()
    #expect(try await ids(store, Cost.where { $0.category == nil }) == [3, 6])
    #expect(try await ids(store, Cost.where { $0.category != nil }) == [1, 2, 4, 5])
    #expect(try await ids(store, Cost.where { $0.category.name == "Food" }) == [1, 4, 5])
    #expect(try await ids(store, Cost.where { $0.category.name != "Food" }) == [2, 3, 6])
    #expect(try await ids(store, Cost.where { !($0.category.name == "Food") }) == [2, 3, 6])
    #expect(try await ids(store, Cost.where { $0.category.name == nil }) == [3, 6])
    #expect(try await ids(store, Cost.where { $0.wallet.name == "Cash" || $0.category == nil }) == [1, 2, 3, 6])
  }

  @Test("C4: a reference is compared with a value, a key or another reference")
  func references() async throws {
    let store = try makeBookkeeping()
    #expect(try await ids(store, Cost.where { $0.wallet == Wallet.cash }) == [1, 2, 3])
    #expect(try await ids(store, Cost.where { $0.wallet == 2 }) == [4, 5, 6])
    #expect(try await ids(store, Cost.where { $0.wallet != ToOne(2) }) == [1, 2, 3])
    #expect(try await ids(store, Cost.where { $0.category == Category.rent }) == [2])
    #expect(try await ids(store, Cost.where { $0.category == Category.rent.id }) == [2])
    #expect(try await ids(store, Cost.where { $0.category != Category.food }) == [2, 3, 6])
    let none: Category? = nil
    #expect(try await ids(store, Cost.where { $0.category == none }) == [3, 6])
    #expect(try await ids(store, Cost.where { $0.wallet.isIn([Wallet.cash, .empty]) }) == [1, 2, 3])
    #expect(try await ids(store, Cost.where { $0.category.isIn([Category.rent.id]) }) == [2])
  }

  @Test("C4: a condition asks of the rows on the other side")
  func rows() async throws {
    let store = try makeBookkeeping()
    #expect(try await ids(store, Wallet.where { $0.costs.contains { $0.amount > 50 } }) == [2])
    #expect(try await ids(store, Wallet.where { $0.costs.contains { $0.category.name == "Rent" } }) == [1])
    #expect(try await ids(store, Wallet.where { $0.costs.allSatisfy { $0.amount >= 0 } }) == [2, 3])
    #expect(try await ids(store, Wallet.where { $0.costs.isEmpty }) == [3])
    #expect(try await ids(store, Wallet.where { $0.costs.count > 2 }) == [1, 2])
    #expect(try await ids(store, Wallet.where { $0.costs.sum(\.amount) > 100 }) == [2])
    #expect(try await ids(store, Wallet.where { $0.costs.min(\.amount) == -3 }) == [1])
    #expect(try await ids(store, Wallet.where { $0.costs.max(\.amount) > 50 }) == [2])
    #expect(try await ids(store, Wallet.where { $0.costs.average(\.amount) < 3 }) == [1])
    #expect(try await ids(store, Wallet.where { $0.costs.where { $0.category == nil }.count == 1 }) == [1, 2])
    #expect(try await ids(store, Wallet.where { $0.costs.sum { $0.amount * 2 } > 200 }) == [2])
    #expect(try await ids(store, Wallet.where { $0.costs.min { $0.amount - 1 } == -4 }) == [1])
    #expect(try await ids(store, Wallet.where { $0.costs.max { $0.amount + 1 } > 51 }) == [2])
    #expect(try await ids(store, Wallet.where { $0.costs.average { $0.amount + 1 } < 4 }) == [1])
    #expect(try await ids(store, Wallet.where { wallet in wallet.costs.sum { $0.amount + wallet.limit } == 0 }) == [3])
    #expect(try await ids(store, Wallet.where { $0.costs.contains(Cost.samples[3]) }) == [2])
  }

  @Test("C4: a condition within a condition on rows speaks of both models")
  func nested() async throws {
    let store = try makeBookkeeping()
    #expect(try await ids(store, Wallet.where { wallet in wallet.costs.contains { $0.amount > wallet.limit } }) == [2])
    let people = try await store.fetch(Person.where { $0.wallets.contains { $0.costs.contains { $0.amount < 0 } } })
    #expect(people.map(\.name) == ["Ada"])
    let sums = try await store.fetch(Person.where { $0.wallets.sum(\.balance) > 100 })
    #expect(sums.map(\.name) == ["Ben"])
    try await store.insert([
      Node(id: 1, size: 5), Node(id: 2, size: 9, parent: ToOne(1)), Node(id: 3, size: 2, parent: ToOne(1)),
    ])
    let nodes = try await store.fetch(Node.where { node in node.children.contains { $0.size > node.size } })
    #expect(nodes.map(\.id) == [1])
    #expect(try await store.fetch(Node.where { $0.parent.children.count == 2 }).map(\.id) == [2, 3])
  }

  @Test("C4: rows are sorted, grouped and summed by related properties")
  func sorting() async throws {
    let store = try makeBookkeeping()
    #expect(
      try await store.fetch(Cost.all.sorted(by: \.wallet.name).sorted(by: \.id, order: .reverse)).map(\.id) == [
        6, 5, 4, 3, 2, 1,
      ])
    #expect(
      try await store.fetch(Wallet.all.sorted(by: \.costs.count).sorted(by: \.name)).map(\.name) == [
        "Empty", "Bank", "Cash",
      ])
    let groups = try await store.fetch(Cost.all.grouped(by: \.category.name) { ($0.key, $0.sum(\.amount), $0.count) })
    #expect(groups.map(\.0) == [nil, "Food", "Rent"])
    #expect(groups.map(\.2) == [2, 3, 1])
    let byCategory = try await store.fetch(Cost.all.grouped(by: \.wallet) { ($0.key, $0.count) })
    #expect(byCategory.map(\.0.id) == [1, 2])
    var page = Cost.all.sorted(by: \.wallet.name).limit(2)
    var seen: [Int] = []
    while let last = try await store.fetch(page).last {
      seen += try await store.fetch(page).map(\.id)
      page = Cost.all.sorted(by: \.wallet.name).limit(2).after(last)
    }
    #expect(seen == [4, 5, 6, 1, 2, 3])
  }

  @Test("C4: updates and deletes reach across as well")
  func changes() async throws {
    let store = try makeBookkeeping()
    #expect(
      try await store.updateAll(Cost.where { $0.wallet.name == "Cash" }) { $0.amount.set { $0.wallet.limit } } == 3)
    #expect(try await store.sum(Cost.where { $0.wallet == 1 }, of: \.amount) == 3000)
    #expect(try await store.deleteAll(Cost.where { $0.category.name == "Food" }) == 3)
    #expect(try await store.deleteAll(Wallet.where { $0.costs.isEmpty }) == 1)
  }

  @Test("C4: #Predicate reaches across relationships")
  func predicates() async throws {
    let store = try makeBookkeeping()
    #expect(try await ids(store, Cost.where(#Predicate<Cost> { $0.wallet.name == "Cash" })) == [1, 2, 3])
    #expect(try await ids(store, Cost.where(#Predicate<Cost> { $0.category?.name == "Food" })) == [1, 4, 5])
    #expect(try await ids(store, Cost.where(#Predicate<Cost> { $0.wallet.limit < 100 && $0.amount > 1 })) == [4, 5])
    let bank = ToOne(Wallet.bank)
    #expect(try await ids(store, Cost.where(#Predicate<Cost> { $0.wallet == bank })) == [4, 5, 6])
    #expect(try await ids(store, Cost.where(#Predicate<Cost> { $0.category == nil })) == [3, 6])
    #expect(try await ids(store, Cost.where(#Predicate<Cost> { $0.wallet.id == 2 })) == [4, 5, 6])
    #expect(try await ids(store, Wallet.where(#Predicate<Wallet> { $0.costs.contains { $0.amount > 50 } })) == [2])
    #expect(
      try await ids(store, Wallet.where(#Predicate<Wallet> { $0.costs.allSatisfy { $0.amount >= 0 } })) == [2, 3])
    #expect(try await ids(store, Wallet.where(#Predicate<Wallet> { $0.costs.count > 2 })) == [1, 2])
    #expect(try await ids(store, Wallet.where(#Predicate<Wallet> { $0.costs.isEmpty })) == [3])
    #expect(
      try await ids(store, Wallet.where(#Predicate<Wallet> { $0.costs.contains { $0.category?.name == "Rent" } })) == [
        1
      ])
    #expect(try await ids(store, Cost.where(#Predicate<Cost> { $0.wallet.costs.count > 5 })) == [])
  }
}
