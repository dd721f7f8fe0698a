import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite("Unions")
struct UnionQueryTests {
  private let store: Store

  init() throws {
    store = try Store(inMemoryFor: Excursion.self, Stopover.self, Town.self)
    try store.blocking.insert([
      Excursion(id: 1, name: "Alps", country: "CH", price: 9, seats: 1, startsAt: .now),
      Excursion(id: 2, name: "Bern", price: 10, seats: 1, startsAt: .now),
    ])
    try store.blocking.insert([
      Town(id: 1, name: "Bern", isCapital: true), Town(id: 2, name: "Oslo", isCapital: true),
      Town(id: 3, name: "Chur", isCapital: false),
    ])
    try store.blocking.insert(Stopover(id: 1, tour: ToOne(1), city: "Chur", days: 2))
  }

  @Test("values of several models, once or as often as they occur")
  func values() async throws {
    let names = Excursion.select(\.name).union(Town.where { $0.isCapital }.select(\.name))
    #expect(try await store.fetch(names) == ["Alps", "Bern", "Oslo"])
    #expect(try await store.fetch(names.unionAll(Stopover.select(\.city))) == ["Alps", "Bern", "Chur", "Oslo"])
    let all = Excursion.select(\.name).unionAll(Town.select(\.name))
    #expect(try await store.fetch(all) == ["Alps", "Bern", "Bern", "Chur", "Oslo"])
    #expect(try await store.fetch(all.sorted(.reverse).limit(2, offset: 1)) == ["Chur", "Bern"])
    #expect(try await store.count(all) == 5)
    #expect(try await store.first(all.map { $0.count }) == 4)
    let context = Context(store)
    context.insert(Town(id: 4, name: "Zug", isCapital: true))
    #expect(try context.fetch(names) == ["Alps", "Bern", "Oslo", "Zug"])
  }

  @Test("each part has its own order and limit, and decimals are in their order")
  func parts() async throws {
    let newest = Town.all.sorted(by: \.id, order: .reverse).limit(1).select { ($0.name, $0.id) }
    let first = Excursion.where { $0.name.hasPrefix("A") }.select { ($0.name, $0.halts.count) }
    let pairs = try await store.fetch(first.union(newest))
    #expect(pairs.map(\.0) == ["Alps", "Chur"] && pairs.map(\.1) == [1, 3])
    let prices = Excursion.select(\.price).unionAll(Excursion.select { $0.price * 10 })
    let found: [Decimal] = try await store.fetch(prices)
    #expect(found == [9, 10, 90, 100])
    let optional = Excursion.select(\.country).union(Excursion.select(\.country))
    #expect(try await store.fetch(optional) == [nil, "CH"])
  }

  @Test("live results follow every part")
  func live() async throws {
    var names = store.live(Excursion.select(\.name).union(Town.select(\.name))).makeAsyncIterator()
    #expect(try await names.next()?.count == 4)
    try await store.delete(Town.self, 2)
    #expect(try await names.next() == ["Alps", "Bern", "Chur"])
  }
}
