import Foundation
import Larder
import Testing

@Suite("Joins, subqueries and trees")
struct JoinedQueryTests {
  private let store: Store

  init() throws {
    store = try Store(inMemoryFor: Excursion.self, Stopover.self, Town.self, Twig.self)
    try store.blocking.insert([
      Excursion(id: 1, name: "Alps", price: 1, seats: 1, startsAt: .now),
      Excursion(id: 2, name: "Fjords", price: 1, seats: 1, startsAt: .now),
    ])
    try store.blocking.insert([
      Stopover(id: 1, tour: ToOne(1), city: "Bern", days: 2), Stopover(id: 2, tour: ToOne(1), city: "Chur", days: 3),
      Stopover(id: 3, tour: ToOne(2), city: "Oslo", days: 1), Stopover(id: 4, city: "Nowhere", days: 9),
    ])
    try store.blocking.insert([
      Town(id: 1, name: "Bern", isCapital: true), Town(id: 2, name: "Oslo", isCapital: true),
      Town(id: 3, name: "Chur", isCapital: false), Town(id: 4, name: "Rome", isCapital: true),
    ])
  }

  @Test("rows of two models that a condition joins")
  func pairs() async throws {
    let join = Stopover.join(Town.self) { halt, city in halt.city == city.name }
    let pairs = try await store.fetch(join.sorted { halt, _ in halt.days })
    #expect(pairs.map(\.0.id) == [3, 1, 2])
    #expect(pairs.map(\.1.name) == ["Oslo", "Bern", "Chur"])
    let capitals = try await store.fetch(
      join.where { halt, city in city.isCapital && halt.tour.name == "Alps" }.map { "\($0.id) \($1.name)" })
    #expect(capitals == ["1 Bern"])
    let values = try await store.fetch(
      join.sorted(order: .reverse) { _, city in city.name }.select { ($0.city, $1.isCapital, $0.days * $1.id) }.limit(2)
    )
    #expect(values.map(\.0) == ["Oslo", "Chur"])
    #expect(values.map(\.2) == [2, 9])
    #expect(try await store.count(join) == 3)
  }

  @Test("a left join keeps rows without a partner")
  func left() async throws {
    let join = Stopover.where { $0.days > 1 }.leftJoin(Town.self) { $0.city == $1.name }
    let pairs = try await store.fetch(join.sorted { halt, _ in halt.id })
    #expect(pairs.map(\.0.id) == [1, 2, 4])
    #expect(pairs.map { $0.1?.name } == ["Bern", "Chur", nil])
    let named = try await store.fetch(join.where { _, city in city.name != "Bern" }.sorted { halt, _ in halt.id })
    #expect(named.map(\.0.id) == [2, 4])
  }

  @Test("a table joined with itself, in a context and live")
  func selves() async throws {
    let later = Town.join(Town.self) { $0.id < $1.id && $0.isCapital && $1.isCapital }
    let query = later.sorted { one, _ in one.id }.sorted { _, other in other.id }.map { [$0.id, $1.id] }
    #expect(try await store.fetch(query) == [[1, 2], [1, 4], [2, 4]])
    var live = store.live(query).makeAsyncIterator()
    #expect(try await live.next()?.count == 3)
    try await store.delete(Town.self, 4)
    #expect(try await live.next() == [[1, 2]])
    let context = Context(store)
    context.insert(Town(id: 7, name: "Paris", isCapital: true))
    #expect(try context.fetch(query) == [[1, 2], [1, 7], [2, 7]])
    var streamed: [[Int]] = []
    for try await pair in store.stream(query) { streamed.append(pair) }
    #expect(streamed == [[1, 2]])
  }

  @Test("joined rows are grouped, chosen, sorted and mapped; groups print as Swift")
  func groups() async throws {
    let join = Stopover.join(Town.self) { $0.city == $1.name }
    let kinds = join.grouped(by: { _, town in town.isCapital }) { ($0.key, $0.count, $0.sum { stop, _ in stop.days }) }
    let found = try await store.fetch(kinds)
    #expect(found.map(\.0) == [false, true])
    #expect(found.map(\.1) == [1, 2])
    #expect(found.map(\.2) == [3, 3])
    let pairs = join.grouped(by: { ($0.tour, $1.isCapital) }) { ($0.key.0, $0.key.1, $0.max { $1.name }) }
      .having { $0.count > 0 }.sorted(order: .reverse) { $0.min { stop, _ in stop.days } }
    #expect(
      try await store.fetch(pairs.map { "\($0?.id ?? 0) \($1) \($2 ?? "")" }) == [
        "1 false Chur", "1 true Bern", "2 true Oslo",
      ])
    #expect(try await store.fetch(pairs.limit(1, offset: 1)).map(\.2) == ["Bern"])
    #expect(
      "\(kinds.having { $0.count > 1 })"
        == "Stopover.all.join(Town.self) { $0.city == $1.name }.grouped(by: { $1.isCapital }) { ($0.key, $0.count, $0.sum { $0.days }) }.having { $0.count > 1 }"
    )
    let context = Context(store)
    context.insert(Stopover(id: 9, city: "Rome", days: 4))
    #expect(try context.fetch(kinds).map(\.2) == [3, 7])
    var live = store.live(kinds).makeAsyncIterator()
    #expect(try await live.next()?.map(\.1) == [1, 2])
    try await store.delete(Town.self, 2)
    #expect(try await live.next()?.map(\.1) == [1, 1])
    let error = await #expect(throws: StoreError.self) {
      try await store.fetch(join.limit(2).grouped(by: { $1.name }) { $0.count })
    }
    #expect(error?.message.contains("limit the groups instead") == true)
  }

  @Test("what can't be asked is refused with the way to ask it")
  func refusals() async throws {
    let join = Stopover.join(Town.self) { $0.city == $1.name }
    let mapped = join.map { ($0, Town(id: $1.id, name: "-", isCapital: true)) }
    let error = await #expect(throws: StoreError.self) {
      try await store.fetch(mapped.grouped(by: { _, town in town.name }) { $0.count })
    }
    #expect(error?.message.contains("grouped takes the rows that are joined; call map after it") == true)
    await #expect(throws: StoreError.self) { try await store.fetch(mapped.select { $1.name }) }
    #expect(try await store.fetch(mapped).map(\.1.name) == ["-", "-", "-"])

    let inner = await #expect(throws: StoreError.self) {
      try await store.fetch(
        Stopover.all.grouped(by: \.city) { ($0.key, $0.count) }.having { group in Town.exists { $0.id == group.count } }
      )
    }
    #expect(inner?.code == .unsupported && inner?.message.contains("rows of Town") == true)
    await #expect(throws: StoreError.self) {
      try await store.fetch(
        join.grouped(by: { _, town in town.name }) { $0.key }
          .having { group in Town.exists { $0.id < group.sum { stop, _ in stop.days } } })
    }
    let keys = Stopover.all.grouped(by: \.city) { $0.key }.having { group in Town.exists { $0.name == group.key } }
    #expect(try await store.fetch(keys) == ["Bern", "Chur", "Oslo"])

    let never = Date(timeIntervalSinceReferenceDate: .nan)
    for query in [
      Excursion.where { $0.startsAt.timeIntervalSince(never) < 5 },
      Excursion.where { $0.endsAt.timeIntervalSince(never) == nil },
    ] {
      let error = await #expect(throws: StoreError.self) { try await store.fetch(query) }
      #expect(error?.code == .invalidValue)
    }
  }

  @Test("a query with a limit can't be joined")
  func limited() async throws {
    let error = await #expect(throws: StoreError.self) {
      try await store.fetch(Stopover.all.limit(2).join(Town.self) { $0.city == $1.name })
    }
    #expect(error?.message.contains("limit the pairs instead") == true)
  }

  @Test("values that another query selects")
  func isIn() async throws {
    let capitals = Town.where { $0.isCapital }
    let found = try await store.fetch(Stopover.where { $0.city.isIn(capitals.select(\.name)) }.sorted(by: \.id))
    #expect(found.map(\.id) == [1, 3])
    let others = try await store.fetch(Stopover.where { !$0.city.isIn(capitals.select(\.name)) }.sorted(by: \.id))
    #expect(others.map(\.id) == [2, 4])
    let tours = try await store.fetch(Excursion.where { $0.id.isIn(Stopover.where { $0.days > 1 }.select(\.tour)) })
    #expect(tours.map(\.id) == [1])
    let longest = Stopover.all.sorted(by: \.days, order: .reverse).limit(2).select(\.id)
    #expect(try await store.fetch(Stopover.where { $0.id.isIn(longest) }.sorted(by: \.id)).map(\.id) == [2, 4])
    // The query sees the table that it changes as it was before.
    try await store.updateAll(Stopover.where { $0.id.isIn(longest) }) { $0.days.set(0) }
    #expect(try await store.fetch(Stopover.where { $0.days == 0 }.sorted(by: \.id)).map(\.id) == [2, 4])
  }

  @Test("a query within a condition may use columns of the query around it")
  func correlated() async throws {
    // Both models have a name and an id.
    let named = Excursion.where { tour in
      tour.id.isIn(Town.where { $0.id < tour.id && $0.name != tour.name }.select { $0.id + 1 })
    }
    #expect(try await store.fetch(named).map(\.id) == [2])
    try await store.save(Town(id: 1, name: "Fjords", isCapital: false))
    #expect(try await store.fetch(named).isEmpty)
    let context = Context(store)
    context.insert(Town(id: 0, name: "New", isCapital: false))
    #expect(try context.fetch(named).map(\.id) == [1])
  }

  @Test("queries within queries are refused beyond a depth that every stack holds")
  func nested() async throws {
    func query(_ depth: Int) -> Query<Town> {
      var query = Town.where { $0.isCapital }
      for _ in 0..<depth {
        let inner = query
        query = Town.where { $0.id.isIn(inner.select(\.id)) }
      }
      return query
    }
    #expect(try await store.fetch(query(5).sorted(by: \.id)).map(\.id) == [1, 2, 4])
    for depth in [1_000, 20_000] {
      let error = await #expect(throws: StoreError.self) { try await store.fetch(query(depth)) }
      #expect(error?.code == .unsupported)
      #expect(error?.message.contains("nested too deeply") == true)
    }
  }

  @Test("rows of another model that refer to the row around them")
  func exists() async throws {
    let visited = Town.where { city in Stopover.exists { $0.city == city.name && $0.days < 3 } }
    #expect(try await store.fetch(visited.sorted(by: \.id)).map(\.name) == ["Bern", "Oslo"])
    let counts = try await store.fetch(
      Town.select { city in (city.name, Stopover.count { $0.city == city.name }) }.sorted(by: \.id))
    #expect(counts.map(\.1) == [1, 1, 1, 0])
    let rivals = Town.where { city in Town.exists { $0.isCapital && $0.id < city.id } }
    #expect(try await store.fetch(rivals.sorted(by: \.id)).map(\.id) == [2, 3, 4])
    let nested = Town.where { city in
      Stopover.exists { halt in
        halt.city == city.name && Excursion.exists { $0.id == halt.tour.id && $0.name == "Alps" }
      }
    }
    #expect(try await store.fetch(nested.sorted(by: \.id)).map(\.id) == [1, 3])
  }

  @Test("descendants and ancestors in a tree and in a circle")
  func trees() async throws {
    try await store.insert(Twig(id: 1, name: "root"))
    for id in 2...7 { try await store.insert(Twig(id: id, name: "\(id)", parent: ToOne(id / 2))) }
    let below = Twig.descendants(of: 2, through: \.parent)
    #expect(try await store.fetch(below.sorted(by: \.id)).map(\.id) == [4, 5])
    #expect(try await store.fetch(below.where { $0.name != "4" }.select(\.id)) == [5])
    #expect(try await store.count(Twig.descendants(of: 1, through: \.parent)) == 6)
    #expect(try await store.fetch(Twig.ancestors(of: 7, through: \.parent).sorted(by: \.id)).map(\.id) == [1, 3])
    try await store.updateAll(Twig.where { $0.id == 1 }) { $0.parent.set(ToOne(6)) }
    #expect(
      try await store.fetch(Twig.descendants(of: 3, through: \.parent).sorted(by: \.id)).map(\.id)
        == [1, 2, 3, 4, 5, 6, 7])
    #expect(try await store.fetch(Twig.ancestors(of: 6, through: \.parent).sorted(by: \.id)).map(\.id) == [1, 3, 6])
    let context = Context(store)
    context.insert(Twig(id: 8, name: "8", parent: ToOne(5)))
    #expect(try context.fetch(below.sorted(by: \.id)).map(\.id) == [4, 5, 8])
  }
}
