import Foundation
import Larder
import Testing

@Suite struct LinkTests {
  private let tags = ["a", "b", "c"].map { Tag(id: $0) }

  private func tags(of cost: Cost, _ store: Store) async throws -> [String] {
    try await store.fetch(cost.tags.all).map(\.id)
  }

  @Test("C1: a pair is linked once, unlinked, and seen from both sides")
  func pairs() async throws {
    let store = try makeBookkeeping()
    let cost = Cost.samples[0]
    try await store.link(cost, \.tags, tags[1])
    try await store.link(cost, \.tags, tags[1])
    try await store.link(cost, \.tags, [tags[0]])
    #expect(try await tags(of: cost, store) == ["b", "a"])
    #expect(try await store.fetch(tags[1].costs.all).map(\.id) == [1])
    #expect(try await store.fetch(tags[1].costs.where { $0.amount > 100 }).isEmpty)
    #expect(try await store.unlink(cost, \.tags, tags[1]))
    #expect(try await !store.unlink(cost, \.tags, tags[1]))
    #expect(try await tags(of: cost, store) == ["a"])
    try await store.link(tags[2], \.costs, Cost.samples[3])
    #expect(try await tags(of: Cost.samples[3], store) == ["c"])
    #expect(try await store.count(Cost.where { $0.tags.contains { $0.id == "c" } }) == 1)
    #expect(try await store.count(Tag.where { $0.costs.isEmpty }) == 1)
  }

  @Test("C1: setLinks leaves just the rows that it is given, in their order")
  func set() async throws {
    let store = try makeBookkeeping()
    let cost = Cost.samples[0]
    try await store.setLinks(cost, \.tags, [tags[2], tags[0], tags[1]])
    #expect(try await tags(of: cost, store) == ["c", "a", "b"])
    try await store.setLinks(cost, \.tags, [tags[1], tags[2]])
    #expect(try await tags(of: cost, store) == ["b", "c"])
    try await store.setLinks(cost, \.tags, [])
    #expect(try await tags(of: cost, store).isEmpty)
  }

  @Test("C1: linking a row of a one-to-many relationship changes its reference")
  func references() async throws {
    let store = try makeBookkeeping()
    let cost = Cost.samples[0]
    try await store.link(Wallet.bank, \.costs, cost)
    #expect(try await store.find(Cost.self, 1)?.wallet == ToOne(2))
    let error = await #expect(throws: StoreError.self) { try await store.unlink(Wallet.bank, \.costs, cost) }
    #expect(error?.code == .constraint)
    #expect(error?.property == "wallet")
    #expect(try await !store.unlink(Wallet.cash, \.costs, cost))
    #expect(try await store.unlink(Category.food, \.costs, cost))
    #expect(try await store.find(Cost.self, 1)?.category == nil)
    try await store.setLinks(Category.rent, \.costs, [cost, Cost.samples[5]])
    #expect(try await store.fetch(Cost.where { $0.category == Category.rent }).map(\.id) == [1, 6])
    let refused = await #expect(throws: StoreError.self) { try await store.setLinks(Wallet.bank, \.costs, []) }
    #expect(refused?.code == .constraint)
    #expect(try await store.count(Cost.where { $0.wallet == 2 }) == 4)
  }

  @Test("C1: linking what is not stored is an error, and links nothing")
  func strangers() async throws {
    let store = try makeBookkeeping()
    let stranger = Cost(id: 99, amount: 1, wallet: ToOne(1))
    let missing = await #expect(throws: StoreError.self) { try await store.link(Wallet.cash, \.costs, stranger) }
    #expect(missing?.code == .notFound)
    let unknown = await #expect(throws: StoreError.self) {
      try await store.link(Cost.samples[0], \.tags, [tags[0], Tag(id: "x")])
    }
    #expect(unknown?.code == .referenced)
    #expect(try await tags(of: Cost.samples[0], store).isEmpty)
  }

  @Test("C1: an ordered relationship keeps the order through inserts and moves")
  func order() async throws {
    let store = try makeBookkeeping()
    try await store.insert([
      Node(id: 1), Node(id: 5, parent: ToOne(1)), Node(id: 3, parent: ToOne(1)), Node(id: 4, parent: ToOne(1)),
    ])
    let root = Node(id: 1)
    #expect(try await store.fetch(root.children.all).map(\.id) == [5, 3, 4])
    try await store.setLinks(root, \.children, [4, 3, 5].map { Node(id: $0) })
    #expect(try await store.fetch(root.children.all).map(\.id) == [4, 3, 5])
    try await store.updateAll(Node.where { $0.id == 4 }) { $0.parent.set(nil) }
    try await store.updateAll(Node.where { $0.id == 4 }) { $0.parent.set(ToOne(1)) }
    #expect(try await store.fetch(root.children.all).map(\.id) == [3, 5, 4])
    let loaded = try await store.fetch(Node.where { $0.id == 1 }.including(\.children))
    #expect(loaded.first?.children.map(\.id) == [3, 5, 4])
  }

  @Test("C1: a value is saved together with the rows that it holds")
  func graph() async throws {
    let store = try makeBookkeeping()
    var wallet = Wallet(id: 7, name: "New", owner: ToOne(Person(id: 8, name: "Eve")))
    wallet.costs = [Cost(id: 70, amount: 5, wallet: ToOne(1)), Cost(id: 71, amount: 6, wallet: ToOne(1))]
    wallet.costs.loaded?[1].tags = [Tag(id: "z"), Tag(id: "y")]
    await #expect(throws: StoreError.self) { try await store.save(wallet, including: \.costs) }
    #expect(try await store.find(Wallet.self, 7) == nil)
    try await store.save(wallet, including: \.owner)
    wallet.owner = ToOne(Person(id: 8, name: "Ida"))
    try await store.save(wallet, including: \.owner, \.costs)
    #expect(try await store.find(Person.self, 8)?.name == "Ida")
    #expect(try await tags(of: Cost(id: 71, amount: 0, wallet: ToOne(7)), store) == [])
    try await store.write { [wallet] in try $0.save(wallet, including: \.costs, \.owner) }
    #expect(try await tags(of: Cost(id: 71, amount: 0, wallet: ToOne(7)), store) == [])
    try await store.save(wallet, including: \.costs, then: \.tags)
    #expect(try await store.find(Wallet.self, 7)?.balance == 11)
    #expect(try await store.find(Person.self, 8)?.name == "Ida")
    #expect(try await tags(of: Cost(id: 71, amount: 0, wallet: ToOne(7)), store) == ["z", "y"])
  }
}
