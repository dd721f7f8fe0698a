import Foundation
import Larder
import LarderTestSupport
import Testing

/// A screen whose queries depend on what it shows.
@MainActor
private final class CoinScreen {
  let store: Store
  var least = 2

  init(_ store: Store) {
    self.store = store
  }

  func computed() async throws -> [Int?] {
    [
      try await store.sum(ScreenCoin.all) { $0.value * least },
      try await store.min(ScreenCoin.all) { $0.value + least },
      try await store.max(ScreenCoin.all) { $0.value + least },
      try await store.average(ScreenCoin.all) { $0.value * least }.map { Int($0) },
    ]
  }

  func documents() async throws -> [Int] {
    let people = store.documents("people")
    let found = try await people.fetch { $0.age > least }
    let deleted = try await people.deleteAll { $0.age == least }
    return [
      try await people.keys { $0.age > least }.count, found.count, try await people.count { $0.age >= least },
      try await people.results { $0.age >= least }.count, deleted,
    ]
  }

  func queries() async throws -> [Int] {
    let shown = ScreenCoin.where { $0.value >= least }
    return [
      try await store.count(shown), try await store.fetch(shown.select { $0.value * least }).reduce(0, +),
      try await store.fetch(shown.grouped(by: { $0.value / least }) { $0.count }).count,
      try await store.updateAll(shown) { $0.value.increment(by: 1) },
      try await store.read { try $0.count(ScreenCoin.all) },
      try await store.write { try $0.deleteAll(ScreenCoin.all) },
    ]
  }
}

@Model
private struct ScreenCoin: Hashable {
  var id: Int
  var value: Int
}

@Suite("Calls from the main actor, with its state in their closures")
@MainActor
struct MainActorTests {
  @Test("aggregates of computed values")
  func computed() async throws {
    let screen = CoinScreen(try Store(inMemoryFor: ScreenCoin.self))
    try await screen.store.insert([1, 2, 3].map { ScreenCoin(id: $0, value: $0) })
    #expect(try await screen.computed() == [12, 3, 5, 4])
    screen.least = 3
    #expect(try await screen.computed() == [18, 4, 6, 6])
  }

  @Test("conditions on documents")
  func documents() async throws {
    let screen = CoinScreen(try Store(inMemoryFor: ScreenCoin.self))
    for age in 1...4 { try await screen.store.documents("people").save("\(age)", json: #"{"age":\#(age)}"#) }
    #expect(try await screen.documents() == [2, 2, 2, 2, 1])
  }

  @Test("conditions, selections and groups")
  func queries() async throws {
    let screen = CoinScreen(try Store(inMemoryFor: ScreenCoin.self))
    try await screen.store.insert([1, 2, 3].map { ScreenCoin(id: $0, value: $0) })
    #expect(try await screen.queries() == [2, 10, 1, 2, 3, 3])
  }
}
