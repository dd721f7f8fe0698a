import Foundation
import Larder
import LarderTestSupport
import Testing

@Model
private struct Wagon: Hashable {
  var id: Int
  var name: String = ""
  var next: ToOne<Wagon>?
  var routes: ToMany<WagonRoute> = []
}

/// Goes with its wagon.
@Model
private struct WagonLoad: Hashable {
  var id: Int
  @Relationship(deleteRule: .cascade) var wagon: ToOne<Wagon>?
  var former: ToOne<Wagon>?
}

@Model
private struct WagonRoute: Hashable {
  var id: Int
  @Relationship(inverse: \Wagon.routes) var wagons: ToMany<Wagon> = []
}

/// Rows whose keys change while others refer to them.
@Suite("Context: keys that change")
struct ContextMovedKeyTests {
  private static func open() throws -> Store { try Store(inMemoryFor: Wagon.self, WagonLoad.self, WagonRoute.self) }

  private func rows(_ db: some StoreReader) throws -> [String] {
    try db.fetch(Wagon.all.sorted(by: \.id)).map { "wagon \($0.id)\($0.name) before \($0.next?.id ?? 0)" }
      + db.fetch(WagonLoad.all.sorted(by: \.id)).map {
        "load \($0.id) of \($0.wagon?.id ?? 0), before of \($0.former?.id ?? 0)"
      }
      + db.fetch(WagonRoute.all.including(\.wagons).sorted(by: \.id)).map {
        "route \($0.id) of \($0.wagons.map(\.id).sorted())"
      }
  }

  @Test("what refers to the former key is not deleted with it: saving is refused until it refers to the new one")
  func referenced() throws {
    for isChild in [false, true] {
      let store = try Self.open()
      try store.blocking.insert([Wagon(id: 1), Wagon(id: 2, next: ToOne(1))])
      try store.blocking.insert([WagonLoad(id: 1, wagon: ToOne(1)), WagonLoad(id: 2, former: ToOne(1))])
      try store.blocking.insert(WagonRoute(id: 1))
      try store.blocking.link(WagonRoute(id: 1), \.wagons, Wagon(id: 1))
      let before = try rows(store.blocking)
      let context = Context(store)
      let child = context.child()
      let db = isChild ? child : context
      try db.updateAll(Wagon.where { $0.id == 1 }) { $0.id.set(11) }
      if isChild { try child.save() }
      for _ in 0..<2 {
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .referenced)
        #expect(try rows(store.blocking) == before && context.hasChanges)
      }
      try db.updateAll(WagonLoad.where { $0.wagon == 1 }) { $0.wagon.set(ToOne(11)) }
      try db.updateAll(WagonLoad.where { $0.former == 1 }) { $0.former.set(ToOne(11)) }
      try db.updateAll(Wagon.where { $0.next == 1 }) { $0.next.set(nil) }
      try db.unlink(WagonRoute(id: 1), \.wagons, Wagon(id: 1))
      try db.link(WagonRoute(id: 1), \.wagons, Wagon(id: 11))
      if isChild { try child.save() }
      try context.save()
      #expect(
        try rows(store.blocking) == [
          "wagon 2 before 0", "wagon 11 before 0", "load 1 of 11, before of 0", "load 2 of 0, before of 11",
          "route 1 of [11]",
        ])
    }
  }

  // MARK: Random changes

  private enum Change: CaseIterable { case move, insert, delete, setWagon, setFormer, setNext, link, unlink }

  private func make(_ change: Change, _ first: Int, _ second: Int, _ db: some StoreWriter) throws {
    switch change {
    case .move: try db.updateAll(Wagon.where { $0.id == first }) { $0.id.set(second) }
    case .insert: try db.insert(Wagon(id: first, name: "new"))
    case .delete: try db.delete(Wagon.self, first)
    case .setWagon: try db.updateAll(WagonLoad.where { $0.wagon == ToOne(first) }) { $0.wagon.set(ToOne(second)) }
    case .setFormer: try db.updateAll(WagonLoad.where { $0.id == first }) { $0.former.set(ToOne(second)) }
    case .setNext: try db.updateAll(Wagon.where { $0.id == first }) { $0.next.set(ToOne(second)) }
    case .link: try db.link(WagonRoute(id: 1), \.wagons, Wagon(id: first))
    case .unlink: try db.unlink(WagonRoute(id: 1), \.wagons, Wagon(id: first))
    }
  }

  @Test(
    "the same changes lead to the same rows, or to the same refusal, in a transaction, a context and its child",
    arguments: 0..<2)
  func random(_ number: Int) throws {
    let seed = TestSeed.value &+ UInt64(number)
    var generator = SplitMix64(seed: seed &* 193)
    for round in 0..<25 {
      let loads = (1...4).map { id in
        let (wagon, former) = (generator.pickOrNil([1, 2, 3]), generator.pickOrNil([1, 2, 3]))
        return WagonLoad(id: id, wagon: wagon.map { ToOne($0) }, former: former.map { ToOne($0) })
      }
      let changes = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
        let (first, second) = (Int.random(in: 1...5, using: &generator), Int.random(in: 1...5, using: &generator))
        return (generator.pick(Change.allCases + [.move, .move, .setWagon]), first, second)
      }
      let outcomes = try (0..<3).map { place in
        let store = try Self.open()
        try store.blocking.insert((1...3).map { Wagon(id: $0, next: $0 > 1 ? ToOne($0 - 1) : nil) })
        try store.blocking.insert(loads)
        try store.blocking.insert(WagonRoute(id: 1))
        try store.blocking.link(WagonRoute(id: 1), \.wagons, Wagon(id: 1))
        func makeAll(_ db: some StoreWriter) throws {
          for (change, first, second) in changes { try make(change, first, second, db) }
        }
        var refusal = ""
        do {
          if place == 0 {
            try store.blocking.write { try makeAll($0) }
          } else {
            let context = Context(store)
            let child = context.child()
            try makeAll(place == 1 ? context : child)
            try child.save()
            try context.save()
          }
        } catch let error as StoreError {
          refusal = "\(error.code)"
        }
        return try [refusal] + rows(store.blocking)
      }
      for outcome in outcomes.dropFirst() {
        #expect(outcome == outcomes[0], "seed \(seed), round \(round): \(changes), \(loads)")
      }
    }
    TestSeed.tried(50, .operations, "changes of keys")
  }
}
