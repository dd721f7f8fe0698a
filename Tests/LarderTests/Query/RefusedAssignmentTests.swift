import Foundation
import Larder
import LarderTestSupport
import Testing

@Model
private struct Dial: Hashable {
  var id: String
  var level: Int8 = 0
  var count: Int = 0
  @Relationship(inverse: \DialReading.gauge) var readings: ToMany<DialReading> = []
  @Derived(.sum(\Dial.readings, \DialReading.amount)) var sum: Int8 = 0
}

@Model
private struct DialReading: Hashable {
  var id: Int
  var gauge: ToOne<Dial>?
  var amount: Int8 = 0
}

@Suite("Assignments that a property cannot hold name the row")
struct RefusedAssignmentTests {
  private let store: Store
  private let context: Context

  init() throws {
    store = try Store(inMemoryFor: Dial.self, DialReading.self)
    try store.blocking.insert([
      Dial(id: "a", level: 1, count: 3), Dial(id: "b", level: 2, count: 2), Dial(id: "c", level: 100, count: .max),
      Dial(id: "d", level: 3, count: 1),
    ])
    context = Context(store)
  }

  private func expectRefusal(
    of property: String, key: Value?, _ body: (any StoreWriter) throws -> Void
  ) throws {
    for db in [store.blocking, context, context.child()] as [any StoreWriter] {
      let error = #expect(throws: StoreError.self) { try body(db) }
      #expect(error?.code == .invalidValue && error?.model == "Dial" && error?.property == property, "\(error as Any)")
      #expect(error?.key == [key].compactMap { $0 }, "\(type(of: db))")
      #expect(error?.message.contains("\"c\"") == false)
    }
  }

  @Test("in a narrow integer, wherever the row is in the query")
  func narrow() throws {
    try expectRefusal(of: "level", key: "c") { _ = try $0.updateAll(Dial.all) { $0.level.increment(by: 100) } }
    try expectRefusal(of: "level", key: "c") {
      _ = try $0.updateAll(Dial.where { $0.level > 1 }) { $0.level.multiply(by: 2) }
    }
    try expectRefusal(of: "level", key: "c") {
      _ = try $0.updateAll(Dial.all.sorted(by: \.count, order: .reverse).limit(3)) {
        $0.count.set(0)
        $0.level.increment(by: 100)
      }
    }
  }

  @Test("in a sum of 64 bits, and where the new value reads other rows")
  func wide() throws {
    try expectRefusal(of: "count", key: "c") { _ = try $0.updateAll(Dial.all) { $0.count.increment(by: 1) } }
    try store.blocking.insert((1...2).map { DialReading(id: $0, gauge: ToOne("c"), amount: 1) })
    try expectRefusal(of: "count", key: "c") {
      _ = try $0.updateAll(Dial.all) { $0.count.set { $0.count + $0.readings.count } }
    }
  }

  @Test("in a sum that rows are derived from")
  func derived() throws {
    try store.blocking.insert(DialReading(id: 1, gauge: ToOne("c"), amount: 100))
    try expectRefusal(of: "sum", key: "c") { try $0.insert(DialReading(id: 2, gauge: ToOne("c"), amount: 100)) }
    try expectRefusal(of: "sum", key: "c") { try $0.save(DialReading(id: 2, gauge: ToOne("c"), amount: 50)) }
  }

  @Test("in a sum that an update of many rows would make too great")
  func derivedByMany() throws {
    try store.blocking.insert([
      DialReading(id: 1, gauge: ToOne("a"), amount: 100), DialReading(id: 2, gauge: ToOne("c"), amount: 60),
      DialReading(id: 3, gauge: ToOne("c"), amount: 60), DialReading(id: 4, amount: 100),
    ])
    try expectRefusal(of: "sum", key: "c") { _ = try $0.updateAll(DialReading.all) { $0.amount.increment(by: 5) } }
    try expectRefusal(of: "sum", key: "c") {
      _ = try $0.updateAll(DialReading.where { $0.id == 4 }) { $0.gauge.set(ToOne("c")) }
    }
    try expectRefusal(of: "sum", key: "c") {
      _ = try $0.updateAll(DialReading.where { $0.gauge == nil }) {
        $0.gauge.set(ToOne("c"))
        $0.amount.set { $0.amount / 2 }
      }
    }
  }

  @Test("in a sum that is too great at the end of a context's save, with what others have written, and not on the way")
  func derivedBySaving() throws {
    let db = store.blocking
    try db.insert([
      DialReading(id: 1, gauge: ToOne("a"), amount: 100), DialReading(id: 2, gauge: ToOne("c"), amount: 60),
      DialReading(id: 3, gauge: ToOne("c"), amount: 60),
    ])
    // Updates are written before deletions.
    context.delete(DialReading(id: 3))
    context.update(DialReading(id: 2, gauge: ToOne("c"), amount: 100))
    #expect(context.refusals.isEmpty)
    try context.save()
    #expect(try db.find(Dial.self, "c")?.sum == 100 && db.count(DialReading.all) == 2)
    let child = context.child()
    child.insert(DialReading(id: 4, gauge: ToOne("b"), amount: 100))
    try child.save()
    try db.insert(DialReading(id: 5, gauge: ToOne("b"), amount: 100))
    try expectRefusedSave(key: "b")
    // What found the row leaves nothing behind.
    try db.delete(DialReading.self, 5)
    try context.save()
    #expect(try db.find(Dial.self, "b")?.sum == 100 && db.verifyDerived() == [])
  }

  private func expectRefusedSave(key: Value) throws {
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(error?.code == .invalidValue && error?.model == "Dial" && error?.property == "sum", "\(error as Any)")
    #expect(error?.key == [key] && context.hasChanges)
  }

  @Test("in a sum that rows which are deleted would make too great")
  func derivedByDeletions() throws {
    try store.blocking.insert([
      DialReading(id: 1, gauge: ToOne("a"), amount: 100), DialReading(id: 2, gauge: ToOne("c"), amount: 60),
      DialReading(id: 4, gauge: ToOne("c"), amount: -20), DialReading(id: 3, gauge: ToOne("c"), amount: 70),
      DialReading(id: 5, gauge: ToOne("a"), amount: -100), DialReading(id: 6, gauge: ToOne("d"), amount: 90),
    ])
    let negative = DialReading.where { $0.amount < 0 }
    try expectRefusal(of: "sum", key: "c") { try $0.delete(DialReading.self, 4) }
    try expectRefusal(of: "sum", key: "c") { try $0.delete([DialReading(id: 5), DialReading(id: 4)]) }
    try expectRefusal(of: "sum", key: "c") { _ = try $0.deleteAll(negative) }
    try expectRefusal(of: "sum", key: "c") { _ = try $0.deleteAll(negative.sorted(by: \.id, order: .reverse).limit(2)) }
    let asynchronous = #expect(throws: StoreError.self) {
      try store.blocking.write { db in
        try db.insert(Dial(id: "e"))
        try db.deleteAll(negative)
      }
    }
    #expect(asynchronous?.property == "sum" && asynchronous?.key == ["c"])
    #expect(try store.blocking.count(DialReading.all) == 6 && store.blocking.count(Dial.all) == 4)
    #expect(try store.blocking.verifyDerived() == [])
    #expect(try store.blocking.find(Dial.self, "c")?.sum == 110)
  }

  @Test("in a sum that a deletion's own rules would make too great, and a statement that comes after it names its own")
  func derivedByRules() throws {
    let db = try Store(inMemoryFor: Basket.self, Ware.self, WareBox.self).blocking
    try db.insert([WareBox(id: 1), WareBox(id: 2)])
    try db.insert([Basket(id: 1), Basket(id: 2)])
    try db.insert([
      Ware(id: 1, amount: 120), Ware(id: 2, amount: -20, box: ToOne(1)), Ware(id: 3, amount: 20, box: ToOne(2)),
    ])
    for id in [1, 2, 3] { try db.link(Basket(id: 2), \.wares, Ware(id: id)) }
    let rule = #expect(throws: StoreError.self) { try db.delete(WareBox.self, 1) }
    #expect(rule?.model == "Basket" && rule?.property == "amount" && rule?.key == [2], "\(rule as Any)")
    try db.delete(WareBox.self, 2)
    let moved = #expect(throws: StoreError.self) { try db.save(Ware(id: 2, amount: 20)) }
    #expect(moved?.property == "amount" && moved?.key == [2], "\(moved as Any)")
    #expect(try db.find(Basket.self, 2)?.amount == 100)
  }

  @Test("in a row that moves: of two sums, the one that would be too great")
  func moved() throws {
    try store.blocking.insert([
      DialReading(id: 1, gauge: ToOne("a"), amount: -50), DialReading(id: 2, gauge: ToOne("a"), amount: 120),
      DialReading(id: 5, gauge: ToOne("a"), amount: 50),
      DialReading(id: 3, gauge: ToOne("c"), amount: 100), DialReading(id: 4, gauge: ToOne("b"), amount: 50),
    ])
    try expectRefusal(of: "sum", key: "a") { try $0.save(DialReading(id: 1, gauge: ToOne("b"), amount: 1)) }
    try expectRefusal(of: "sum", key: "c") { try $0.update(DialReading(id: 4, gauge: ToOne("c"), amount: 50)) }
  }

  @Test("the row is found without memory for the rows of the statement")
  func memory() throws {
    let db = try Store(inMemoryFor: Dial.self, DialReading.self).blocking
    try db.insert([Dial(id: "a"), Dial(id: "b")])
    try db.insert((1...20_000).map { DialReading(id: $0, gauge: ToOne("a"), amount: $0.isMultiple(of: 2) ? 1 : -1) })
    try db.insert([
      DialReading(id: 20_001, gauge: ToOne("b"), amount: -1), DialReading(id: 0, gauge: ToOne("b"), amount: 127),
      DialReading(id: -1, gauge: ToOne("b"), amount: 1),
    ])
    let error = #expect(throws: StoreError.self) { try db.deleteAll(DialReading.where { $0.id > 0 }) }
    #expect(error?.key == ["b"])
  }

  @Test("in a sum over pairs, and in one of real numbers")
  func otherSums() throws {
    let db = try Store(inMemoryFor: Basket.self, Ware.self, WareBox.self).blocking
    try db.insert([Basket(id: 1), Basket(id: 2)])
    try db.insert([Ware(id: 1, amount: 100, weight: .infinity), Ware(id: 2, amount: 20), Ware(id: 3, basket: ToOne(2))])
    for id in [1, 2] { try db.link(Basket(id: 2), \.wares, Ware(id: id)) }
    try db.link(Basket(id: 1), \.wares, Ware(id: 1))
    let sum = #expect(throws: StoreError.self) { try db.updateAll(Ware.all) { $0.amount.increment(by: 10) } }
    #expect(sum?.property == "amount" && sum?.key == [2], "\(sum as Any)")
    try db.updateAll(Ware.where { $0.id == 1 }) { $0.basket.set(ToOne(2)) }
    let real = #expect(throws: StoreError.self) {
      try db.updateAll(Ware.where { $0.id == 3 }) { $0.weight.set(-.infinity) }
    }
    #expect(real?.property == "weight" && real?.key == [2], "\(real as Any)")
  }

  @Test("in random deletions: the row that is named is one whose sum would be too great")
  func randomDeletions() throws {
    var generator = SplitMix64(seed: TestSeed.value &* 151)
    for number in 0..<40 {
      let store = try Store(inMemoryFor: Dial.self, DialReading.self)
      let db = store.blocking
      let names = ["a", "b", "c"]
      try db.insert(names.map { Dial(id: $0) })
      var sums: [String: Int] = [:]
      let readings = (1...12).compactMap { id -> DialReading? in
        let (name, amount) = (generator.pick(names), Int8.random(in: -60...60, using: &generator))
        guard (-128...127).contains(sums[name, default: 0] + Int(amount)) else { return nil }
        sums[name, default: 0] += Int(amount)
        return DialReading(id: id, gauge: ToOne(name), amount: amount)
      }
      try db.insert(readings)
      let least = Int.random(in: 1...10, using: &generator)
      let gone = readings.filter { $0.id >= least }
      // The triggers of the file look at a sum after each row, and a context when all rows are deleted.
      var first: String?
      for reading in gone {
        let name = reading.gauge?.id ?? ""
        sums[name, default: 0] -= Int(reading.amount)
        if first == nil, !(-128...127).contains(sums[name, default: 0]) { first = name }
      }
      let tooGreat = Set(sums.filter { !(-128...127).contains($0.value) }.keys)
      let place = "seed \(TestSeed.value), number \(number): \(readings), \(least)"
      func refusal(_ db: some StoreWriter) throws -> String? {
        do {
          #expect(try db.deleteAll(DialReading.where { $0.id >= least }) == gone.count, "\(place)")
          return nil
        } catch let error as StoreError {
          #expect(error.property == "sum" && error.model == "Dial", "\(place): \(error)")
          #expect(try db.count(DialReading.all) == readings.count, "\(place)")
          return error.key.first?.text
        }
      }
      let inContext = try refusal(Context(store))
      #expect(inContext.map { tooGreat.contains($0) } ?? tooGreat.isEmpty, "\(place): \(inContext as Any)")
      #expect(try refusal(db) == first, "\(place)")
    }
    TestSeed.tried(40, .operations, "deletions of summed rows")
  }

  @Test("in random sums: the row that is named is one whose sum would be too great")
  func randomSums() throws {
    var generator = SplitMix64(seed: TestSeed.value &* 149)
    for number in 0..<30 {
      let db = try Store(inMemoryFor: Dial.self, DialReading.self).blocking
      let names = ["a", "b", "c"]
      try db.insert(names.map { Dial(id: $0) })
      var sums: [String: Int] = [:]
      let readings = (1...6).compactMap { id -> DialReading? in
        let (name, amount) = (generator.pick(names), Int8.random(in: 0...50, using: &generator))
        guard sums[name, default: 0] + Int(amount) <= 127 else { return nil }
        sums[name, default: 0] += Int(amount)
        return DialReading(id: id, gauge: ToOne(name), amount: amount)
      }
      try db.insert(readings)
      let (growth, least) = (Int8.random(in: 0...40, using: &generator), Int.random(in: 1...4, using: &generator))
      let target = generator.pickOrNil(names)
      var after: [String: Int] = [:]
      for reading in readings {
        let isChanged = reading.id >= least
        let name = isChanged ? target ?? reading.gauge?.id : reading.gauge?.id
        after[name ?? "", default: 0] += Int(reading.amount) + (isChanged ? Int(growth) : 0)
      }
      let tooGreat = after.filter { $0.value > 127 }.keys
      let place = "seed \(TestSeed.value), number \(number): \(readings), \(least), \(growth), \(target as Any)"
      func update() throws {
        _ = try db.updateAll(DialReading.where { $0.id >= least }) {
          if growth > 0 { $0.amount.increment(by: growth) }
          if let target { $0.gauge.set(ToOne(target)) }
        }
      }
      if tooGreat.isEmpty {
        try update()
      } else {
        let error = #expect(throws: StoreError.self, "\(place)") { try update() }
        #expect(error?.property == "sum" && error?.model == "Dial", "\(place): \(error as Any)")
        #expect(error?.key.first?.text.map { tooGreat.contains($0) } == true, "\(place): \(error?.key ?? [])")
      }
    }
    TestSeed.tried(30, .operations, "updates of sums")
  }
}

@Model
private struct Basket: Hashable {
  var id: Int
  @Relationship(inverse: \Ware.basket) var own: ToMany<Ware> = []
  @Relationship(inverse: \Ware.baskets) var wares: ToMany<Ware> = []
  @Derived(.sum(\Basket.wares, \Ware.amount)) var amount: Int8 = 0
  @Derived(.sum(\Basket.own, \Ware.weight)) var weight: Double = 0
}

@Model
private struct Ware: Hashable {
  var id: Int
  var amount: Int8 = 0
  var weight: Double = 0
  var basket: ToOne<Basket>?
  var baskets: ToMany<Basket> = []
  @Relationship(deleteRule: .cascade) var box: ToOne<WareBox>?
}

@Model
private struct WareBox: Hashable {
  var id: Int
}
