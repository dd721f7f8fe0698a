import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderSync

/// What has a price of its own, a day of its own, and a number of its own on each shelf.
@Model
private struct Priced: Hashable {
  var id: String
  @Attribute(.unique) var price: Decimal
  @Attribute(.unique, .iso8601) var day: Date?
  var shelf: String = ""
  var weight: Decimal?

  static var indexes: [Index<Self>] { [Index(\.shelf, \.weight, unique: true)] }
}

@Model
private struct PricedByKey: Hashable {
  var name: String
  @Attribute(.primaryKey) var price: Decimal
  @Attribute(.primaryKey) var currency: String
}

@Suite("Sync: values that are equal and are stored in different ways", .overEachTransport)
struct SyncEqualValuesTests {
  private let replicas: [Replica]

  init() throws {
    replicas = try (0..<3).map { _ in try Replica([Priced.self]) }
  }

  private func meet() async throws {
    for _ in 0..<2 {
      for (number, replica) in replicas.enumerated() {
        for other in replicas[(number + 1)...] { try await replica.exchange(with: other) }
      }
    }
    let first = replicas[0]
    #expect(try await first.shownRows() == first.expectedRows())
    for replica in replicas {
      // What SQL has written has forms that a check reports, so only the rules count here.
      let kinds = Set(try await replica.store.check().findings.map(\.kind))
      #expect(kinds.isSubset(of: [.valueForm, .unreadableValue]))
      #expect(try await replica.rows() == first.rows())
      #expect(try await replica.state() == first.state())
    }
  }

  private func write(_ sql: SQL, on number: Int) async throws {
    _ = try await replicas[number].store.write { try $0.sql(sql) }
  }

  @Test("S9: a unique decimal that has other digits elsewhere")
  func decimals() async throws {
    try await write("INSERT INTO Priced (id, price, shelf) VALUES ('a', '1.5', 'x')", on: 0)
    try await replicas[1].setClock(past: replicas[0])
    try await write("INSERT INTO Priced (id, price, shelf) VALUES ('b', '1.50', 'y')", on: 1)
    try await meet()
    #expect(try await replicas[2].store.fetch(Priced.all).map(\.id) == ["a"])
    let waiting = try #require(try await replicas[2].store.sync.setAside().first)
    #expect(waiting.reason == .duplicate(properties: ["price"], key: ["a"]))
    // The other row is found among those that wait, although what it holds is written in another way.
    try await write("UPDATE Priced SET price = '01.500' WHERE id = 'a'", on: 2)
    try await meet()
    #expect(try await replicas[0].store.fetch(Priced.all).map(\.id) == ["a"])
    try await write("UPDATE Priced SET price = '2' WHERE id = 'a'", on: 2)
    try await meet()
    #expect(try await replicas[0].store.fetch(Priced.all.sorted(by: \.id)).map(\.price) == [2, 1.5])
  }

  @Test("S9: a unique date that is written in another time zone elsewhere")
  func dates() async throws {
    try await write("INSERT INTO Priced (id, price, day, shelf) VALUES ('a', '1', '2026-01-01T12:00:00Z', 'x')", on: 0)
    try await replicas[1].setClock(past: replicas[0])
    try await write(
      "INSERT INTO Priced (id, price, day, shelf) VALUES ('b', '2', '2026-01-01T14:00:00+02:00', 'y')", on: 1)
    try await meet()
    #expect(try await replicas[2].store.fetch(Priced.all).map(\.id) == ["a"])
    try await replicas[0].store.deleteAll(Priced.all)
    try await meet()
    #expect(try await replicas[2].store.fetch(Priced.all).map(\.id) == ["b"])
  }

  @Test("S20: a row that another one replaces, because it has an equal decimal or date, is deleted everywhere")
  func replaced() async throws {
    try await write(
      "INSERT INTO Priced (id, price, day, shelf) VALUES ('a', '1', NULL, 'x'), ('b', '2', '2026-01-01', 'y')", on: 0)
    try await meet()
    try await write("INSERT OR REPLACE INTO Priced (id, price, shelf) VALUES ('c', '1.00', 'z')", on: 1)
    try await write(
      "INSERT OR REPLACE INTO Priced (id, price, day, shelf) VALUES ('d', '4', '2026-01-01T00:00:00.000Z', 'w')", on: 1)
    try await meet()
    #expect(try await replicas[0].store.fetch(Priced.all.sorted(by: \.id)).map(\.id) == ["c", "d"])
  }

  @Test("a decimal in a key is refused, with the remedy")
  func keys() async throws {
    let error = #expect(throws: StoreError.self) { try Replica([PricedByKey.self]) }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("PricedByKey.price") == true)
    #expect(error?.message.contains("make price unique") == true)
  }

  @Test("S9: at random, with the rule in plain Swift", arguments: 0..<12 as Range<UInt64>)
  func random(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let prices = ["1", "1.0", "01", "1e0", "2", "2.00", "0", "-0", "0.0", "x", "é", "e\u{301}"]
    let days = [
      nil, "2026-01-01", "2026-01-01T00:00:00Z", "2026-01-01T02:00:00+02:00", "2026-01-02", "2026-01-02 00:00", "never",
    ]
    for round in 0..<6 {
      for replica in replicas {
        for _ in 0..<4 {
          let key = "\(Int.random(in: 0..<6, using: &random))"
          let (price, weight) = (prices.randomElement(using: &random), prices.randomElement(using: &random))
          let day = days.randomElement(using: &random) ?? nil
          let shelf = Bool.random(using: &random) ? "a" : "b"
          let sql: SQL =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: "DELETE FROM Priced WHERE id = \(key)"
            case 1: "UPDATE OR IGNORE Priced SET price = \(price), day = \(day) WHERE id = \(key)"
            case 2:
              """
              INSERT OR REPLACE INTO Priced (id, price, day, shelf, weight)
                VALUES (\(key), \(price), \(day), \(shelf), \(weight))
              """
            default:
              """
              INSERT OR IGNORE INTO Priced (id, price, day, shelf, weight)
                VALUES (\(key), \(price), \(day), \(shelf), \(weight))
              """
            }
          _ = try await replica.store.write { try $0.sql(sql) }
        }
      }
      if round % 2 == 1 {
        try await meet()
      } else {
        try await replicas[0].exchange(with: replicas[1])
      }
    }
  }
}
