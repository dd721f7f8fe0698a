import Foundation
import Larder
import Testing

@Suite("Selected values")
struct SelectedQueryTests {
  private let store: Store
  private let tours = [
    Excursion(id: 1, name: "Alps", country: "CH", price: 100, seats: 2, startsAt: Date(timeIntervalSince1970: 0)),
    Excursion(id: 2, name: "Fjords", country: "NO", price: 9, seats: 5, startsAt: Date(timeIntervalSince1970: 86_400)),
    Excursion(id: 3, name: "Jura", country: "CH", price: 10, seats: 5, startsAt: Date(timeIntervalSince1970: 5)),
    Excursion(id: 4, name: "Nowhere", country: nil, price: 10, seats: 0, startsAt: Date(timeIntervalSince1970: 7)),
  ]

  init() throws {
    store = try Store(inMemoryFor: Excursion.self, Stopover.self)
    try store.blocking.insert(tours)
    try store.blocking.insert([
      Stopover(id: 1, tour: ToOne(1), city: "Chur", days: 2), Stopover(id: 2, tour: ToOne(1), city: "Davos", days: 3),
      Stopover(id: 3, tour: ToOne(2), city: "Bergen", days: 1), Stopover(id: 4, city: "Lost", days: 9),
    ])
  }

  @Test("properties by their paths, and values by a closure")
  func values() async throws {
    let names = try await store.fetch(Excursion.select(\.name, \.startsAt).sorted(by: \.id))
    #expect(names.map(\.0) == tours.map(\.name))
    #expect(names.map(\.1) == tours.map(\.startsAt))
    let one = try await store.fetch(Excursion.select(\.country).sorted(by: \.id))
    #expect(one == ["CH", "NO", "CH", nil])
    let counts = try await store.fetch(
      Excursion.where { $0.price > 9 }.sorted(by: \.price).select {
        ($0.name, $0.halts.count, $0.price * 2, $0.seats > 4)
      })
    #expect(counts.map(\.0) == ["Jura", "Nowhere", "Alps"])
    #expect(counts.map(\.1) == [0, 0, 2])
    #expect(counts.map(\.2) == [20, 20, 200])
    #expect(counts.map(\.3) == [true, false, false])
    let cities = try await store.fetch(Stopover.select { ($0.city, $0.tour.name, $0.tour) }.sorted(by: \.id))
    #expect(cities.map(\.1) == ["Alps", "Alps", "Fjords", nil])
    #expect(cities.map { $0.2?.id } == [1, 1, 2, nil])
  }

  @Test("limits, offsets, conditions and sorts apply before and after select")
  func order() async throws {
    let query = Excursion.select(\.id).sorted(by: \.name, order: .reverse).limit(2, offset: 1)
    #expect(try await store.fetch(query) == [3, 2])
    #expect(try await store.first(query) == 3)
    #expect(try await store.count(query) == 2)
    #expect(try await store.fetch(Excursion.all.limit(1).select(\.id).where { $0.country == nil }) == [4])
    let page = try await store.fetch(Excursion.all.sorted(by: \.price).after(tours[3]).select(\.id))
    #expect(page == [1])
    let rows = try await store.rows(Excursion.select(\.name, \.seats).limit(1))
    #expect(rows.map(\.names) == [["name", "seats"]])
    #expect(rows.first?["name"] == .text("Alps"))
  }

  @Test("map makes values of your own, and what it throws ends the fetch")
  func mapping() async throws {
    struct Line: Equatable {
      let name: String
      let halts: Int
    }
    struct Unwanted: Error {}
    let query = Excursion.select { ($0.name, $0.halts.count) }.sorted(by: \.id).map { Line(name: $0, halts: $1) }
    #expect(try await store.fetch(query.limit(2)) == [Line(name: "Alps", halts: 2), Line(name: "Fjords", halts: 1)])
    let failing = query.map { line in
      if line.halts == 1 { throw Unwanted() }
      return line.name
    }
    await #expect(throws: Unwanted.self) { try await store.fetch(failing) }
    #expect(try await store.fetch(failing.limit(1)) == ["Alps"])
  }

  @Test("distinct values are those of a set, in the order of their values")
  func distinct() async throws {
    #expect(try await store.fetch(Excursion.select(\.country).distinct()) == [nil, "CH", "NO"])
    let prices = try await store.fetch(Excursion.select(\.price).distinct().sorted(by: \.price, order: .reverse))
    #expect(prices == [100, 10, 9])
    #expect(try await store.count(Excursion.select(\.seats, \.price).distinct()) == 4)
    #expect(try await store.fetch(Excursion.select(\.seats).distinct().limit(2)) == [0, 2])
    let unselected = await #expect(throws: StoreError.self) {
      try await store.fetch(Excursion.select(\.country).distinct().sorted(by: \.name))
    }
    #expect(unselected?.message.contains("Select the value as well") == true)
    let limited = await #expect(throws: StoreError.self) {
      try await store.fetch(Excursion.all.limit(2).select(\.country).distinct())
    }
    #expect(limited?.code == .unsupported)
  }

  @Test("selected values are observed, streamed, and read in transactions and contexts")
  func places() async throws {
    let query = Excursion.select(\.name, \.seats).sorted(by: \.id)
    var live = store.live(query).makeAsyncIterator()
    #expect(try await live.next()?.count == 4)
    try await store.updateAll(Excursion.where { $0.id == 1 }) { $0.seats.set(7) }
    #expect(try await live.next()?.first?.1 == 7)
    var streamed: [String] = []
    for try await (name, _) in store.stream(query) { streamed.append(name) }
    #expect(streamed == tours.map(\.name))
    let context = Context(store)
    try context.save(Excursion(id: 9, name: "New", price: 1, seats: 1, startsAt: .now))
    #expect(try context.fetch(query).map(\.0) == tours.map(\.name) + ["New"])
    try await store.write { db in
      try db.deleteAll(Excursion.where { $0.id > 1 })
      #expect(try db.fetch(query).map(\.0) == ["Alps"])
    }
  }

  @Test("a column that isn't read isn't observed")
  func unread() async throws {
    var live = store.live(Excursion.select(\.name).where { $0.id == 1 }).makeAsyncIterator()
    #expect(try await live.next() == ["Alps"])
    try await store.updateAll(Excursion.all) { $0.seats.set(0) }
    try await store.updateAll(Excursion.all) { $0.name.set("later") }
    #expect(try await live.next() == ["later"])
  }

  @Test("a value that doesn't fit names the property")
  func unfit() async throws {
    _ = try await store.sql("update Excursion set price = 'many' where id = 2")
    let error = await #expect(throws: StoreError.self) { try await store.fetch(Excursion.select(\.name, \.price)) }
    #expect(error?.code == .invalidValue)
    #expect(error?.model == "Excursion")
    #expect(error?.property == "price")
  }
}
