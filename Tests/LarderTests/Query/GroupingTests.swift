import Foundation
import Larder
import Testing

@Suite struct GroupingTests {
  let sample: SpecimenSample

  init() throws { sample = try SpecimenSample() }

  @Test("one to five results of each group are those of plain Swift")
  func tuples() throws {
    let groups = Dictionary(grouping: sample.rows, by: \.shade).sorted { $0.key.rawValue < $1.key.rawValue }
    let one = try sample.db.fetch(Specimen.all.grouped(by: \.shade) { $0.count })
    #expect(one == groups.map(\.value.count))
    let two = try sample.db.fetch(Specimen.all.grouped(by: \.shade) { ($0.key, $0.count) })
    #expect(two.map(\.0) == groups.map(\.key))
    #expect(two.map(\.1) == groups.map(\.value.count))
    let three = try sample.db.fetch(Specimen.all.grouped(by: \.shade) { ($0.key, $0.sum(\.amount), $0.sum(\.price)) })
    #expect(three.map(\.1) == groups.map { $0.value.map(\.amount).reduce(0, +) })
    #expect(three.map(\.2) == groups.map { $0.value.map(\.price).reduce(0, +) }, "seed \(sample.seed)")
    let four = try sample.db.fetch(
      Specimen.all.grouped(by: \.shade) { ($0.key, $0.min(\.price), $0.max(\.rank), $0.average(\.amount)) })
    #expect(four.map(\.1) == groups.map { $0.value.map(\.price).min() })
    #expect(four.map { $0.2 ?? nil } == groups.map { $0.value.compactMap(\.rank).max() })
    for (group, average) in zip(groups, four.map(\.3)) {
      #expect(
        abs((average ?? .nan) - Double(group.value.map(\.amount).reduce(0, +)) / Double(group.value.count)) < 1e-9)
    }
    let five = try sample.db.fetch(
      Specimen.all.grouped(by: \.shade) {
        ($0.key, $0.count(\.rank), $0.sum(\.rank), $0.min(\.seenAt), $0.sum { $0.amount * 2 + 1 })
      })
    #expect(five.map(\.1) == groups.map { $0.value.compactMap(\.rank).count })
    #expect(five.map(\.2) == groups.map { $0.value.compactMap(\.rank).reduce(0, +) })
    #expect(five.map(\.3) == groups.map { $0.value.map(\.seenAt).min() })
    #expect(five.map(\.4) == groups.map { $0.value.map { $0.amount * 2 + 1 }.reduce(0, +) })
  }

  @Test("having, sorted and limit choose among the groups")
  func choice() throws {
    let sums = Dictionary(grouping: sample.rows, by: { Array($0.name.utf8) }).mapValues {
      $0.map(\.amount).reduce(0, +)
    }
    let found = try sample.db.fetch(
      Specimen.all.grouped(by: \.name) { ($0.key, $0.sum(\.amount)) }.having { $0.sum(\.amount) > 0 }.having {
        $0.count >= 2
      }
      .sorted(order: .reverse) { $0.sum(\.amount) }.limit(4))
    let counts = Dictionary(grouping: sample.rows, by: { Array($0.name.utf8) }).mapValues(\.count)
    let expected = sums.filter { $0.value > 0 && (counts[$0.key] ?? 0) >= 2 }.map(\.value).sorted(by: >).prefix(4)
    #expect(found.map(\.1) == Array(expected), "seed \(sample.seed)")
    #expect(found.allSatisfy { sums[Array($0.0.utf8)] == $0.1 })
  }

  @Test("having compares averages of decimals as numbers, and conditions of groups are values")
  func averages() throws {
    let db = try Store(inMemoryFor: PricedItem.self).blocking
    try db.insert([PricedItem(id: 1, price: 9), PricedItem(id: 2, price: 10), PricedItem(id: 3, price: 10)])
    let found = try db.fetch(
      PricedItem.all.grouped(by: \.price) { ($0.key, $0.average(\.price), $0.count > 1) }.having {
        $0.average(\.price) > 9.5
      })
    #expect(found.map(\.0) == [10])
    #expect(found.map(\.1) == [10])
    #expect(found.map(\.2) == [true])
    let large = try db.fetch(
      PricedItem.all.grouped(by: \.price) { $0.key }.having { $0.sum(\.price) > 9 }.sorted { $0.sum(\.price) })
    #expect(large == [10])
  }

  @Test("nil is a group of its own, and decimals and dates are grouped by what they mean")
  func keys() throws {
    let ranks = try sample.db.fetch(Specimen.all.grouped(by: \.rank) { ($0.key, $0.count) })
    let expected = Dictionary(grouping: sample.rows, by: \.rank).sorted { ($0.key ?? .min) < ($1.key ?? .min) }
    #expect(ranks.map(\.0) == expected.map(\.key))
    #expect(ranks.map(\.1) == expected.map(\.value.count))
    let levels = try sample.db.fetch(Specimen.all.grouped(by: \.level) { $0.key })
    #expect(levels == [nil, .low, .middle, .high])
    let days = try sample.db.fetch(Specimen.all.grouped(by: \.seenAt) { ($0.key, $0.count) })
    #expect(days.map(\.0) == Set(sample.rows.map(\.seenAt)).sorted())
    let prices = try sample.db.fetch(Specimen.all.grouped(by: \.price) { $0.key })
    #expect(prices == Set(sample.rows.map(\.price)).sorted())
    let units = try sample.db.fetch(Specimen.all.grouped(by: \.measure.unit) { ($0.key, $0.count) })
    #expect(units.map(\.1).reduce(0, +) == sample.rows.count)
  }

  @Test("the rows may be narrowed before they are grouped; of no row there is no group")
  func narrowed() throws {
    let found = try sample.db.fetch(
      Specimen.where { $0.isLive && $0.amount > 0 }.grouped(by: \.shade) { ($0.key, $0.count) })
    let expected = Dictionary(grouping: sample.rows.filter { $0.isLive && $0.amount > 0 }, by: \.shade)
    #expect(found.count == expected.count)
    #expect(found.allSatisfy { expected[$0.0]?.count == $0.1 })
    #expect(try sample.db.fetch(Specimen.where { $0.id < 0 }.grouped(by: \.shade) { $0.count }).isEmpty)
    let error = try #require(throws: StoreError.self) {
      try sample.db.fetch(Specimen.all.limit(3).grouped(by: \.shade) { $0.count })
    }
    #expect(error.code == .unsupported)
  }

  @Test("groups are mapped to values of a program's own")
  func mapped() throws {
    struct Line: Equatable {
      let shade: Shade
      let count: Int
    }
    let query = Specimen.all.grouped(by: \.shade) { ($0.key, $0.count) }
    let lines = try sample.db.fetch(query.map(Line.init).having { $0.count > 1 }.sorted(order: .reverse) { $0.key })
    let expected = Dictionary(grouping: sample.rows, by: \.shade).filter { $0.value.count > 1 }
      .map { Line(shade: $0.key, count: $0.value.count) }.sorted { $0.shade.rawValue > $1.shade.rawValue }
    #expect(lines == expected)
  }

  @Test("a rank isn't compared by having, and a division by zero has a default")
  func undefined() throws {
    let ranked = try #require(throws: StoreError.self) {
      try sample.db.fetch(
        Specimen.all.grouped(by: \.shade) { ($0.key, $0.count) }.having { $0.sum(\.amount).rank() <= 2 })
    }
    #expect(ranked.code == .unsupported && ranked.message.contains("limit the groups"), "\(ranked.message)")
    let divided = try #require(throws: StoreError.self) {
      try sample.db.fetch(Specimen.select { ($0.id, $0.price / ($0.price - $0.price)) })
    }
    #expect(divided.message.contains("value 2 of the selection is nil"), "\(divided.message)")
    let zero = try sample.db.fetch(Specimen.select { ($0.price / ($0.price - $0.price)).or(7) })
    #expect(zero.allSatisfy { $0 == 7 })
    let sums = try sample.db.fetch(Specimen.all.grouped(by: \.shade) { ($0.sum(\.amount) / 0).or(-1) })
    #expect(sums.allSatisfy { $0 == -1 })
  }
}
