import Foundation
import Larder
import LarderTestSupport
import Testing

@Model
struct Purse: Hashable {
  var id: Int
  @Relationship(deleteRule: .cascade, inverse: \Coin.purse) var coins: ToMany<Coin> = []
  @Derived(.sum(\Purse.coins, \Coin.worth)) var worth: Decimal = 0
  @Derived(.sum(\Purse.coins, \Coin.bonus)) var bonus: Decimal = 0
  @Derived(.sum(\Purse.coins, \Coin.count)) var count: Int8 = 0
  @Derived(.sum(\Purse.coins, \Coin.large)) var large: Int = 0
  @Derived(.sum(\Purse.coins, \Coin.weight)) var weight: Double = 0
}

@Model
struct Coin: Hashable {
  var id: Int
  var worth: Decimal = 0
  var bonus: Decimal?
  var count: Int8 = 0
  var large: Int = 0
  var weight: Double = 0
  var purse: ToOne<Purse>
}

/// Derived sums at the edges of their types.
@Suite struct DerivedExactnessTests {
  private let store: Store
  private var db: BlockingStore { store.blocking }
  private var purse: Purse? { get throws { try db.find(Purse.self, 1) } }

  init() throws {
    store = try Store(inMemoryFor: Purse.self, Coin.self)
    try store.blocking.insert(Purse(id: 1))
  }

  @Test("C6: a sum of decimals is zero again when all of them are gone, whatever their sizes were")
  func decimals() throws {
    try db.insert([Coin(id: 1, worth: 1000, purse: ToOne(1)), Coin(id: 2, worth: Decimal(1) / 3, purse: ToOne(1))])
    try db.delete(Coin.self, 1)
    #expect(try purse?.worth == Decimal(1) / 3)
    try db.delete(Coin.self, 2)
    #expect(try purse?.worth == 0)
    #expect(try db.verifyDerived() == [])
  }

  @Test("C6: a value that takes the place of one with all digits that a decimal has is counted once")
  func replaced() throws {
    try db.insert(Coin(id: 1, worth: Decimal(1) / 3, purse: ToOne(1)))
    try db.update(Coin(id: 1, worth: -2, purse: ToOne(1)))
    #expect(try purse?.worth == -2)
    try db.insert(Purse(id: 2))
    try db.updateAll(Coin.all) { $0.worth.set(Decimal(2) / 3) }
    try db.updateAll(Coin.all) {
      $0.purse.set(ToOne(2))
      $0.worth.set(5)
    }
    #expect(try db.fetch(Purse.all.sorted(by: \.id)).map(\.worth) == [0, 5])
    for bonus in [Decimal(1) / 3, nil, 2, Decimal(1) / 3, -2] as [Decimal?] {
      try db.update(Coin(id: 1, bonus: bonus, purse: ToOne(1)))
      #expect(try purse?.bonus == bonus ?? 0)
    }
  }

  @Test("C6: a row that belongs to itself is counted once, however it comes")
  func ownRows() throws {
    let errands = try Store(inMemoryFor: Errand.self).blocking
    try errands.insert(Errand(id: 1, depth: 5, parent: ToOne(1)))
    try errands.save(Errand(id: 2, depth: 3, parent: ToOne(2)))
    try errands.save(Errand(id: 2, depth: 4, parent: ToOne(2)))
    #expect(try errands.fetch(Errand.all.sorted(by: \.id)).map(\.below) == [5, 4])
    #expect(try errands.verifyDerived() == [])
  }

  @Test("C6: a file with triggers of an earlier version gets new ones, and its sums are computed anew")
  func earlierTriggers() throws {
    let file = try StoreFile()
    let store = try Store(at: file.path, for: Purse.self, Coin.self).blocking
    try store.insert(Purse(id: 1))
    let triggers = try store.sql(
      "select name from sqlite_master where type = 'trigger' and sql like '%sum_add%'", as: String.self)
    #expect(!triggers.isEmpty)
    for trigger in triggers { try store.sql(SQL(raw: "drop trigger \(trigger)")) }
    try store.insert(Coin(id: 1, worth: 7, purse: ToOne(1)))
    try store.sql("update _larder_models set schema = json_remove(schema, '$.derivation')")
    #expect(try store.find(Purse.self, 1)?.worth == 0)
    let again = try Store(at: file.path, for: Purse.self, Coin.self).blocking
    #expect(try again.find(Purse.self, 1)?.worth == 7)
    try again.insert(Coin(id: 2, worth: 1, purse: ToOne(1)))
    #expect(try again.find(Purse.self, 1)?.worth == 8)
  }

  @Test("C6: sums of decimals of all sizes are exact after any sequence of changes")
  func sequences() throws {
    var generator = SplitMix64(seed: TestSeed.value)
    for number in 0..<300 {
      let id = Int.random(in: 1...8, using: &generator)
      if generator.once(in: 3) {
        try db.delete(Coin.self, id)
      } else {
        let number = Decimal(Int.random(in: -9_999_999_999...9_999_999_999, using: &generator))
        let exponent = generator.once(in: 2) ? 0 : Int.random(in: -60...60, using: &generator)
        let worth =
          (generator.once(in: 2) ? number : number / 7) * Decimal(sign: .plus, exponent: exponent, significand: 1)
        try db.save(
          Coin(id: id, worth: worth, bonus: generator.pickOrNil([worth, 1, Decimal(1) / 3]), purse: ToOne(1)))
      }
      try #require(try db.verifyDerived() == [], "seed \(TestSeed.value), change \(number)")
    }
    TestSeed.tried(300, .operations, "changes of sums")
    try db.deleteAll(Coin.where { $0.id > 1 })
    let last = try db.find(Coin.self, 1)
    #expect(try purse?.worth == last?.worth ?? 0)
    try db.deleteAll(Coin.all)
    #expect(try purse?.worth == 0)
    #expect(try db.sum(Coin.all, of: \.worth) == 0)
  }

  @Test("C6: sums of decimals are those of integers times powers of ten, in the store, a context and its child")
  func integers() throws {
    let seed = TestSeed.value
    var generator = SplitMix64(seed: seed &* 181)
    for round in 0..<20 {
      try db.deleteAll(Coin.all)
      let context = Context(store)
      let writer: any StoreWriter = [store.blocking, context, context.child()][round % 3]
      // In units of 10⁻¹².
      var worths: [Int: Int128] = [:]
      for step in 0..<15 {
        let id = Int.random(in: 1...6, using: &generator)
        if generator.once(in: 4) {
          try writer.delete(Coin.self, id)
          worths[id] = nil
        } else {
          let number = Int.random(in: -9_999_999_999...9_999_999_999, using: &generator)
          let exponent = Int.random(in: -12...12, using: &generator)
          let worth = try #require(Decimal(string: "\(number)e\(exponent)"))
          try writer.save(Coin(id: id, worth: worth, purse: ToOne(1)))
          worths[id] = (0..<exponent + 12).reduce(Int128(number)) { power, _ in power * 10 }
        }
        let sum = try #require(Decimal(string: "\(worths.values.reduce(0, +))e-12"))
        let place: Comment = "seed \(seed), round \(round), step \(step): \(worths)"
        #expect(try writer.find(Purse.self, 1)?.worth == sum, place)
        #expect(try writer.sum(Coin.all, of: \.worth) == sum, place)
      }
    }
    TestSeed.tried(600, .operations, "sums of decimals")
  }

  @Test("C6: a sum of decimals that no decimal holds is refused")
  func decimalOverflow() throws {
    let large = Decimal.greatestFiniteMagnitude
    try db.insert(Coin(id: 1, worth: large, purse: ToOne(1)))
    let error = #expect(throws: StoreError.self) { try db.insert(Coin(id: 2, worth: large, purse: ToOne(1))) }
    #expect(error?.code == .invalidValue)
    try db.insert(Coin(id: 2, worth: -large, purse: ToOne(1)))
    #expect(try purse?.worth == 0)
  }

  @Test("C6: a sum that its property does not hold is refused, with model and property, and rows stay as they are")
  func ranges() throws {
    try db.insert(Coin(id: 1, count: 100, large: .max, weight: .infinity, purse: ToOne(1)))
    let changes: [(String, Coin)] = [
      ("count", Coin(id: 2, count: 100, purse: ToOne(1))), ("large", Coin(id: 2, large: 1, purse: ToOne(1))),
      ("weight", Coin(id: 2, weight: -.infinity, purse: ToOne(1))),
    ]
    for (property, coin) in changes {
      let error = #expect(throws: StoreError.self) { try db.insert(coin) }
      #expect(error?.code == .invalidValue)
      #expect(error?.model == "Purse")
      #expect(error?.property == property)
      #expect(error?.message.contains("Purse.\(property)") == true)
      if property == "weight" { #expect(error?.message.contains("infinities of both signs") == true) }
    }
    let error = #expect(throws: StoreError.self) { try db.updateAll(Coin.all) { $0.count.set { $0.count + $0.count } } }
    #expect(error?.property == "count")
    #expect(error?.model == "Coin")
    #expect(try purse?.count == 100)
    #expect(try db.count(Coin.all) == 1)
    #expect(try db.verifyDerived() == [])
  }
}
