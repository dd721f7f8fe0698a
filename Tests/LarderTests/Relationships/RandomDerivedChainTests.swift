import Foundation
import Larder
import LarderTestSupport
import Testing

@Model
private struct City: Hashable {
  var id: Int
  @Relationship(inverse: \House.city) var houses: ToMany<House> = []
  @Relationship(inverse: \Tour.cities) var tours: ToMany<Tour> = []
  @Derived(.sum(\City.houses, \House.total)) var total: Int8 = 0
  @Derived(.sum(\City.houses, \House.bills)) var bills: Int = 0
  @Derived(.max(\City.houses, \House.total)) var most: Int8?
}

@Model
private struct Tour: Hashable {
  var id: Int
  var cities: ToMany<City> = []
  @Derived(.sum(\Tour.cities, \City.total)) var total: Int8 = 0
}

@Model
private struct House: Hashable {
  var id: Int
  var city: ToOne<City>?
  @Relationship(inverse: \Till.house) var tills: ToMany<Till> = []
  @Derived(.sum(\House.tills, \Till.balance)) var total: Int8 = 0
  @Derived(.sum(\House.tills, \Till.worth)) var worth: Decimal = 0
  @Derived(.sum(\House.tills, \Till.weight)) var weight: Float = 0
  @Derived(.sum(\House.tills, \Till.bills)) var bills: Int = 0
  @Derived(.min(\House.tills, \Till.balance)) var least: Int8?
}

@Model
private struct Till: Hashable {
  var id: Int
  var house: ToOne<House>?
  @Relationship(inverse: \Bill.till) var notes: ToMany<Bill> = []
  @Derived(.count(\Till.notes)) var bills: Int = 0
  @Derived(.sum(\Till.notes, \Bill.amount)) var balance: Int8 = 0
  @Derived(.sum(\Till.notes, \Bill.worth)) var worth: Decimal = 0
  @Derived(.sum(\Till.notes, \Bill.weight)) var weight: Float = 0
}

@Model
private struct Bill: Hashable {
  var id: Int
  @Relationship(deleteRule: .cascade) var till: ToOne<Till>?
  var amount: Int8 = 0
  var worth: Decimal = 0
  var weight: Float = 0
}

/// Rows of all models, with what is derived from them computed in plain Swift.
private struct PlainChain {
  var bills: [Int: Bill] = [:]
  /// The house of each till, and the city of each house.
  var tills: [Int: Int?] = [:]
  var houses: [Int: Int?] = [1: 1, 2: 1, 3: 2]
  /// The cities of the only tour.
  var cities: Set<Int> = []

  func balance(_ till: Int) -> Int { bills.values.reduce(0) { $1.till?.id == till ? $0 + Int($1.amount) : $0 } }
  func bills(_ house: Int) -> [Bill] { bills.values.filter { $0.till.map { tills[$0.id] == .some(house) } ?? false } }
  func total(_ house: Int) -> Int { bills(house).reduce(0) { $0 + Int($1.amount) } }
  func total(ofCity city: Int) -> Int { houses.reduce(0) { $1.value == city ? $0 + total($1.key) : $0 } }

  /// Whether each property can hold its sum.
  var fits: Bool {
    let sums =
      tills.keys.map(balance) + houses.keys.map(total(_:)) + [1, 2].map(total(ofCity:))
      + [cities.reduce(0) { $0 + total(ofCity: $1) }]
    return sums.allSatisfy { (-128...127).contains($0) }
  }
}

/// Properties that are derived from derived ones, beside plain Swift.
@Suite("Derived properties of derived ones")
struct RandomDerivedChainTests {
  private let store: Store
  private let context: Context

  /// The upper models come first, so that nothing is right by the order of the tables.
  init() throws {
    store = try Store(inMemoryFor: Tour.self, City.self, House.self, Till.self, Bill.self)
    try store.blocking.insert(Tour(id: 1))
    try store.blocking.insert([City(id: 1), City(id: 2)])
    try store.blocking.insert([
      House(id: 1, city: ToOne(1)), House(id: 2, city: ToOne(1)), House(id: 3, city: ToOne(2)),
    ])
    context = Context(store)
  }

  @Test("C6: they follow a change at any distance, in a store, a context and its child")
  func ways() throws {
    let child = context.child()
    for (number, db) in ([store.blocking, context, child] as [any StoreWriter]).enumerated() {
      try db.save(Till(id: number, house: ToOne(1)))
      try db.save(Bill(id: number, till: ToOne(number), amount: 10, worth: 1, weight: 0.5))
      let count = number + 1
      #expect(try db.find(City.self, 1)?.total == Int8(10 * count))
      #expect(try db.find(City.self, 1)?.bills == count)
      #expect(try db.find(House.self, 1)?.worth == Decimal(count))
      #expect(try db.find(House.self, 1)?.weight == Float(count) / 2)
      #expect(try db.fetch(City.where { $0.total == Int8(10 * count) }).map(\.id) == [1])
      #expect(try db.fetch(City.all.sorted(by: \.total, order: .reverse)).map(\.id) == [1, 2])
    }
    try child.save()
    try context.save()
    #expect(try store.blocking.find(City.self, 1)?.total == 30)
    #expect(try store.blocking.verifyDerived() == [])
  }

  @Test("C6: a sum at a distance that its property can't hold is refused by the change that makes it")
  func refused() throws {
    try store.blocking.insert([Till(id: 1, house: ToOne(1)), Till(id: 2, house: ToOne(2))])
    try store.blocking.insert(Bill(id: 1, till: ToOne(1), amount: 100))
    for db in [store.blocking, context, context.child()] as [any StoreWriter] {
      let error = #expect(throws: StoreError.self) { try db.save(Bill(id: 2, till: ToOne(2), amount: 100)) }
      #expect(error?.code == .invalidValue && error?.model == "City" && error?.property == "total", "\(error as Any)")
      #expect(error?.key == [1])
      #expect(try db.find(City.self, 1)?.total == 100)
    }
  }

  @Test("C6: a save recomputes them from the bottom up, where a sum only fits at its end")
  func onTheWay() throws {
    try store.blocking.insert(Till(id: 1, house: ToOne(1)))
    try store.blocking.insert([
      Bill(id: 1, till: ToOne(1), amount: 100), Bill(id: 3, till: ToOne(1), amount: 10),
    ])
    context.delete(Bill.self, 1)
    try context.save(Bill(id: 3, till: ToOne(1), amount: 60))
    try context.save()
    #expect(try store.blocking.find(City.self, 1)?.total == 60)
    #expect(try store.blocking.find(City.self, 1)?.most == 60)
    #expect(try store.blocking.verifyDerived() == [])
  }

  @Test("C6: what was tampered with is rebuilt from the bottom up")
  func rebuilding() throws {
    try store.blocking.insert(Till(id: 1, house: ToOne(1)))
    try store.blocking.insert(Bill(id: 1, till: ToOne(1), amount: 7))
    try store.blocking.sql("update \(Till.self) set balance = 3")
    try store.blocking.sql("update \(City.self) set total = 5")
    #expect(try !store.blocking.verifyDerived().isEmpty)
    try store.blocking.rebuildDerived()
    #expect(try store.blocking.find(City.self, 1)?.total == 7)
    #expect(try store.blocking.verifyDerived() == [])
  }

  // MARK: Random

  @Test(
    "C6: after random changes at every level they are those of plain Swift, or the change is refused", arguments: 0..<3)
  func random(_ number: Int) throws {
    let seed = TestSeed.value &+ UInt64(number)
    var generator = SplitMix64(seed: seed)
    let child = context.child()
    let db: any StoreWriter = [store.blocking, context, child][number % 3]
    var plain = PlainChain()
    for round in 0..<60 {
      var next = plain
      let change = try Self.change(&next, &generator)
      let place = "seed \(seed), round \(round)"
      do {
        try change(db)
        #expect(next.fits, "\(place): what does not fit is not refused")
        plain = next
      } catch let error as StoreError {
        // A store refuses what doesn't fit on the way, too.
        #expect(error.code == .invalidValue && (number % 3 == 0 || !next.fits), "\(place): \(error)")
      }
      try check(db, plain, place)
      guard number % 3 > 0, round % 10 == 9 else { continue }
      try child.save()
      try context.save()
      try check(store.blocking, plain, "\(place), saved")
    }
    try child.save()
    try context.save()
    try check(store.blocking, plain, "seed \(seed), at the end")
    #expect(try store.blocking.verifyDerived() == [])
    TestSeed.tried(60, .operations, "changes below derived properties of derived ones")
  }

  /// Makes a random change in plain Swift, and returns what makes it in a database.
  private static func change(
    _ plain: inout PlainChain, _ generator: inout SplitMix64
  ) throws -> (any StoreWriter) throws -> Void {
    let id = Int.random(in: 1...8, using: &generator)
    let till = Int.random(in: 1...4, using: &generator)
    let house = generator.pickOrNil([1, 2, 3])
    let city = generator.pickOrNil([1, 2])
    switch Int.random(in: 0..<12, using: &generator) {
    case 0..<5:
      let isOpen = plain.tills.keys.contains(till)
      let bill = Bill(
        id: id, till: isOpen ? ToOne(till) : nil,
        amount: Int8.random(in: generator.once(in: 3) ? -90...90 : -5...5, using: &generator),
        worth: Decimal(Int.random(in: -99...99, using: &generator)) / 10,
        weight: Float(Int.random(in: -99...99, using: &generator)) / 2)
      plain.bills[id] = bill
      return { try $0.save(bill) }
    case 5:
      plain.bills[id] = nil
      return { _ = try $0.delete(Bill.self, id) }
    case 6, 7:
      plain.tills[till] = .some(house)
      return { try $0.save(Till(id: till, house: house.map { ToOne($0) })) }
    case 8:
      plain.tills[till] = nil
      plain.bills = plain.bills.filter { $0.value.till?.id != till }
      return { _ = try $0.delete(Till.self, till) }
    case 9:
      let house = house ?? 1
      plain.houses[house] = .some(city)
      return { try $0.save(House(id: house, city: city.map { ToOne($0) })) }
    case 10:
      let house = house ?? 2
      // Its tills stay, and belong to no house.
      plain.houses[house] = .some(city)
      for till in plain.tills.keys where plain.tills[till] == .some(house) { plain.tills[till] = .some(nil) }
      return { db in
        _ = try db.delete(House.self, house)
        try db.save(House(id: house, city: city.map { ToOne($0) }))
      }
    default:
      let city = city ?? 1
      if plain.cities.remove(city) != nil { return { try $0.unlink(Tour(id: 1), \.cities, City(id: city)) } }
      plain.cities.insert(city)
      return { try $0.link(Tour(id: 1), \.cities, City(id: city)) }
    }
  }

  private func check(_ db: some StoreReader, _ plain: PlainChain, _ place: String) throws {
    let tills = try db.fetch(Till.all.sorted(by: \.id))
    try #require(tills.map(\.id) == plain.tills.keys.sorted(), "\(place)")
    try #require(tills.map { Int($0.balance) } == tills.map { plain.balance($0.id) }, "\(place)")
    for house in try db.fetch(House.all.sorted(by: \.id)) {
      let bills = plain.bills(house.id)
      try #require(Int(house.total) == plain.total(house.id), "\(place), house \(house.id)")
      try #require(house.worth == bills.reduce(0) { $0 + $1.worth }, "\(place), house \(house.id)")
      try #require(house.weight == bills.reduce(0) { $0 + $1.weight }, "\(place), house \(house.id)")
      try #require(house.bills == bills.count, "\(place), house \(house.id)")
      let balances = plain.tills.filter { $0.value == house.id }.keys.map(plain.balance)
      try #require(house.least.map { Int($0) } == balances.min(), "\(place), house \(house.id)")
    }
    for city in try db.fetch(City.all.sorted(by: \.id)) {
      let houses = plain.houses.filter { $0.value == city.id }.map(\.key)
      try #require(Int(city.total) == plain.total(ofCity: city.id), "\(place), city \(city.id)")
      try #require(city.bills == houses.reduce(0) { $0 + plain.bills($1).count }, "\(place), city \(city.id)")
      try #require(city.most.map { Int($0) } == houses.map(plain.total(_:)).max(), "\(place), city \(city.id)")
    }
    let total = try db.find(Tour.self, 1)?.total
    let expected = plain.cities.reduce(0) { $0 + plain.total(ofCity: $1) }
    try #require(total.map { Int($0) } == expected, "\(place)")
  }
}
