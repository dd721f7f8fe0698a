import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite("Ranks and running sums")
struct WindowTests {
  private let store: Store
  private let excursions: [Excursion]

  init() throws {
    store = try Store(inMemoryFor: Excursion.self, Stopover.self)
    var generator = SplitMix64(seed: TestSeed.value &* 197)
    excursions = (1...60).map { Excursion.random($0, &generator) }
    try store.blocking.insert(excursions)
  }

  @Test("a rank is one more than the number of rows before, also among those with an equal value")
  func ranks() async throws {
    let found = try await store.fetch(
      Excursion.select { ($0.id, $0.price.rank(.reverse), $0.seats.rank(within: $0.country), $0.price.rank()) }
        .sorted(by: \.id))
    for (excursion, row) in zip(excursions, found) {
      #expect(row.1 == excursions.count { $0.price > excursion.price } + 1, "\(TestSeed.value)")
      #expect(row.2 == excursions.count { $0.country == excursion.country && $0.seats < excursion.seats } + 1)
      #expect(row.3 == excursions.count { $0.price < excursion.price } + 1)
    }
    let best = try await store.fetch(
      Excursion.where { $0.seats > 2 }.select { ($0.id, $0.price.rank(.reverse)) }
        .sorted { $0.price.rank(.reverse) }.sorted(by: \.id).limit(5))
    let expected = excursions.filter { $0.seats > 2 }.sorted { ($1.price, $0.id) < ($0.price, $1.id) }.prefix(5)
    #expect(best.map(\.0) == expected.map(\.id))
  }

  @Test("a running sum adds up the rows up to this one")
  func sums() async throws {
    let found = try await store.fetch(
      Excursion.select { ($0.id, $0.seats.runningSum(by: $0.id), $0.seats.runningSum(by: $0.id, within: $0.country)) }
        .sorted(by: \.id))
    for (excursion, row) in zip(excursions, found) {
      let before = excursions.filter { $0.id <= excursion.id }
      #expect(row.1 == before.map(\.seats).reduce(0, +))
      #expect(row.2 == before.filter { $0.country == excursion.country }.map(\.seats).reduce(0, +))
    }
    let prices = try await store.fetch(
      Excursion.select { ($0.id, $0.price.runningSum(by: $0.id), $0.price.runningSum(by: $0.id, within: $0.country)) }
        .sorted(by: \.id))
    for (excursion, row) in zip(excursions, prices) {
      let before = excursions.filter { $0.id <= excursion.id }
      #expect(row.1 == before.map(\.price).reduce(0, +), "\(TestSeed.value)")
      #expect(row.2 == before.filter { $0.country == excursion.country }.map(\.price).reduce(0, +))
    }
    // As numbers, not as texts.
    let sorted = try await store.fetch(
      Excursion.select { $0.price.runningSum(by: $0.id) }.sorted { $0.price.runningSum(by: $0.id) })
    #expect(sorted == prices.map(\.1).sorted())
    let misuse = await #expect(throws: StoreError.self) {
      try await store.fetch(Excursion.where { $0.seats.rank() == 1 })
    }
    #expect(misuse?.code == .unsupported)
  }

  @Test("groups have ranks and running sums too, by their keys and by what is computed over them")
  func groups() async throws {
    let sums = Dictionary(grouping: excursions, by: \.seats).mapValues { $0.reduce(0) { $0 + $1.id } }
    let found = try await store.fetch(
      Excursion.all.grouped(by: { $0.seats * 2 }) {
        ($0.key, $0.sum(\.id), $0.sum(\.id).runningSum(by: $0.key), $0.sum(\.id).rank(.reverse))
      }
      .sorted { $0.key })
    #expect(found.map(\.0) == sums.keys.sorted().map { $0 * 2 })
    for (seats, row) in zip(sums.keys.sorted(), found) {
      #expect(row.1 == sums[seats])
      #expect(row.2 == sums.filter { $0.key <= seats }.values.reduce(0, +), "seed \(TestSeed.value)")
      #expect(row.3 == sums.values.count { $0 > row.1 } + 1, "seed \(TestSeed.value)")
    }
    let byCountry = try await store.fetch(
      Excursion.all.grouped(by: \.country) { ($0.key, $0.count.runningSum(by: $0.key)) })
    #expect(byCountry.map(\.1).max() == excursions.count)
    let income = try await store.fetch(
      Excursion.all.grouped(by: \.seats) { ($0.key, $0.sum(\.price), $0.sum(\.price).runningSum(by: $0.key)) }
        .sorted { $0.key })
    var total = Decimal(0)
    for row in income {
      total += row.1
      #expect(row.2 == total, "seed \(TestSeed.value)")
    }
    #expect(total == excursions.map(\.price).reduce(0, +))
  }
}
