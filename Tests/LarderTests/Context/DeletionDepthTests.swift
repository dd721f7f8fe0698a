import Larder
import Testing

@Model
private struct Carriage: Hashable {
  var id: Int
  @Relationship(deleteRule: .cascade) var front: ToOne<Carriage>?
}

/// What is in a carriage: it goes along, stays without it, or keeps it where it is.
@Model
private struct Freight: Hashable {
  var id: Int
  @Relationship(deleteRule: .cascade) var carriage: ToOne<Carriage>?
  @Relationship(deleteRule: .nullify) var owner: ToOne<Carriage>?
  @Relationship(deleteRule: .deny) var guardedBy: ToOne<Carriage>?
}

/// Everything that the three places hold.
private struct Train: Hashable {
  let carriages: Set<Carriage>
  let freight: Set<Freight>

  init(_ db: some StoreReader) throws {
    carriages = Set(try db.fetch(Carriage.all))
    freight = Set(try db.fetch(Freight.all))
  }
}

@Suite("Delete rules: long chains and wide trees", .timeLimit(.minutes(20)))
struct DeletionDepthTests {
  /// What a deletion leads to.
  private enum Outcome: Hashable {
    case deleted(Train)
    case refused(StoreError.Code, Train)
  }

  private func outcome(of delete: () throws -> Void, _ train: () throws -> Train) throws -> Outcome {
    do {
      try delete()
    } catch let error as StoreError {
      return .refused(error.code, try train())
    }
    return .deleted(try train())
  }

  /// Returns what the deletion leads to in a store, and expects the same of a context and of a child, before and after
  /// they are saved.
  private func judge(
    _ carriages: [Carriage], _ freight: [Freight] = [], _ delete: (any StoreWriter) throws -> Void
  ) throws -> Outcome {
    let stores = try (0..<3).map { _ in try Store(inMemoryFor: Carriage.self, Freight.self) }
    for store in stores {
      try store.blocking.insert(carriages)
      try store.blocking.insert(freight)
    }
    let expected = try outcome(of: { try delete(stores[0].blocking) }, { try Train(stores[0].blocking) })
    let (context, parent) = (Context(stores[1]), Context(stores[2]))
    let child = parent.child()
    #expect(try outcome(of: { try context.step { try delete(context) } }, { try Train(context) }) == expected)
    #expect(try outcome(of: { try child.step { try delete(child) } }, { try Train(child) }) == expected)
    try context.save()
    try child.save()
    try parent.save()
    let train = try Train(stores[0].blocking)
    #expect(try Train(stores[1].blocking) == train)
    #expect(try Train(stores[2].blocking) == train)
    return expected
  }

  private func chain(_ count: Int) -> [Carriage] {
    (1...count).map { Carriage(id: $0, front: $0 == 1 ? nil : ToOne($0 - 1)) }
  }

  @Test("C2: a chain of .cascade of any length goes, in a context as in a store", arguments: [10, 1_000, 1_001, 5_000])
  func chains(_ count: Int) throws {
    let outcome = try judge(chain(count)) { _ = try $0.deleteAll(Carriage.where { $0.id == 1 }) }
    #expect(outcome == .deleted(try Train(of: [], [])))
  }

  @Test("C2: rows of a long chain are counted once, whichever of them a call names", arguments: [10, 3_000])
  func counts(_ count: Int) throws {
    let named = [count / 2, 1, count / 2, count + 1]
    let outcome = try judge(chain(count)) { db in
      let number = try db.deleteAll(Carriage.where { $0.id.isIn(named) || $0.id > count - 3 })
      #expect(number == 5)
    }
    #expect(outcome == .deleted(try Train(of: [], [])))
    let db = try Store(inMemoryFor: Carriage.self, Freight.self).blocking
    try db.insert(chain(count))
    #expect(try db.delete(Carriage.self, 0) == false)
    #expect(try db.delete(Carriage.self, count / 2))
    #expect(try db.count(Carriage.all) == count / 2 - 1)
    #expect(try db.delete([Carriage(id: count), Carriage(id: 2)]) == 1)
    #expect(try db.fetch(Carriage.all) == [Carriage(id: 1)])
  }

  @Test("C2: a wide tree goes with its root, and what only knows it stays", arguments: [10, 4_000])
  func trees(_ count: Int) throws {
    let carriages = (1...count).map { Carriage(id: $0, front: $0 == 1 ? nil : ToOne($0 / 2)) }
    let freight = (1...count).map { number in
      let carriage = ToOne<Carriage>(number)
      return number.isMultiple(of: 2)
        ? Freight(id: number, carriage: carriage, guardedBy: ToOne(1)) : Freight(id: number, owner: carriage)
    }
    let outcome = try judge(carriages, freight) { _ = try $0.delete(Carriage.self, 1) }
    guard case .deleted(let train) = outcome else { return #expect(Bool(false), "\(outcome)") }
    #expect(train.carriages.isEmpty)
    #expect(train.freight == Set(freight.filter { $0.carriage == nil }.map { Freight(id: $0.id) }))
  }

  @Test("C2: one row at the far end that stays keeps all of them", arguments: [10, 900, 3_000])
  func denial(_ count: Int) throws {
    let item = Freight(id: 1, guardedBy: ToOne(count))
    let outcome = try judge(chain(count), [item]) { _ = try $0.delete(Carriage.self, 1) }
    #expect(outcome == .refused(.referenced, try Train(of: chain(count), [item])))
  }

  @Test("C2: chains that are deleted in parts are saved in one piece, and come back")
  func parts() throws {
    let store = try Store(inMemoryFor: Carriage.self, Freight.self)
    let carriages = chain(1_800)
    try store.blocking.insert(carriages)
    let context = Context(store)
    for first in [1_201, 601, 1] { #expect(context.delete(Carriage.self, first)) }
    try context.save()
    #expect(try store.blocking.fetch(Carriage.all).isEmpty)
    for _ in 0..<3 { #expect(context.undo()) }
    try context.save()
    #expect(Set(try store.blocking.fetch(Carriage.all)) == Set(carriages))
    for _ in 0..<3 { #expect(context.redo()) }
    try context.save()
    #expect(try store.blocking.count(Carriage.all) == 0)
  }

  @Test("C2: a circle that is deleted from several rows is saved, and comes back", arguments: [40, 1_200, 1_800])
  func circles(_ count: Int) throws {
    let store = try Store(inMemoryFor: Carriage.self, Freight.self)
    try store.blocking.insert(chain(count))
    // Each carriage also has freight, and the first follows the last.
    try store.blocking.save(Carriage(id: 1, front: ToOne(count)))
    try store.blocking.insert((1...count).map { Freight(id: $0, carriage: ToOne($0)) })
    let train = try Train(store.blocking)
    let context = Context(store)
    let starts = [1, count / 3, 2 * count / 3]
    #expect(try context.deleteAll(Carriage.where { $0.id.isIn(starts) }) > 0)
    #expect(try context.count(Carriage.all) == 0)
    try context.save()
    #expect(try store.blocking.count(Carriage.all) == 0)
    #expect(try store.blocking.count(Freight.all) == 0)
    context.undo()
    try context.save()
    #expect(try Train(store.blocking) == train)
    context.redo()
    try context.save()
    #expect(try store.blocking.count(Carriage.all) + store.blocking.count(Freight.all) == 0)
  }

  @Test("C2: SQL that deletes a long chain does, and leaves nothing behind where it is refused")
  func sql() throws {
    let outcome = try judge(chain(3_000)) { try $0.sql("delete from \(Carriage.self) where id = 2") }
    #expect(outcome == .deleted(try Train(of: chain(1), [])))
    let item = Freight(id: 1, guardedBy: ToOne(3_000))
    let refused = try judge(chain(3_000), [item]) { try $0.sql("delete from \(Carriage.self) where id = 2") }
    #expect(refused == .refused(.referenced, try Train(of: chain(3_000), [item])))
  }

  @Test("C2: what a transaction does after a long chain was refused is kept without it")
  func afterRefusal() throws {
    let db = try Store(inMemoryFor: Carriage.self, Freight.self).blocking
    try db.insert(chain(2_500))
    try db.insert(Freight(id: 1, guardedBy: ToOne(2_500)))
    try db.write { db in
      #expect(throws: StoreError.self) { try db.delete(Carriage.self, 1) }
      #expect(throws: StoreError.self) { try db.sql("delete from \(Carriage.self) where id = 1") }
      try db.insert(Carriage(id: 0))
      #expect(try db.count(Carriage.all) == 2_501)
      try db.delete(Freight.self, 1)
      #expect(try db.delete(Carriage.self, 1))
    }
    #expect(try db.fetch(Carriage.all) == [Carriage(id: 0)])
  }
}

extension Train {
  init(of carriages: [Carriage], _ freight: [Freight]) throws {
    self.carriages = Set(carriages)
    self.freight = Set(freight)
  }
}
