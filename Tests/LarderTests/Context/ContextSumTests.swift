import Larder
import LarderTestSupport
import Testing

@Model
private struct Crate: Hashable {
  var id: Int
  @Relationship(inverse: \Load.crate) var loads: ToMany<Load> = []
  @Relationship(inverse: \Sticker.crates) var stickers: ToMany<Sticker> = []
  @Derived(.sum(\Crate.loads, \Load.small)) var small: Int8 = 0
  @Derived(.sum(\Crate.loads, \Load.big)) var big: Int = 0
  @Derived(.sum(\Crate.loads, \Load.real)) var real: Double = 0
  @Derived(.sum(\Crate.stickers, \Sticker.worth)) var worth: UInt8 = 0
}

@Model
private struct Load: Hashable {
  var id: Int
  var crate: ToOne<Crate>?
  var small: Int8 = 0
  var big: Int = 0
  var real: Double = 0
}

@Model
private struct Sticker: Hashable {
  var id: Int
  var worth: UInt8 = 0
  var crates: ToMany<Crate> = []
}

/// A sum that its property cannot hold is refused by the verb that makes it, as in a store: a row that cannot be read
/// would be left otherwise.
@Suite struct ContextSumTests {
  private let store: Store
  private let context: Context

  init() throws {
    store = try Store(inMemoryFor: Crate.self, Load.self, Sticker.self)
    try store.blocking.insert([Crate(id: 1), Crate(id: 2)])
    try store.blocking.insert(Load(id: 1, crate: ToOne(1), small: 100, big: .max - 10, real: .infinity))
    try store.blocking.insert([Sticker(id: 1, worth: 200), Sticker(id: 2, worth: 100)])
    context = Context(store)
  }

  private func expectRefusal(of property: String, _ body: (any StoreWriter) throws -> Void) throws {
    for db in [context, context.child()] {
      let error = #expect(throws: StoreError.self) { try body(db) }
      #expect(error?.code == .invalidValue && error?.model == "Crate" && error?.property == property, "\(error as Any)")
      #expect(error?.key.count == 1)
      #expect(!db.hasChanges && !db.canUndo)
      #expect(try db.fetch(Crate.all).count == 2)
    }
  }

  @Test("by an insert, a save, an update of many, and a row that changes its owner") func references() throws {
    try expectRefusal(of: "small") { try $0.save(Load(id: 2, crate: ToOne(1), small: 100)) }
    try expectRefusal(of: "big") { try $0.save(Load(id: 2, crate: ToOne(1), big: 11)) }
    try expectRefusal(of: "real") { try $0.save(Load(id: 2, crate: ToOne(1), real: -.infinity)) }
    try store.blocking.insert(Load(id: 2, crate: ToOne(2), small: 50))
    try expectRefusal(of: "small") { try $0.updateAll(Load.all) { $0.crate.set(ToOne(1)) } }
    try expectRefusal(of: "small") { db in
      try context.step {
        // In a child, a step of its parent that takes the child's changes back with its own.
        try db.save(Load(id: 3, crate: ToOne(2), small: 1))
        try db.updateAll(Load.where { $0.id != 1 }) { $0.crate.set(ToOne(1)) }
      }
    }
  }

  @Test("by a link, and by a row that is linked") func pairs() throws {
    let crate = try #require(try context.find(Crate.self, 1))
    try store.blocking.link(crate, \.stickers, Sticker(id: 1, worth: 200))
    try expectRefusal(of: "worth") { try $0.link(crate, \.stickers, Sticker(id: 2, worth: 100)) }
    try store.blocking.update(Sticker(id: 2, worth: 50))
    try store.blocking.link(crate, \.stickers, Sticker(id: 2))
    try expectRefusal(of: "worth") { try $0.update(Sticker(id: 2, worth: 60)) }
  }

  @Test("by rows that were there before their owner") func before() throws {
    try context.save(Load(id: 2, crate: ToOne(3), small: 100))
    try context.save(Load(id: 3, crate: ToOne(3), small: 100))
    let error = #expect(throws: StoreError.self) { try context.save(Crate(id: 3)) }
    #expect(error?.property == "small")
    context.delete(Load.self, 3)
    try context.save(Crate(id: 3))
    #expect(try context.find(Crate.self, 3)?.small == 100)
    try context.save()
    #expect(try store.blocking.verifyDerived() == [])
  }

  @Test("what fits at the end is no error, and is saved") func exchange() throws {
    try context.save(Load(id: 2, crate: ToOne(2), small: 100))
    try context.updateAll(Load.all) { $0.small.set { 0 - $0.small } }
    try context.save()
    #expect(try store.blocking.fetch(Crate.all.sorted(by: \.id)).map(\.small) == [-100, -100])
  }

  @Test("by a row that takes another key and another owner") func move() throws {
    try store.blocking.insert([Load(id: 2, crate: ToOne(1), small: -100), Load(id: 3, crate: ToOne(1), small: 100)])
    try expectRefusal(of: "small") { _ = try $0.sql("update Load set id = 20, crate = 2 where id = 2") }
  }

  @Test("by a child that is saved, together with what its parent holds by then") func child() throws {
    let child = context.child()
    child.insert(Load(id: 2, crate: ToOne(1), small: 20))
    context.insert(Load(id: 3, crate: ToOne(1), small: 20))
    #expect(context.refusals.isEmpty && child.refusals.isEmpty)
    let error = #expect(throws: StoreError.self) { try child.save() }
    #expect(error?.code == .invalidValue && error?.property == "small")
    #expect(child.hasChanges)
    #expect(try context.find(Crate.self, 1)?.small == 120)
    context.delete(Load.self, 3)
    try child.save()
    #expect(try context.find(Crate.self, 1)?.small == 120)
    try context.save()
    #expect(try store.blocking.verifyDerived() == [])
  }

  @Test("random changes are refused just where a sum does not fit, whoever changed what before", arguments: 0..<8)
  func random(_ number: Int) throws {
    let seed = TestSeed.value &+ UInt64(number)
    var generator = SplitMix64(seed: seed)
    let child = context.child()
    try store.blocking.delete(Load.self, 1)
    // The rows as the child shows them, and the keys that no context has had.
    var loads: [Int: (crate: Int, small: Int8)] = [:]
    var free = Set(1...20)
    var tried = 0
    defer { TestSeed.tried(tried, .operations, "changes of sums in contexts") }
    func fits(_ loads: [Int: (crate: Int, small: Int8)]) -> Bool {
      [1, 2].allSatisfy { crate in
        (-128...127).contains(loads.values.reduce(0) { $1.crate == crate ? $0 + Int($1.small) : $0 })
      }
    }
    for round in 0..<120 {
      let (id, crate) = (Int.random(in: 1...20, using: &generator), Int.random(in: 1...2, using: &generator))
      let small = Int8.random(in: generator.once(in: 3) ? -60...60 : -3...3, using: &generator)
      var next = loads
      let place = Int.random(in: 0..<8, using: &generator)
      next[id] = place == 0 ? nil : (crate, small)
      // What the store gets is seen by all, as no context has the row.
      if place == 1, free.contains(id) {
        guard fits(next) else { continue }
        guard (try? store.blocking.save(Load(id: id, crate: ToOne(crate), small: small))) != nil else { continue }
      } else {
        let wasFree = free.remove(id) != nil && loads[id] == nil
        let db = place == 2 && wasFree ? context : child
        // As a writer, a context throws what it refuses.
        let writer: any StoreWriter = db
        let result = Result {
          if place == 0 {
            _ = try writer.delete(Load.self, id)
          } else {
            try writer.save(Load(id: id, crate: ToOne(crate), small: small))
          }
        }
        if db === context, !fits(next) {
          // The parent may not have what makes the sum too great for the child.
          guard case .success = result else { continue }
          #expect(context.undo())
          continue
        }
        guard fits(next) else {
          #expect(throws: StoreError.self, "seed \(seed), round \(round)") { try result.get() }
          tried += 1
          continue
        }
        if db === context, case .failure = result { continue }
        if case .failure(let error) = result { Issue.record("seed \(seed), round \(round): \(error)") }
      }
      loads = next
      let sums = [1, 2].map { crate in loads.values.reduce(0) { $1.crate == crate ? $0 + Int($1.small) : $0 } }
      try #require(
        try child.fetch(Crate.all.sorted(by: \.id)).map { Int($0.small) } == sums, "seed \(seed), round \(round)")
      tried += 1
    }
  }

  @Test("a sum that only fits at the end of a save is saved, whatever the order in which its rows are written")
  func onTheWay() throws {
    try store.blocking.insert([Load(id: 3, crate: ToOne(1), small: 10), Load(id: 4, crate: ToOne(2), real: 1)])
    func change(_ db: any StoreWriter) throws {
      _ = try db.delete(Load.self, 1)
      try db.save(Load(id: 3, crate: ToOne(1), small: 60, real: -.infinity))
    }
    try change(context)
    try context.save()
    #expect(try store.blocking.find(Crate.self, 1)?.small == 60)
    #expect(try store.blocking.find(Crate.self, 1)?.real == -.infinity)
    #expect(try store.blocking.find(Crate.self, 2)?.real == 1)
    // The triggers are there again.
    try store.blocking.insert(Load(id: 5, crate: ToOne(1), small: 7))
    #expect(try store.blocking.find(Crate.self, 1)?.small == 67)
    #expect(try store.blocking.verifyDerived() == [])
    #expect(throws: StoreError.self) { try store.blocking.insert(Load(id: 6, crate: ToOne(1), small: 100)) }
  }

  @Test("a sum that fits with the rows of a context, and not with those of others, is refused; nothing is lost")
  func others() throws {
    try context.save(Load(id: 3, crate: ToOne(2), small: 60))
    try store.blocking.insert(Load(id: 4, crate: ToOne(2), small: 100))
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(error?.code == .invalidValue && error?.model == "Crate" && error?.property == "small")
    #expect(context.hasChanges)
    #expect(try store.blocking.find(Crate.self, 2)?.small == 100)
    try store.blocking.insert(Load(id: 5, crate: ToOne(2), small: 7))
    #expect(try store.blocking.find(Crate.self, 2)?.small == 107)
  }

  @Test("a transaction of the store writes in the order of its calls, and refuses a sum on the way")
  func transaction() throws {
    func change(_ db: any StoreWriter) throws {
      _ = try db.delete(Load.self, 1)
      try db.save(Load(id: 3, crate: ToOne(1), small: 60))
    }
    let other = try Store(inMemoryFor: Crate.self, Load.self, Sticker.self)
    try other.blocking.insert([Crate(id: 1)])
    try other.blocking.insert([Load(id: 1, crate: ToOne(1), small: 100), Load(id: 3, crate: ToOne(1), small: 10)])
    #expect(throws: StoreError.self) {
      try other.blocking.write { db in
        try db.save(Load(id: 3, crate: ToOne(1), small: 60))
        try db.delete(Load.self, 1)
      }
    }
    try other.blocking.write { try change($0) }
    #expect(try other.blocking.find(Crate.self, 1)?.small == 60)
  }
}
