import Larder
import LarderTestSupport
import Testing

/// A row whose deletion takes two along, of which one denies that the other goes: fixed examples, with the names of the
/// tables in both orders.
@Suite("Delete rules: forks")
struct ForkedDeletionTests {
  @Test("C2: if both are deleted, nothing is denied; if the one that denies stays, everything stays")
  func forks() throws {
    try check(
      Fork.First(id: 1), Fork.Third(id: 1, a: ToOne(1)), both: Fork.Second(id: 1, a: ToOne(1), b: ToOne(1)),
      one: Fork.Second(id: 1, b: ToOne(1)))
  }

  @Test("C2: the same with the names in another order")
  func knives() throws {
    try check(
      Knife.First(id: 1), Knife.Third(id: 1, a: ToOne(1)), both: Knife.Second(id: 1, a: ToOne(1), b: ToOne(1)),
      one: Knife.Second(id: 1, b: ToOne(1)))
  }

  private func check<A: Model, B: Model, C: Model>(_ owner: A, _ target: C, both: B, one: B) throws where A.ID == Int {
    for place in 0..<6 {
      let (isAllowed, isOne) = (place < 3, place.isMultiple(of: 2))
      let store = try Store(inMemoryFor: A.self, B.self, C.self)
      try store.blocking.write { db in
        try db.insert(owner)
        try db.insert(target)
        try db.insert(isAllowed ? both : one)
      }
      let context = Context(store)
      let child = context.child()
      let db: any StoreWriter = [store.blocking, context, child][place % 3]
      func delete() throws {
        if isOne { _ = try db.delete(A.self, owner.id) } else { _ = try db.deleteAll(A.all) }
        try child.save()
        try context.save()
      }
      if isAllowed {
        #expect(throws: Never.self, "place \(place)") { try delete() }
      } else {
        let error = #expect(throws: StoreError.self, "place \(place)") { try delete() }
        #expect(error?.code == .referenced, "place \(place)")
      }
      let counts = try [store.blocking.count(A.all), store.blocking.count(B.all), store.blocking.count(C.all)]
      #expect(counts == (isAllowed ? [0, 0, 0] : [1, 1, 1]), "place \(place)")
    }
  }
}
