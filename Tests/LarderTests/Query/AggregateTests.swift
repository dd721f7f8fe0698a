import Foundation
import Larder
import Testing

@Suite struct AggregateTests {
  let sample: SpecimenSample

  init() throws { sample = try SpecimenSample() }

  @Test("A4: count, sum, average, least and greatest are those of plain Swift")
  func whole() throws {
    let (db, rows) = (sample.db, sample.rows)
    #expect(try db.count(Specimen.all) == rows.count)
    #expect(try db.sum(Specimen.all, of: \.amount) == rows.map(\.amount).reduce(0, +))
    #expect(try db.sum(Specimen.all, of: \.rank) == rows.compactMap(\.rank).reduce(0, +))
    #expect(try db.min(Specimen.all, of: \.amount) == rows.map(\.amount).min())
    #expect(try db.max(Specimen.all, of: \.rank) == rows.compactMap(\.rank).max())
    #expect(try db.max(Specimen.all, of: \.weight) == rows.map(\.weight).max())
    #expect(try db.min(Specimen.all, of: \.bornAt) == rows.map(\.bornAt).min())
    #expect(try db.max(Specimen.all, of: \.seenAt) == rows.map(\.seenAt).max())
    #expect(try db.max(Specimen.all, of: \.leftAt) == rows.compactMap(\.leftAt).max())
    let average = try #require(try db.average(Specimen.all, of: \.amount))
    #expect(abs(average - Double(rows.map(\.amount).reduce(0, +)) / Double(rows.count)) < 1e-9)
    let ranks = rows.compactMap(\.rank)
    let averageRank = try #require(try db.average(Specimen.all, of: \.rank))
    #expect(abs(averageRank - Double(ranks.reduce(0, +)) / Double(ranks.count)) < 1e-9)
  }

  @Test("computed values are added up and compared, in a store, a transaction and a context")
  func computed() async throws {
    let (db, rows) = (sample.db, sample.rows)
    #expect(try db.sum(Specimen.all) { $0.amount * 2 } == rows.map { $0.amount * 2 }.reduce(0, +))
    #expect(
      try db.sum(Specimen.all, of: \.doubled) == rows.map { $0.price * 2 }.reduce(0, +), "seed \(sample.seed)")
    #expect(try db.min(Specimen.all, of: \.doubled) == rows.map { $0.price * 2 }.min())
    #expect(try db.max(Specimen.all) { $0.rank + 1 } == rows.compactMap(\.rank).map { $0 + 1 }.max())
    #expect(try db.max(Specimen.where { $0.amount > 1_000_000 }) { $0.amount + 1 } == nil)
    #expect(try db.sum(Specimen.where { $0.amount > 1_000_000 }) { $0.amount + 1 } == 0)
    let average = try #require(try db.average(Specimen.all) { $0.amount * 3 })
    #expect(abs(average - Double(rows.map { $0.amount * 3 }.reduce(0, +)) / Double(rows.count)) < 1e-9)
    let store = try Store(inMemoryFor: PricedItem.self)
    try await store.insert((1...10).map { PricedItem(id: $0, price: Decimal(string: "0.1") ?? 0) })
    #expect(try await store.sum(PricedItem.all) { $0.id.decimal * $0.price } == 5.5)
    #expect(try await store.max(PricedItem.all) { $0.id.decimal * $0.price } == 1)
    #expect(try await store.min(PricedItem.all) { $0.id * 2 } == 2)
    #expect(try await store.average(PricedItem.all) { $0.id * 2 } == 11)
    let context = Context(store)
    context.insert(PricedItem(id: 11, price: 1))
    #expect(try context.sum(PricedItem.all) { $0.id.decimal * $0.price } == 16.5)
    #expect(try await store.read { try $0.sum(PricedItem.all.limit(2)) { $0.id * 2 } } == 6)
  }

  @Test("decimals are summed exactly, and the least and greatest are those by size")
  func decimals() throws {
    let (db, rows) = (sample.db, sample.rows)
    #expect(try db.sum(Specimen.all, of: \.price) == rows.map(\.price).reduce(0, +), "seed \(sample.seed)")
    #expect(try db.sum(Specimen.all, of: \.fee) == rows.compactMap(\.fee).reduce(0, +), "seed \(sample.seed)")
    #expect(try db.min(Specimen.all, of: \.price) == rows.map(\.price).min())
    #expect(try db.max(Specimen.all, of: \.fee) == rows.compactMap(\.fee).max())
    let tenths = try Store(inMemoryFor: PricedItem.self).blocking
    try tenths.insert((1...10).map { PricedItem(id: $0, price: Decimal(string: "0.1") ?? 0) })
    #expect(try tenths.sum(PricedItem.all, of: \.price) == 1)
    #expect(try tenths.average(PricedItem.all, of: \.price) == 0.1)
  }

  @Test("a condition, a limit and an offset come before the aggregate")
  func parts() throws {
    let (db, rows) = (sample.db, sample.rows)
    let some = rows.filter { $0.amount > 0 }
    let query = Specimen.where { $0.amount > 0 }.sorted(by: \.id)
    #expect(try db.sum(query, of: \.amount) == some.map(\.amount).reduce(0, +))
    #expect(try db.sum(query.limit(5), of: \.amount) == some.prefix(5).map(\.amount).reduce(0, +))
    #expect(try db.sum(query.limit(5, offset: 3), of: \.price) == some.dropFirst(3).prefix(5).map(\.price).reduce(0, +))
    #expect(try db.count(query.limit(5, offset: 3)) == 5)
    #expect(try db.max(query.limit(5), of: \.bornAt) == some.prefix(5).map(\.bornAt).max())
    #expect(
      try db.average(query.limit(4), of: \.tags.count) == some.prefix(4).map { Double($0.tags.count) }.reduce(0, +) / 4)
    #expect(try db.exists(query))
    #expect(try !db.exists(query.where { $0.amount == 99 }))
  }

  @Test("of no row the sum is zero and the rest is nil")
  func none() throws {
    let nothing = Specimen.where { $0.id < 0 }
    #expect(try sample.db.count(nothing) == 0)
    #expect(try sample.db.sum(nothing, of: \.amount) == 0)
    #expect(try sample.db.sum(nothing, of: \.weight) == 0)
    #expect(try sample.db.sum(nothing, of: \.price) == 0)
    #expect(try sample.db.average(nothing, of: \.amount) == nil)
    #expect(try sample.db.average(nothing, of: \.price) == nil)
    #expect(try sample.db.min(nothing, of: \.amount) == nil)
    #expect(try sample.db.max(nothing, of: \.price) == nil)
    let nils = Specimen.where { $0.rank == nil }
    #expect(try sample.db.sum(nils, of: \.rank) == 0)
    #expect(try sample.db.max(nils, of: \.rank) == .some(.none) || sample.db.max(nils, of: \.rank) == nil)
  }

  @Test("a sum that leaves the integers is an error, not a wrong number")
  func overflow() throws {
    let db = try Store(inMemoryFor: SizedItem.self).blocking
    try db.insert([SizedItem(id: 1, size: .max, weight: .infinity), SizedItem(id: 2, size: 1, weight: -.infinity)])
    #expect(try db.sum(SizedItem.all) { $0.byte } == 200)
    #expect(try db.fetch(SizedItem.all.grouped(by: { $0.byte }) { $0.sum { $0.byte } }) == [200])
    let integers = try #require(throws: StoreError.self) { try db.sum(SizedItem.all, of: \.size) }
    #expect(integers.code == .invalidValue)
    #expect(integers.model == "SizedItem")
    let reals = try #require(throws: StoreError.self) { try db.sum(SizedItem.all, of: \.weight) }
    #expect(reals.code == .invalidValue)
    #expect(try db.sum(SizedItem.all, of: \.byte) == 200)
    let small = try #require(throws: StoreError.self) { try db.sum(SizedItem.all, of: \.byte) as Int8 }
    #expect(small.code == .invalidValue)
  }

  @Test("A5: rows are the values as the database holds them, by name and in order")
  func rows() throws {
    let rows = try sample.db.rows(Specimen.all.sorted(by: \.id).limit(2))
    #expect(rows.count == 2)
    let row = try #require(rows.first)
    let value = sample.rows[0]
    #expect(row["id"] == 1)
    #expect(row["name"] == .text(value.name))
    #expect(row["weight"] == .real(value.weight))
    #expect(row["isLive"] == .integer(value.isLive ? 1 : 0))
    #expect(row["measure_width"] == .real(value.measure.width))
    #expect(row["rank"] == value.rank.map { .integer(Int64($0)) } ?? .null)
    #expect(row["nothing"] == nil)
    #expect(row.names.prefix(3) == ["id", "name", "nickname"])
    #expect(try row.get("shade", as: String.self) == value.shade.rawValue)
    #expect(try row.get("token", as: UUID.self) == value.token)
    #expect(row.dictionary.count == row.count)
  }
}

@Model
struct PricedItem: Hashable {
  var id: Int
  var price: Decimal
}

@Model
struct SizedItem: Hashable {
  var id: Int
  var size: Int
  var weight: Double = 0
  var byte: Int8 = 100
}

extension Specimen.Columns {
  fileprivate var doubled: QueryExpression<Decimal> { price * 2 }
}
