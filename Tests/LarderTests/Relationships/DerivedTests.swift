import Foundation
import LarderTestSupport
import Testing

@testable import Larder

@Suite struct DerivedTests {
  private func wallet(_ id: Int, _ store: Store) async throws -> Wallet {
    try #require(try await store.find(Wallet.self, id))
  }

  @Test("C6: sums, counts, least and greatest values follow every way of writing")
  func ways() async throws {
    let store = try makeBookkeeping()
    var cash = try await wallet(1, store)
    #expect(cash.balance == Decimal(string: "7.50"))
    #expect(cash.costCount == 3)
    #expect(cash.least == -3)
    #expect(cash.lastDay == Cost.day(3))
    #expect(cash.weight == 1.75)
    var cost = Cost.samples[1]
    cost.amount = 5
    try await store.update(cost)
    cost.wallet = ToOne(2)
    cost.day = Cost.day(9)
    try await store.save(cost)
    cash = try await wallet(1, store)
    #expect(cash.balance == Decimal(string: "10.50"))
    #expect(cash.least == 0)
    let bank = try await wallet(2, store)
    #expect(bank.balance == Decimal(string: "112.01"))
    #expect(bank.costCount == 4)
    #expect(bank.lastDay == Cost.day(9))
    try await store.updateAll(Cost.where { $0.wallet == 1 }) { $0.amount.multiply(by: 2) }
    #expect(try await wallet(1, store).balance == 21)
    try await store.sql("update Cost set wallet = 3 where id = 4")
    #expect(try await wallet(3, store).balance == 100)
    #expect(try await wallet(3, store).costCount == 1)
    try await store.sql("delete from Cost where wallet = 3")
    let empty = try await wallet(3, store)
    #expect(empty.balance == 0 && empty.costCount == 0 && empty.least == nil && empty.lastDay == nil)
    #expect(try await store.verifyDerived() == [])
  }

  @Test("C6: saving a value never writes a derived property, and setting one is refused")
  func readOnly() async throws {
    let store = try makeBookkeeping()
    var cash = try await wallet(1, store)
    cash.balance = 999
    cash.name = "Purse"
    try await store.save(cash)
    try await store.update(cash)
    #expect(try await wallet(1, store).balance == Decimal(string: "7.50"))
    #expect(try await wallet(1, store).name == "Purse")
    let error = await #expect(throws: StoreError.self) { try await store.updateAll(Wallet.all) { $0.balance.set(1) } }
    #expect(error?.code == .unsupported)
    #expect(error?.property == "balance")
  }

  @Test("C6: a pair counts from when it is linked until either side is deleted")
  func pairs() async throws {
    let store = try makeBookkeeping()
    let tag = Tag(id: "a")
    try await store.setLinks(tag, \.costs, [Cost.samples[0], Cost.samples[3]])
    #expect(try await store.find(Tag.self, "a")?.uses == 2)
    #expect(try await store.find(Tag.self, "a")?.total == Decimal(string: "110.5"))
    try await store.updateAll(Cost.where { $0.id == 4 }) { $0.amount.set(1) }
    #expect(try await store.find(Tag.self, "a")?.total == Decimal(string: "11.5"))
    try await store.delete(Cost.self, 4)
    #expect(try await store.find(Tag.self, "a")?.uses == 1)
    #expect(try await store.find(Tag.self, "a")?.total == Decimal(string: "10.5"))
    #expect(try await store.verifyDerived() == [])
  }

  @Test("C6: a derived property of derived properties follows up a tree")
  func trees() async throws {
    let store = try makeBookkeeping()
    try await store.insert([
      Node(id: 1), Node(id: 2, size: 4, parent: ToOne(1)), Node(id: 3, size: 5, parent: ToOne(1)),
    ])
    #expect(try await store.find(Node.self, 1)?.childSize == 9)
    try await store.delete(Node.self, 2)
    #expect(try await store.find(Node.self, 1)?.childSize == 5)
  }

  @Test("C6: verifyDerived finds a value that was tampered with")
  func tampering() async throws {
    let store = try makeBookkeeping()
    try await store.sql("update Wallet set balance = '1' where id = 2")
    let found = try await store.verifyDerived()
    #expect(found.map(\.property) == ["balance"])
    #expect(found.first?.key == 2)
    #expect(found.first?.stored == "1")
    #expect(found.first?.computed == "107.01")
  }

  @Test("C6: a property that becomes derived is computed for the rows that are there")
  func addition() async throws {
    let file = try StoreFile()
    do {
      let store = try Store(at: file.path, for: Before.Basket.self)
      try await store.write { db in
        try db.insert([Before.Basket(id: 1), Before.Basket(id: 2)])
        try db.insert((1...4).map { Before.Apple(id: $0, weight: Decimal($0), basket: ToOne(1)) })
      }
    }
    let plan = try Store.plan(at: file.path, for: After.Basket.self)
    #expect(plan.steps.contains { $0.contains("compute Basket.weight") })
    let store = try Store(at: file.path, for: After.Basket.self)
    #expect(try await store.fetch(After.Basket.all.sorted(by: \.id)).map(\.weight) == [10, 0])
    try await store.delete(After.Apple.self, 4)
    #expect(try await store.find(After.Basket.self, 1)?.weight == 6)
    #expect(try Store.plan(at: file.path, for: After.Basket.self).isEmpty)
  }

  @Test("C6: random histories end with the sums that Swift computes")
  func histories() async throws {
    let seed = UInt64(ProcessInfo.processInfo.environment["LARDER_TEST_SEED"] ?? "") ?? 9562
    var random = SplitMix64(seed: seed)
    let store = try makeBookkeeping()
    let db = store.blocking
    for step in 0..<400 {
      let id = Int.random(in: 1...30, using: &random)
      let cost = Cost(
        id: id, amount: Decimal(Int.random(in: -500...500, using: &random)) / 100,
        day: Cost.day(Int.random(in: 0...20, using: &random)),
        weight: Bool.random(using: &random) ? Double(Int.random(in: 0...9, using: &random)) : nil,
        wallet: ToOne(Int.random(in: 1...3, using: &random)))
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1: try db.save(cost)
      case 2: try db.delete(cost)
      case 3: try db.updateAll(Cost.where { $0.amount > cost.amount }) { $0.wallet.set(cost.wallet) }
      default: try db.updateAll(Cost.where { $0.id > id }) { $0.amount.increment(by: cost.amount) }
      }
      let costs = try db.fetch(Cost.all)
      for wallet in try db.fetch(Wallet.all) {
        let own = costs.filter { $0.wallet.id == wallet.id }
        #expect(wallet.balance == own.reduce(0) { $0 + $1.amount }, "seed \(seed), step \(step)")
        #expect(wallet.costCount == own.count, "seed \(seed), step \(step)")
        #expect(wallet.least == own.map(\.amount).min(), "seed \(seed), step \(step)")
        #expect(wallet.lastDay == own.map(\.day).max(), "seed \(seed), step \(step)")
        #expect(abs(wallet.weight - own.compactMap(\.weight).reduce(0, +)) < 1e-9, "seed \(seed), step \(step)")
      }
    }
    #expect(try db.verifyDerived() == [], "seed \(seed)")
  }
}

private enum Before {
  @Model("Basket")
  struct Basket {
    var id: Int
    @Relationship(inverse: \Before.Apple.basket) var apples: ToMany<Before.Apple> = []
  }

  @Model("Apple")
  struct Apple {
    var id: Int
    var weight: Decimal
    var basket: ToOne<Before.Basket>
  }
}

private enum After {
  @Model("Basket")
  struct Basket {
    var id: Int
    @Relationship(inverse: \After.Apple.basket) var apples: ToMany<After.Apple> = []
    @Derived(.sum(\After.Basket.apples, \After.Apple.weight)) var weight: Decimal = 0
  }

  @Model("Apple")
  struct Apple {
    var id: Int
    var weight: Decimal
    var basket: ToOne<After.Basket>
  }
}
