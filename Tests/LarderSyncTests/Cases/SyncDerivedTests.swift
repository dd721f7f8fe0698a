import Foundation
import Larder
import LarderRandom
import Testing

@testable import LarderSync

@Model
private struct Till: Hashable {
  var id: String
  @Relationship(deleteRule: .cascade, inverse: \Coin.till) var coins: ToMany<Coin> = []
  @Relationship(deleteRule: .cascade, inverse: \Ticket.till) var tickets: ToMany<Ticket> = []
  @Derived(.sum(\Till.coins, \Coin.small)) var small: Int32 = 0
  @Derived(.sum(\Till.coins, \Coin.large)) var large: Int = 0
  @Derived(.sum(\Till.coins, \Coin.single)) var single: Float = 0
  @Derived(.sum(\Till.coins, \Coin.real)) var real: Double = 0
  @Derived(.sum(\Till.coins, \Coin.price)) var price: Decimal = 0
  @Derived(.sum(\Till.tickets, \Ticket.number)) var numbers: Int32 = 0
}

@Model
private struct Coin: Hashable {
  var id: String
  var small: Int32 = 0
  var large: Int = 0
  var single: Float = 0
  var real: Double = 0
  var price: Decimal = 0
  var till: ToOne<Till>
}

@Model
private struct Ticket: Hashable {
  var id: String
  @Attribute(.unique) var number: Int32
  var till: ToOne<Till>
}

@Suite("Sync: derived sums that only a merge brings out of range", .overEachTransport)
struct SyncDerivedTests {
  private let a: Replica
  private let b: Replica
  private let till = Till(id: "t")

  init() throws {
    (a, b) = (try Replica([Till.self]), try Replica([Till.self]))
  }

  private func exchange() async throws {
    for _ in 0..<2 { try await a.exchange(with: b) }
    try await expectEqual([a, b])
  }

  private func tills() async throws -> [Till] {
    var tills: [Till] = []
    for replica in [a, b] { tills.append(try #require(try await replica.store.find(Till.self, till.id))) }
    return tills
  }

  /// A coin of which no two fit into a till.
  private func coin(_ id: String, real: Double = .infinity) -> Coin {
    Coin(
      id: id, small: .max, large: .max, single: .greatestFiniteMagnitude, real: real,
      price: .greatestFiniteMagnitude, till: ToOne(till))
  }

  @Test("S1: both replicas show the bound, and the sum as soon as it can be held")
  func bounds() async throws {
    try await a.store.insert(till)
    try await exchange()
    try await a.store.insert(coin("a"))
    try await b.store.insert(coin("b", real: -.infinity))
    try await exchange()
    for till in try await tills() {
      #expect(till.small == .max && till.large == .max && till.single == .greatestFiniteMagnitude && till.real == 0)
      #expect(till.price == .greatestFiniteMagnitude)
    }
    // What has come later arrives too.
    try await b.store.insert(Coin(id: "c", till: ToOne(till)))
    try await exchange()
    await #expect(throws: StoreError.self) { try await a.store.insert(Coin(id: "d", small: 1, till: ToOne(till))) }
    try await a.store.updateAll(Coin.where { $0.id == "b" }) { $0.small.set(5) }
    try await exchange()
    #expect(try await tills().allSatisfy { $0.small == .max })
    try await b.store.updateAll(Coin.where { $0.id == "b" }) {
      $0.small.set(-5)
      $0.large.set(-5)
    }
    try await exchange()
    #expect(try await tills().allSatisfy { $0.small == .max - 5 && $0.large == .max - 5 })
    try await a.store.deleteAll(Coin.where { $0.id == "a" })
    try await exchange()
    for till in try await tills() {
      #expect(till.small == -5 && till.large == -5 && till.single == .greatestFiniteMagnitude)
      #expect(till.real == -.infinity && till.price == .greatestFiniteMagnitude)
    }
  }

  @Test("S11: a row that comes before another leaves doesn't make a sum of both")
  func intermediate() async throws {
    let (target, other) = (till, Till(id: "other"))
    try await a.store.insert([target, other])
    try await a.store.insert([coin("a"), Coin(id: "b", small: .max, large: .max, till: ToOne(other))])
    try await exchange()
    try await a.store.write { db in
      try db.delete(Coin.self, "a")
      try db.updateAll(Coin.where { $0.id == "b" }) { $0.till.set(ToOne(target)) }
    }
    try await exchange()
    #expect(try await tills().allSatisfy { $0.small == .max && $0.large == .max && $0.single == 0 && $0.real == 0 })
  }

  @Test("S9: unique numbers that change places are added up")
  func parked() async throws {
    try await a.store.insert(till)
    try await a.store.insert([1, 2, 3].map { Ticket(id: "\($0)", number: $0, till: ToOne(till)) })
    try await exchange()
    try await a.store.write { db in
      for (id, number) in [("1", 9), ("2", 1), ("3", 2), ("1", 3)] as [(String, Int32)] {
        try db.updateAll(Ticket.where { $0.id == id }) { $0.number.set(number) }
      }
    }
    try await exchange()
    #expect(try await tills().allSatisfy { $0.numbers == 6 })
    #expect(try await b.store.fetch(Ticket.all.sorted(by: \.id)).map(\.number) == [3, 1, 2])
  }

  @Test("S1: sums of random changes are those of Swift, within their bounds", arguments: 0..<4 as Range<UInt64>)
  func random(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    try await a.store.insert([till, Till(id: "other")])
    try await exchange()
    for step in 0..<12 {
      for replica in [a, b] {
        for _ in 0..<4 {
          let key = "\(Int.random(in: 0..<6, using: &random))"
          let small = [Int32.min, -1, 1, .max][Int.random(in: 0..<4, using: &random)]
          let large = [Int.min, -1, 1, .max][Int.random(in: 0..<4, using: &random)]
          let owner = Bool.random(using: &random) ? till.id : "other"
          let isDeleted = Int.random(in: 0..<4, using: &random) == 0
          do {
            if isDeleted {
              try await replica.store.delete(Coin.self, key)
            } else {
              try await replica.store.save(Coin(id: key, small: small, large: large, till: ToOne(owner)))
            }
          } catch let error as StoreError where error.code == .invalidValue {
            continue
          }
        }
      }
      for _ in 0..<2 { try await a.exchange(with: b) }
      try await expectEqual([a, b], "seed \(seed), step \(step)")
      for replica in [a, b] {
        let coins = try await replica.store.fetch(Coin.all)
        for till in try await replica.store.fetch(Till.all) {
          let own = coins.filter { $0.till.id == till.id }
          let large = own.reduce(Int128(0)) { $0 + Int128($1.large) }
          #expect(till.small == Int32(clamping: own.reduce(0) { $0 + Int($1.small) }), "seed \(seed), step \(step)")
          #expect(till.large == Int(clamping: large), "seed \(seed), step \(step)")
        }
      }
    }
  }
}
