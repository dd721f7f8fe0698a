import Foundation
import Testing

@testable import Larder

@Suite("Results", .timeLimit(.minutes(20)))
struct ResultsTests {
  private let file: StoreFile
  private let store: Store
  private let counter: StatementCounter

  init() throws {
    file = try StoreFile()
    store = try Store(
      at: file.path, for: Shelf.self, Book.self, Visitor.self, Seat.self, Poster.self,
      configuration: Store.Configuration(readers: 1))
    counter = try StatementCounter(store)
  }

  private func fill(_ count: Int) async throws {
    try await store.insert((0..<count).map { Book(id: $0, title: "\($0)") })
  }

  @Test("B8: results are a random access collection of the query's rows, in its order")
  func collection() async throws {
    try await fill(250)
    let results = try await store.results(Book.where { $0.id >= 10 }.sorted(by: \.id, order: .reverse))
    #expect(results.count == 240)
    #expect(results.keys.first == 249)
    #expect(results.map { $0?.id } == (10..<250).reversed())
    #expect(results.reversed().compactMap { $0?.title }.first == "10")
    #expect(results[results.index(results.startIndex, offsetBy: 200)]?.id == 49)
    #expect(results.last??.id == 10)
    #expect(try await store.results(Book.where { $0.id < 0 }).isEmpty)
  }

  @Test(
    "B8: pages are loaded when they are asked for, and ahead in the direction of travel: a test counts the statements")
  func statements() async throws {
    try await fill(1000)
    let size = Results<Book>.pageSize
    let results = try await store.results(Book.all.sorted(by: \.id))
    _ = counter.take()
    for position in 0..<size { #expect(results[position]?.id == position) }
    #expect(counter.take() == 1)
    // Who goes on gets two pages at once.
    for position in size..<size * 3 { #expect(results[position]?.id == position) }
    #expect(counter.take() == 1)
    // Who jumps gets one page.
    #expect(results[size * 9]?.id == size * 9)
    #expect(counter.take() == 1)
    for position in (size * 7..<size * 9).reversed() { #expect(results[position]?.id == position) }
    #expect(counter.take() == 1)
    // What is loaded stays loaded, and copies share it.
    let copy = results
    for position in [0, size, size * 2, size * 8] { #expect(copy[position]?.id == position) }
    #expect(counter.take() == 0)
  }

  @Test("B8: not all pages stay in memory: after a walk through all of them the first is loaded again")
  func bounded() async throws {
    try await fill(2000)
    let results = try await store.results(Book.all.sorted(by: \.id))
    #expect(results.compactMap { $0 }.count == 2000)
    _ = counter.take()
    #expect(results[1999]?.id == 1999)
    #expect(counter.take() == 0)
    #expect(results[0]?.id == 0)
    #expect(counter.take() == 1)
  }

  @Test(
    "B8: an element whose row was deleted is nil, one that was changed is what it is now, and the others stay in their places"
  )
  func deletions() async throws {
    try await fill(300)
    let results = try await store.results(Book.all.sorted(by: \.id))
    #expect(results[5]?.title == "5")
    try await store.delete(Book.self, 5)
    try await store.deleteAll(Book.where { $0.id >= 200 })
    try await store.updateAll(Book.where { $0.id == 6 }) { $0.title.set("six") }
    try await store.insert(Book(id: -1))
    #expect(results.count == 300)
    #expect(results[5] == nil)
    #expect(results[6]?.title == "six")
    #expect(results[7]?.title == "7")
    #expect(results[250] == nil)
    #expect(results.compactMap { $0 }.count == 199)
  }

  @Test("B8: results are walked through by several tasks while rows are deleted: each gets its row or nil")
  func concurrentDeletions() async throws {
    try await fill(800)
    let store = store
    let results = try await store.results(Book.all.sorted(by: \.id))
    await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for position in results.indices {
            #expect(results[position].map { $0.id == position } ?? (position % 2 == 0))
          }
        }
      }
      group.addTask { for id in stride(from: 0, to: 800, by: 2) { try await store.delete(Book.self, id) } }
    }
    #expect(results.map { $0?.id } == (0..<800).map { $0 % 2 == 0 ? nil : $0 })
  }

  @Test("B8: a range of elements is read without blocking")
  func asynchronous() async throws {
    try await fill(300)
    let results = try await store.results(Book.all.sorted(by: \.id))
    try await store.delete(Book.self, 151)
    _ = counter.take()
    #expect(try await results.elements(in: 150..<153).map { $0?.id } == [150, nil, 152])
    #expect(try await results.elements(in: 0..<0).isEmpty)
    #expect(counter.take() == 1)
  }

  @Test("B8: keys may be text, identifiers, or of two columns; what the query includes is loaded as well")
  func keys() async throws {
    try await store.insert([Poster(id: "b", rank: 1), Poster(id: "a", rank: 2)])
    #expect(try await store.results(Poster.all.sorted(by: \.rank)).map { $0?.id } == ["b", "a"])
    let visitors = (0..<3).map { Visitor(name: "\($0)") }
    try await store.insert(visitors)
    #expect(try await store.results(Visitor.all.sorted(by: \.name)).compactMap { $0 } == visitors)
    try await store.insert([
      Seat(row: 1, number: "A", price: 3), Seat(row: 1, number: "B", price: 2), Seat(row: 2, number: "A", price: 1),
    ])
    let seats = try await store.results(Seat.all.sorted(by: \.price))
    try await store.deleteAll(Seat.where { $0.price == 2 })
    #expect(seats.map { $0?.price } == [1, nil, 3])
    try await store.insert(Shelf(id: 1))
    try await store.insert(Book(id: 1, shelf: ToOne(1)))
    let shelves = try await store.results(Shelf.all.including(\.books))
    #expect(shelves.first??.books.loaded?.map(\.id) == [1])
    try await store.insert(Book(id: 2, shelf: ToOne(1)))
    #expect(shelves.first??.books.loaded?.count == 2)
  }

  @Test("B8: results of a store in memory work, and leave nothing registered")
  func memory() async throws {
    let store = try Store(inMemoryFor: Book.self, Shelf.self)
    try await store.insert(Book(id: 1))
    do {
      let results = try await store.results(Book.all)
      #expect(results.first??.id == 1)
      #expect(!store.live.isEmpty)
    }
    #expect(store.live.isEmpty)
  }

  @Test("B8: the keys of a million rows, and the rows that are read, take less than 32 MB of memory")
  func million() async throws {
    // In a process of its own: the memory of this one is that of all tests.
    let file = try StoreFile()
    let child = try ChildProcess("results", file.path, 1_000_000)
    #expect(await child.line() == "1000000 rows, 3 read")
    let growth = try #require(await child.line().flatMap { Int($0) })
    #expect(growth < 32 << 20, "\(growth >> 20) MB")
  }

  @Test(
    "B8: who turns round in the middle gets the pages ahead in the new direction, and at the ends there is nothing ahead"
  )
  func turning() async throws {
    try await fill(1050)
    let size = Results<Book>.pageSize
    let results = try await store.results(Book.all.sorted(by: \.id))
    _ = counter.take()
    func statements(reading page: Int) -> Int {
      #expect(results[page * size]?.id == page * size)
      return counter.take()
    }
    // Forwards from the fifth page: the sixth with the seventh, backwards from there the fourth with the third.
    #expect([5, 6, 7].map { statements(reading: $0) } == [1, 1, 0])
    #expect([6, 5, 4, 3].map { statements(reading: $0) } == [0, 0, 1, 0])
    // The last page is a short one, and the first has none before it.
    #expect([9, 10].map { statements(reading: $0) } == [1, 1])
    #expect(results[1049]?.id == 1049)
    #expect([1, 0].map { statements(reading: $0) } == [1, 1])
    #expect(counter.take() == 0)
  }

  @Test("B8: all that a random access collection can do goes by the keys, and reads what it is asked for")
  func randomAccess() async throws {
    try await fill(500)
    let results = try await store.results(Book.where { $0.id != 250 }.sorted(by: \.id))
    _ = counter.take()
    #expect(results.count == 499)
    #expect(results.indices.count == 499)
    #expect(results.distance(from: 3, to: 400) == 397)
    #expect(results.index(10, offsetBy: 480, limitedBy: 499) == 490)
    #expect(results.index(10, offsetBy: 490, limitedBy: 499) == nil)
    #expect(results.keys.firstIndex(of: 251) == 250)
    #expect(counter.take() == 0)
    #expect(results[420..<423].map { $0?.id } == [421, 422, 423])
    #expect(results.suffix(2).map { $0?.id } == [498, 499])
    #expect(results.dropFirst(300).first??.id == 301)
    #expect(counter.take() == 2)
    let middle = results.indices.partition(by: 250, of: results)
    #expect(middle == 250)
  }
}

extension Range<Int> {
  /// The first position whose row has a greater number, as a binary search finds it.
  fileprivate func partition(by id: Int, of results: Results<Book>) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = (low + high) / 2
      if (results[middle]?.id ?? 0) > id { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
