import Foundation
import Larder
import Testing

@Model
private struct Box: Hashable {
  var id: Int
  @Relationship(inverse: \Sheet.boxes) var sheets: ToMany<Sheet> = []
  @Derived(.sum(\Box.sheets, \Sheet.weight)) var weight: UInt8 = 0
}

@Model
private struct Sheet: Hashable {
  var id: Int
  var weight: UInt8 = 0
  var boxes: ToMany<Box> = []
}

/// Sums out of the range of their properties, as merges leave them.
@Suite struct DerivedBoundTests {
  private let store: Store
  private var db: BlockingStore { store.blocking }
  private var purse: Purse { get throws { try #require(try db.find(Purse.self, 1)) } }

  init() throws {
    store = try Store(inMemoryFor: Purse.self, Coin.self, Box.self, Sheet.self)
    try store.blocking.insert([Purse(id: 1), Purse(id: 2)])
  }

  /// Calls the closure while no sum is refused.
  private func clamping(_ body: () throws -> Void) throws {
    try db.sql("insert into _larder_info (key, value) values ('clamping', 1)")
    try body()
    try db.sql("delete from _larder_info where key = 'clamping'")
    try expectRight()
  }

  private func expectRight(at location: SourceLocation = #_sourceLocation) throws {
    #expect(try db.verifyDerived() == [], sourceLocation: location)
  }

  /// Makes two coins whose sums no property of their purse can hold.
  private func overfill() throws {
    let worth = Decimal.greatestFiniteMagnitude
    try clamping {
      for id in [1, 2] {
        let weight = id == 1 ? Double.infinity : -.infinity
        try db.insert(Coin(id: id, worth: worth, count: 100, large: .max, weight: weight, purse: ToOne(1)))
      }
    }
  }

  @Test("C6: where no sum may be refused, the property has the nearest value that it can hold")
  func nearest() throws {
    try overfill()
    let full = try purse
    #expect(full.count == .max && full.large == .max && full.weight == 0)
    #expect(full.worth == .greatestFiniteMagnitude)
    try clamping { try db.updateAll(Coin.all) { $0.count.set(-100) } }
    #expect(try purse.count == .min)
    try clamping { try db.updateAll(Coin.all) { $0.large.set(.min) } }
    #expect(try purse.large == .min)
    #expect(try db.fetch(Purse.all).count == 2)
  }

  @Test("C6: changes that make it better are allowed, others refused, and the sum is exact once it can be held")
  func better() throws {
    try overfill()
    let changes = [
      Coin(id: 3, count: 1, purse: ToOne(1)), Coin(id: 3, large: 1, purse: ToOne(1)),
      Coin(id: 3, worth: 1, purse: ToOne(1)),
    ]
    for coin in changes {
      let error = #expect(throws: StoreError.self) { try db.insert(coin) }
      #expect(error?.code == .invalidValue)
    }
    // Still out of range.
    try db.updateAll(Coin.where { $0.id == 2 }) { $0.count.set(50) }
    #expect(try purse.count == .max)
    try expectRight()
    try db.update(Coin(id: 2, worth: 0, count: 20, large: -1, weight: 1, purse: ToOne(1)))
    let exact = try purse
    #expect(exact.count == 120 && exact.large == .max - 1 && exact.weight == .infinity)
    #expect(exact.worth == .greatestFiniteMagnitude)
    try expectRight()
    try db.delete(Coin.self, 1)
    let rest = try purse
    #expect(rest.count == 20 && rest.large == -1 && rest.weight == 1 && rest.worth == 0)
    try expectRight()
  }

  @Test("C6: rows can leave an owner whose sum is out of range, by a deletion and by a move")
  func leaving() throws {
    try overfill()
    try db.updateAll(Coin.where { $0.id == 2 }) { $0.purse.set(ToOne(2)) }
    for purse in try db.fetch(Purse.all) {
      #expect(purse.count == 100 && purse.large == .max && purse.worth == .greatestFiniteMagnitude)
    }
    try expectRight()
    try clamping { try db.updateAll(Coin.where { $0.id == 2 }) { $0.purse.set(ToOne(1)) } }
    try db.delete(Coin.self, 2)
    #expect(try purse.count == 100 && purse.large == .max && purse.weight == .infinity)
    try expectRight()
  }

  @Test("C6: a context lowers a sum that is out of range, and another that isn't has its limits")
  func context() throws {
    try overfill()
    let context = Context(store)
    let writer: any StoreWriter = context
    try writer.updateAll(Coin.where { $0.id == 2 }) { $0.count.set(50) }
    #expect(try writer.find(Purse.self, 1)?.count == .max)
    try writer.insert(Coin(id: 4, count: 100, purse: ToOne(2)))
    #expect(throws: StoreError.self) { try writer.insert(Coin(id: 5, count: 100, purse: ToOne(2))) }
    try context.save()
    try expectRight()
    try writer.delete(Coin.self, 2)
    try context.save()
    #expect(try purse.count == 100 && db.find(Purse.self, 2)?.count == 100)
    try expectRight()
  }

  @Test("C6: a sum over pairs is lowered by an unlink, and by a value")
  func pairs() throws {
    let box = Box(id: 1)
    try db.insert(box)
    try db.insert([Sheet(id: 1, weight: 200), Sheet(id: 2, weight: 200), Sheet(id: 3, weight: 10)])
    try clamping { for id in [1, 2] { try db.link(box, \.sheets, Sheet(id: id)) } }
    #expect(try db.find(Box.self, 1)?.weight == 255)
    #expect(throws: StoreError.self) { try db.link(box, \.sheets, Sheet(id: 3)) }
    for (weight, sum) in [(100, 255), (50, 250)] as [(UInt8, UInt8)] {
      try db.updateAll(Sheet.where { $0.id == 1 }) { $0.weight.set(weight) }
      #expect(try db.find(Box.self, 1)?.weight == sum)
      try expectRight()
    }
    try db.unlink(box, \.sheets, Sheet(id: 2))
    #expect(try db.find(Box.self, 1)?.weight == 50)
    try expectRight()
  }

  @Test("C6: a sum whose value changes by more than an integer holds isn't refused on the way")
  func differences() throws {
    try db.insert([Coin(id: 1, count: -128, purse: ToOne(1)), Coin(id: 2, count: -100, purse: ToOne(2))])
    try db.insert([Coin(id: 3, count: 120, purse: ToOne(1)), Coin(id: 4, large: .min, purse: ToOne(1))])
    try db.updateAll(Coin.where { $0.id == 2 }) {
      $0.count.set(-10)
      $0.large.set(.max)
    }
    try db.updateAll(Coin.where { $0.id == 2 }) { $0.large.set(.min) }
    try db.updateAll(Coin.where { $0.id == 1 }) { $0.count.set(-1) }
    try db.insert(Coin(id: 5, count: -128, purse: ToOne(1)))
    // Without the former value the sum would be too small.
    try db.updateAll(Coin.where { $0.id == 3 }) { $0.count.set(2) }
    #expect(try purse.count == -127 && purse.large == .min)
    try expectRight()
  }
}
