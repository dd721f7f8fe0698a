import Foundation
import Larder
import Testing

@Model
private struct Kiosk {
  var id: Int
  @Relationship(inverse: \Rack.kiosk) var racks: ToMany<Rack> = []
}

@Model
private struct Rack {
  var id: Int
  var kiosk: ToOne<Kiosk>
  @Relationship(deleteRule: .noAction) var neighbour: ToOne<Rack>?
}

@Suite struct DeleteRuleTests {
  private func ids<M: Model>(_ store: Store, _ model: M.Type) async throws -> [Int] where M.ID == Int {
    try await store.fetch(M.all).map(\.id).sorted()
  }

  @Test("C2: .cascade deletes the rows that refer to a row, and what refers to them by their own rules")
  func cascade() async throws {
    let store = try makeBookkeeping()
    try await store.link(Cost.samples[0], \.tags, Tag(id: "a"))
    #expect(try await store.delete(Wallet.cash))
    #expect(try await ids(store, Cost.self) == [4, 5, 6])
    #expect(try await store.find(Tag.self, "a")?.uses == 0)
    try await store.insert([Node(id: 1), Node(id: 2, parent: ToOne(1)), Node(id: 3, parent: ToOne(2)), Node(id: 4)])
    try await store.delete(Node.self, 1)
    #expect(try await ids(store, Node.self) == [4])
  }

  @Test("C2: .nullify, the default of an optional reference, leaves the rows without it")
  func nullify() async throws {
    let store = try makeBookkeeping()
    #expect(try await store.deleteAll(Category.where { $0.name == "Food" }) == 1)
    #expect(try await store.count(Cost.where { $0.category == nil }) == 5)
    #expect(try await store.count(Cost.all) == 6)
  }

  @Test("C2: .deny, the default of a required reference, refuses at once, and names the rows' property")
  func deny() async throws {
    let store = try Store(inMemoryFor: Kiosk.self)
    try await store.write { db in
      try db.insert(Kiosk(id: 1))
      try db.insert(Rack(id: 1, kiosk: ToOne(1)))
    }
    for delete in [
      { try store.blocking.delete(Kiosk.self, 1) }, { try store.blocking.deleteAll(Kiosk.all) > 0 },
      { try store.blocking.write { db in try db.delete(Kiosk.self, 1) } },
    ] {
      let error = #expect(throws: StoreError.self) { _ = try delete() }
      #expect(error?.code == .referenced)
      #expect(error?.model == "Kiosk")
      #expect(error?.message.contains("Rack.kiosk") == true)
      #expect(error?.message.contains(".deny") == true)
    }
    let error = #expect(throws: StoreError.self) { try store.blocking.sql("delete from \(Kiosk.self)") }
    #expect(error?.code == .referenced)
    #expect(try await ids(store, Kiosk.self) == [1])
    try await store.deleteAll(Rack.all)
    #expect(try await store.delete(Kiosk.self, 1))
  }

  @Test("C2: .noAction is looked at when the transaction ends")
  func noAction() async throws {
    let store = try Store(inMemoryFor: Kiosk.self)
    try await store.write { db in
      try db.insert(Kiosk(id: 1))
      try db.insert([Rack(id: 1, kiosk: ToOne(1), neighbour: ToOne(2)), Rack(id: 2, kiosk: ToOne(1))])
    }
    let error = #expect(throws: StoreError.self) { try store.blocking.delete(Rack.self, 2) }
    #expect(error?.code == .referenced)
    try await store.write { db in
      try db.delete(Rack.self, 2)
      try db.updateAll(Rack.all) { $0.neighbour.set(nil) }
    }
    #expect(try await ids(store, Rack.self) == [1])
  }

  @Test(
    "C2: a reference to a row that is not there is refused with the property's name, alone, in an array, and at the commit"
  )
  func missing() async throws {
    let store = try makeBookkeeping()
    let stray = Cost(id: 9, amount: 1, wallet: ToOne(99))
    for insert in [
      { try store.blocking.insert(stray) }, { try store.blocking.insert([stray]) }, { try store.blocking.save(stray) },
      { try store.blocking.write { db in try db.insert(stray) } },
    ] {
      let error = #expect(throws: StoreError.self) { try insert() }
      #expect(error?.code == .referenced)
      #expect(error?.model == "Cost")
      #expect(error?.property == "wallet")
    }
    #expect(try await store.count(Cost.all) == 6)
    var moved = Cost.samples[0]
    moved.category = ToOne(UUID())
    let error = await #expect(throws: StoreError.self) { try await store.update(moved) }
    #expect(error?.property == "category")
  }

  @Test("C1: rows that require each other can be saved in one transaction")
  func cycle() async throws {
    let store = try Store(inMemoryFor: Hen.self)
    try await store.write { db in
      try db.insert(Hen(id: 1, egg: ToOne(1)))
      try db.insert(Egg(id: 1, hen: ToOne(1)))
    }
    #expect(try await store.count(Egg.where { $0.hen.egg.id == 1 }) == 1)
  }

  @Test("C1: every reference has an index")
  func indexes() async throws {
    let store = try makeBookkeeping()
    let names = try await store.sql("select name from sqlite_master where type = 'index'", as: String.self)
    #expect(names.contains("Cost_wallet_index"))
    #expect(names.contains("Cost_category_index"))
    let plan = try await store.sql("explain query plan select * from Cost where wallet = 1").compactMap {
      $0["detail"]?.text
    }
    #expect(plan.contains { $0.contains("USING INDEX Cost_wallet_index") })
  }
}

@Model
private struct Hen {
  var id: Int
  var egg: ToOne<Egg>
}

@Model
private struct Egg {
  var id: Int
  @Relationship(deleteRule: .cascade) var hen: ToOne<Hen>
}
